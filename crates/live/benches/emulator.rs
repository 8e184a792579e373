//! The emulator's own cost per packet, without the kernel's part, in nanoseconds: reading it, passing it
//! through the network, and writing into it.
//!
//! Run with `cargo bench -p dumbbell-live --bench emulator`. The network's time is advanced manually. The
//! result is the best of several runs.

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::hint::black_box;
    use std::time::Instant as Clock;

    use dumbbell_live::emulator::{Reader, write};
    use dumbbell_run::{Emulation, End};
    use dumbbell_scenario::Duration;
    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;
    use etherparse::PacketBuilder;

    const PACKETS: u64 = 200_000;
    const RUNS: usize = 10;

    /// At 1 Gb/s, a packet of 1500 bytes takes 12 us.
    const PATHS: [(&str, &str, &str); 3] = [
        ("droptail", "queue = { droptail = 100 }", ""),
        (
            "droptail, losses",
            "queue = { droptail = 100 }, loss = { bernoulli = 0.01 }",
            "",
        ),
        (
            "red, aqt",
            "queue = { red = { limit = 100, min = 5, max = 50, ecn = true } }",
            "aqt = \"all\"",
        ),
    ];

    pub fn main() {
        println!("{:<22} {:>12}", "path", "ns/packet");
        for (name, queue, head) in PATHS {
            let text = format!(
                "duration = \"1 s\"\n[dumbbell]\naccess = {{ rate = \"10 Gb/s\", delay = \"1 ms\" }}\n\
                 bottleneck = {{ rate = \"1 Gb/s\", delay = \"10 ms\", {queue} }}\n{head}\n\
                 [[flow]]\ncontrol = \"reno\"\n"
            );
            let scenario = Scenario::parse(name, &text, &Controls::builtin())
                .unwrap_or_else(|report| panic!("{report}"));
            let runs = (0..RUNS).map(|_| a_packet(&scenario));
            println!("{name:<22} {:>12.1}", runs.fold(f64::MAX, f64::min));
        }
    }

    fn a_packet(scenario: &Scenario) -> f64 {
        let mut packet = Vec::new();
        PacketBuilder::ipv4([10, 11, 12, 1], [10, 11, 12, 2], 64)
            .tcp(40_000, 5_001, 1, 1_000)
            .ack(1)
            .write(&mut packet, &[7; 1_460])
            .expect("a vector can be written to");
        let mut emulation = Emulation::new(scenario, 0, 1).expect("one flow of TCP");
        let mut reader = Reader::default();
        let clock = Clock::now();
        for number in 1..=PACKETS {
            let (sort, label) = reader.read(&packet);
            emulation.advance(Duration::from_micros(12 * number), |through, bytes| {
                write(bytes, through.marked, through.queueing);
                black_box(bytes);
            });
            emulation.offer(End::Sender, black_box(&packet), sort, label);
            black_box(emulation.next_event());
        }
        clock.elapsed().as_secs_f64() * 1e9 / PACKETS as f64
    }
}
