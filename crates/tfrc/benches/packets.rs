//! Measures the processor time of a data packet and of a feedback packet, in nanoseconds.
//!
//! `cargo bench -p dumbbell-tfrc`. Packets and feedback are made beforehand: a steady stream in which
//! one packet of a hundred is missing. The best of several runs is reported.

use std::hint::black_box;
use std::time::Instant as Clock;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::packet::{Arrival, Data, Feedback, Output};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::receiver::{Causes, Receiver, ReceiverConfig};
use dumbbell_tfrc::sender::{Law, Sender, SenderConfig, VenoConfig};

const PACKETS: u64 = 100_000;
const RUNS: usize = 20;
const RTT: Duration = Duration::from_millis(100);

fn main() {
    println!("{:<22} {:>12} {:>14}", "sender", "ns/packet", "ns/feedback");
    let rfc = SenderConfig::rfc5348(1000);
    let senders = [
        ("rfc5348", rfc),
        ("ns2", SenderConfig::ns2(1000)),
        (
            "veno",
            SenderConfig {
                law: Law::Veno(VenoConfig::default()),
                ..rfc
            },
        ),
        (
            "all in one",
            SenderConfig {
                all_in_one: Some(ParallelConfig::default()),
                ..rfc
            },
        ),
    ];
    for (name, config) in senders {
        let packet = best(|| packets_sent(config));
        let feedback = best(|| feedback_heard(config));
        println!("{name:<22} {packet:>12.1} {feedback:>14.1}");
    }
    println!("{:<22} {:>12}", "receiver", "ns/packet");
    let rfc = ReceiverConfig::rfc5348(1000);
    let receivers = [
        ("rfc5348", rfc),
        ("ns2", ReceiverConfig::ns2(1000)),
        (
            "access point",
            ReceiverConfig {
                causes: Causes::AccessPoint,
                ..rfc
            },
        ),
    ];
    for (name, config) in receivers {
        let arrivals = arrivals();
        let packet = best(|| packets_received(config, &arrivals));
        println!("{name:<22} {packet:>12.1}");
    }
}

fn best(run: impl Fn() -> f64) -> f64 {
    (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min)
}

#[derive(Default)]
struct Count(u64);

impl Output for Count {
    fn transmit(&mut self, data: Data) {
        self.0 = self.0.wrapping_add(black_box(data).seq);
    }
}

/// A sender at 1000 packets per second.
fn packets_sent(config: SenderConfig) -> f64 {
    let mut out = Count::default();
    let mut sender = Sender::backlogged(config);
    sender.start(Instant::ZERO, &mut out);
    sender.on_feedback(Instant::ZERO + RTT, &feedback(1, 0.0), &mut out);
    sender.on_feedback(Instant::ZERO + RTT + RTT, &feedback(2, 0.01), &mut out);
    let clock = Clock::now();
    let before = sender.counters().sent;
    for _ in 0..PACKETS {
        let due = sender.deadline().expect("it has begun");
        sender.on_timer(due, &mut out);
    }
    black_box(out.0);
    let sent = sender.counters().sent - before;
    clock.elapsed().as_nanos() as f64 / sent as f64
}

fn feedback_heard(config: SenderConfig) -> f64 {
    let mut out = Count::default();
    let mut sender = Sender::backlogged(config);
    sender.start(Instant::ZERO, &mut out);
    let rounds = 10_000;
    let clock = Clock::now();
    for round in 1..=rounds {
        let now = Instant::from_nanos(round * RTT.as_nanos());
        sender.on_feedback(now, &black_box(feedback(round, 0.01)), &mut out);
    }
    black_box(sender.state());
    clock.elapsed().as_nanos() as f64 / rounds as f64
}

fn feedback(round: u64, p: f64) -> Feedback {
    Feedback {
        connection: 0,
        t_recvdata: Instant::from_nanos((round - 1) * RTT.as_nanos()),
        t_delay: Duration::from_millis(round % 10),
        x_recv: 1e6,
        p,
        p_wireless: None,
        loss_events: (round / 10) as u32,
    }
}

fn arrivals() -> Vec<Arrival> {
    (0..PACKETS)
        .filter(|seq| seq % 100 != 99)
        .map(|seq| Arrival {
            data: Data {
                seq,
                sent_at: Instant::from_nanos(seq * 1_000_000),
                rtt: Some(RTT),
                round: (seq / 100) as u32,
                ..Data::default()
            },
            bytes: 1000,
            marked: false,
        })
        .collect()
}

fn packets_received(config: ReceiverConfig, arrivals: &[Arrival]) -> f64 {
    let mut receiver = Receiver::new(0, config);
    let clock = Clock::now();
    for arrival in arrivals {
        let now = arrival.data.sent_at;
        if receiver.deadline().is_some_and(|deadline| deadline <= now) {
            black_box(receiver.on_deadline(now));
        }
        black_box(receiver.on_data(now, arrival));
    }
    clock.elapsed().as_nanos() as f64 / arrivals.len() as f64
}
