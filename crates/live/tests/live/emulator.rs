//! The emulated path compared with its scenario.

use std::io::ErrorKind;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use dumbbell_live::Error;
use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_run::End;

use crate::hosts;

/// 2 Mb/s, 20 ms each way, 60 packets of 1500 bytes.
const PLAIN: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "2 Mb/s", delay = "18 ms", queue = { droptail = 60 } }
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#;

fn with(scenario: &str, from: &str, to: &str) -> String {
    assert!(scenario.contains(from), "{from}");
    scenario.replace(from, to)
}

/// One flow fills the link: a packet of 1500 bytes carries 1448 bytes of payload.
#[test]
fn a_transfer_gets_the_rate_of_the_bottleneck() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let (measured, report) = hosts::transfer(&hosts::scenario(PLAIN), "reno", 4.0, 1).unwrap();
    let ideal = 2e6 * 1448.0 / 1500.0;
    // Opening the connection and the first window take two round trips of 40 ms.
    assert!(
        measured.goodput_bps > 0.9 * ideal,
        "{}",
        measured.goodput_bps
    );
    assert!(
        measured.goodput_bps < 1.01 * ideal,
        "{}",
        measured.goodput_bps
    );
    assert_eq!(measured.payload, 1448);
    let rtt = measured.rtt_min_s.unwrap();
    assert!(rtt > 0.040 && rtt < 0.055, "{rtt}");
    let bottleneck = &report.network.links[0];
    assert_eq!(bottleneck.name, "bottleneck");
    assert!(bottleneck.utilisation > 0.9, "{}", bottleneck.utilisation);
    assert!(report.base_rtt_s.unwrap() > 0.040);
    assert!(report.lateness.packets > 600);
    assert_eq!(report.refused + report.overflow, 0);
}

/// A datagram takes 20 ms and its own transmission time, in each direction.
#[test]
fn datagrams_have_the_delay_of_the_links() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let path = hosts::start(&hosts::scenario(PLAIN), 1);
    let bind = |end| {
        path.host(end)
            .run(|| {
                let socket = UdpSocket::bind((Emulator::address(end), 7000))
                    .map_err(|reason| Error::system("bind", reason))?;
                socket
                    .set_read_timeout(Some(Duration::from_secs(2)))
                    .map_err(|reason| Error::system("bind", reason))?;
                Ok(socket)
            })
            .unwrap()
    };
    let (sender, receiver) = (bind(End::Sender), bind(End::Receiver));
    let mut buffer = [0; 2000];
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        sender
            .send_to(&[1; 972], (Emulator::address(End::Receiver), 7000))
            .unwrap();
        let (length, from) = receiver.recv_from(&mut buffer).unwrap();
        assert_eq!(length, 972);
        receiver.send_to(&buffer[..length], from).unwrap();
        sender.recv_from(&mut buffer).unwrap();
        least = least.min(start.elapsed());
    }
    // 1000 bytes with headers: 4 ms at 2 Mb/s, and twice 80 us at 100 Mb/s, each way.
    let ideal = Duration::from_micros(2 * (20_000 + 4_000 + 160));
    assert!(least >= ideal, "{least:?}");
    assert!(least < ideal + Duration::from_millis(5), "{least:?}");
    let report = path.stop().unwrap();
    assert_eq!((report.from_sender, report.from_receiver), (5, 5));
    let base = report.base_rtt_s.unwrap();
    assert!((base - ideal.as_secs_f64()).abs() < 1e-6, "{base}");
}

/// The seed determines which datagrams are lost, whenever they come.
#[test]
fn the_same_seed_loses_the_same_packets() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let lossy = with(
        PLAIN,
        "queue = { droptail = 60 }",
        "queue = { droptail = 60 }, loss = { bernoulli = 0.3 }",
    );
    let lossy = with(&lossy, "2 Mb/s", "80 Mb/s");
    let arrivals = |seed| {
        let path = hosts::start(&hosts::scenario(&lossy), seed);
        let bind = |end| {
            path.host(end).run(|| {
                UdpSocket::bind((Emulator::address(end), 7000))
                    .map_err(|reason| Error::system("bind", reason))
            })
        };
        let (sender, receiver) = (bind(End::Sender).unwrap(), bind(End::Receiver).unwrap());
        receiver
            .set_read_timeout(Some(Duration::from_millis(300)))
            .unwrap();
        for number in 0..100u8 {
            sender
                .send_to(&[number; 100], (Emulator::address(End::Receiver), 7000))
                .unwrap();
            std::thread::sleep(Duration::from_micros(300));
        }
        let (mut buffer, mut numbers) = ([0; 200], Vec::new());
        loop {
            match receiver.recv(&mut buffer) {
                Ok(_) => numbers.push(buffer[0]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return numbers,
            }
        }
    };
    let first = arrivals(5);
    assert!((50..=90).contains(&first.len()), "{}", first.len());
    assert_eq!(arrivals(5), first);
    assert_ne!(arrivals(6), first);
}

/// Simulated traffic uses half of the link.
#[test]
fn simulated_flows_run_beside_the_real_one() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let busy = format!(
        "{PLAIN}\n[[flow]]\nname = \"load\"\nsource = {{ cbr = \"1 Mb/s\" }}\npacket = \"1000 B\"\n"
    );
    let (measured, report) = hosts::transfer(&hosts::scenario(&busy), "reno", 4.0, 2).unwrap();
    let [load] = &report.network.flows[..] else {
        panic!("{:?}", report.network.flows);
    };
    assert_eq!(load.name, "load");
    // Both lose some packets to the full queue, and together they fill the link.
    assert!(load.goodput_bps > 0.7e6, "{}", load.goodput_bps);
    let sum = measured.goodput_bps * 1500.0 / 1448.0 + load.goodput_bps;
    assert!(sum > 1.7e6 && sum < 2.02e6, "{sum}");
}

/// RED marks ECN-capable packets, and the kernel sees the marks.
#[test]
fn marks_reach_the_kernel() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let red = with(
        PLAIN,
        "{ droptail = 60 }",
        "{ red = { limit = 60, min = 5, max = 15, ecn = true, weight = 0.02 } }",
    );
    let path = hosts::start(&hosts::scenario(&red), 3);
    let transfer = dumbbell_live::transfer::Transfer {
        control: "reno".to_owned(),
        duration: Duration::from_secs(4),
        interval: Duration::from_millis(20),
        ecn: true,
        at_both_ends: false,
        port: dumbbell_live::transfer::PORT,
    };
    let measured = transfer.run(&path, &false.into()).unwrap();
    let bottleneck = path.stop().unwrap().network.links[0].clone();
    // Retransmissions are not ECN-capable (RFC 3168, section 6.1.5), and are therefore dropped
    // early.
    assert!(bottleneck.marked > 2 * bottleneck.early, "{bottleneck:?}");
    assert!(measured.samples.iter().any(|it| it.ssthresh.is_some()));
}

#[test]
fn an_unknown_control_is_refused_with_a_list_of_controls() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let refused = hosts::transfer(&hosts::scenario(PLAIN), "no_such_cc", 1.0, 1);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("no_such_cc"), "{message}");
    assert!(message.contains("reno"), "{message}");
}

#[test]
fn flows_that_cannot_be_real_are_refused() {
    let text = with(
        PLAIN,
        "control = \"reno\"\nrecovery = \"sack\"\npayload = \"1460 B\"",
        "source = { cbr = \"1 Mb/s\" }",
    );
    let scenario = hosts::scenario(&text);
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let message = Emulator::start(&scenario, options).unwrap_err().to_string();
    assert!(message.contains("UDP source"), "{message}");
    let beyond = Options { flow: 7, ..options };
    let message = Emulator::start(&scenario, beyond).unwrap_err().to_string();
    assert!(message.contains("no flow 8"), "{message}");
}
