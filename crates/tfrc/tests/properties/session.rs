//! Complete connections between two ends over a path.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::multfrc::{MultiReceiver, MultiSender};
use dumbbell_tfrc::packet::Data;
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::receiver::{Causes, Receiver, ReceiverConfig};
use dumbbell_tfrc::sender::{Law, Sender, SenderConfig, VenoConfig};

use crate::pipe::{BYTES, Fate, Path, Session, random};

const HALF: Duration = Duration::from_millis(82);

fn s(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * 1_000_000_000)
}

/// 200 packets per second, in bytes per second.
const RATE: f64 = 200.0 * BYTES as f64;

fn bottleneck(causes: Option<Duration>) -> Path {
    Path {
        rate: RATE,
        buffer: 30,
        causes,
        ..Path::plain(HALF)
    }
}

/// Returns the packets per second from 20 s to 320 s if each packet is lost with this probability.
fn throughput(sender: SenderConfig, receiver: ReceiverConfig, loss: f64, seed: u64) -> f64 {
    let sender = Sender::backlogged(sender);
    let receiver = Receiver::new(0, receiver);
    let mut session = Session::new(sender, receiver, Path::plain(HALF));
    let mut lost = random(loss, seed);
    let mut fate = |_: &Data| if lost() { Fate::Lost } else { Fate::Arrives };
    session.run(s(20), &mut fate, |_, _, _| {});
    let before = session.sent;
    session.run(s(320), &mut fate, |_, _, _| {});
    (session.sent - before) as f64 / 300.0
}

fn mean(sender: SenderConfig, receiver: ReceiverConfig, loss: f64) -> f64 {
    let runs = 1..=8;
    runs.map(|seed| throughput(sender, receiver, loss, seed))
        .sum::<f64>()
        / 8.0
}

#[track_caller]
fn assert_within(value: f64, expected: f64, part: f64) {
    let ratio = value / expected;
    assert!(
        (ratio - 1.0).abs() <= part,
        "{value} is not within {part} of {expected}"
    );
}

#[test]
fn profile_ns2_has_the_throughput_of_ns2() {
    // ns-2.35, one TFRC flow on an empty path of 164 ms with loss 1 - exp(-p) of each packet; packets per
    // second from 20 to 320 s, means of 3, 3 and 8 seeds.
    for (p, packets) in [(0.01, 75.7), (0.03, 39.3), (0.1, 15.4)] {
        let loss = 1.0 - libm::exp(-p);
        let ours = mean(SenderConfig::ns2(BYTES), ReceiverConfig::ns2(BYTES), loss);
        assert_within(ours, packets, 0.08);
    }
}

#[test]
fn the_throughput_is_the_fixed_point_of_losses_and_equation() {
    // There is a loss event every W + 1/q packets, where W = X R/s packets are in the round-trip time that
    // cannot have another event. The expected X, found by bisection, is the one that the equation gives at
    // this loss event rate.
    let veno = SenderConfig {
        law: Law::Veno(VenoConfig::default()),
        ..SenderConfig::rfc5348(BYTES)
    };
    for (sender, q, packets) in [
        (SenderConfig::rfc5348(BYTES), 0.01, 73.14),
        (SenderConfig::rfc5348(BYTES), 0.03, 38.14),
        (SenderConfig::rfc5348(BYTES), 0.1, 13.85),
        // Without a queue g is .95.
        (veno, 0.01, 306.12),
        (veno, 0.03, 179.62),
        (veno, 0.1, 88.95),
    ] {
        let ours = mean(sender, ReceiverConfig::rfc5348(BYTES), q);
        assert_within(ours, packets, 0.08);
    }
}

#[test]
fn a_bottleneck_is_filled_without_excessive_loss() {
    let profiles = [
        (SenderConfig::rfc5348(BYTES), ReceiverConfig::rfc5348(BYTES)),
        (SenderConfig::ns2(BYTES), ReceiverConfig::ns2(BYTES)),
    ];
    for (sender, receiver) in profiles {
        let sender = Sender::backlogged(sender);
        let receiver = Receiver::new(0, receiver);
        let mut session = Session::new(sender, receiver, bottleneck(None));
        session.run(s(20), |_| Fate::Arrives, |_, _, _| {});
        let (sent, dropped) = (session.sent, session.dropped);
        session.run(s(220), |_| Fate::Arrives, |_, _, _| {});
        let arrived = (session.sent - sent) - (session.dropped - dropped);
        let lost = (session.dropped - dropped) as f64 / (session.sent - sent) as f64;
        assert!(arrived as f64 > 0.85 * 200.0 * 200.0, "{arrived}");
        assert!(lost < 0.02, "{lost}");
    }
}

/// Returns the packets sent per second from 20 s to 220 s if a link loses one of fifty.
fn with_causes(causes: Causes, told: Option<Duration>) -> f64 {
    let sender = Sender::backlogged(SenderConfig::rfc5348(BYTES));
    let receiver = Receiver::new(
        0,
        ReceiverConfig {
            causes,
            ..ReceiverConfig::rfc5348(BYTES)
        },
    );
    let mut session = Session::new(sender, receiver, bottleneck(told));
    let mut lost = random(0.02, 3);
    let mut fate = |_: &Data| if lost() { Fate::Lost } else { Fate::Arrives };
    session.run(s(20), &mut fate, |_, _, _| {});
    let before = session.sent;
    session.run(s(220), &mut fate, |_, _, _| {});
    (session.sent - before) as f64 / 200.0
}

#[test]
fn with_known_causes_the_path_is_filled_in_spite_of_the_link() {
    let blind = with_causes(Causes::Ignored, None);
    assert!(blind < 80.0, "{blind}");
    // The cause is reported when the packet would have arrived, or well after it counted as lost.
    for told in [Duration::ZERO, Duration::from_millis(50)] {
        for causes in [Causes::Agent, Causes::AccessPoint] {
            let rate = with_causes(causes, Some(told));
            assert!(rate > 150.0, "{causes:?}: {rate}");
        }
    }
}

#[test]
fn marks_alone_are_enough() {
    let sender = Sender::backlogged(SenderConfig::rfc5348(BYTES));
    let config = ReceiverConfig {
        causes: Causes::Ecn,
        ..ReceiverConfig::rfc5348(BYTES)
    };
    let mut session = Session::new(sender, Receiver::new(0, config), Path::plain(HALF));
    let (mut lost, mut marked) = (random(0.05, 4), random(0.01, 5));
    let mut fate = |_: &Data| match (lost(), marked()) {
        (true, _) => Fate::Lost,
        (_, true) => Fate::Marked,
        _ => Fate::Arrives,
    };
    session.run(s(20), &mut fate, |_, _, _| {});
    let before = session.sent;
    session.run(s(320), &mut fate, |_, _, _| {});
    // One packet of a hundred is marked: the rate is as if these were lost and no others.
    assert_within((session.sent - before) as f64 / 300.0, 73.14, 0.15);
}

#[test]
fn several_connections_use_the_rate_that_one_leaves() {
    let lossy = |seed| {
        let mut lost = random(0.05, seed);
        move |_: &Data| if lost() { Fate::Lost } else { Fate::Arrives }
    };
    let single = SenderConfig::rfc5348(BYTES);
    let receiver = ReceiverConfig::rfc5348(BYTES);
    let path = bottleneck(None);
    let mut one = Session::new(Sender::backlogged(single), Receiver::new(0, receiver), path);
    one.run(s(200), lossy(6), |_, _, _| {});

    let bundle = MultiSender::backlogged(single, ParallelConfig::default());
    let mut many = Session::new(bundle, MultiReceiver::new(receiver), path);
    many.run(s(200), lossy(6), |_, sender, _| {
        assert!((1..=16).contains(&sender.states().len()));
    });
    assert!(many.sent > 2 * one.sent, "{} {}", many.sent, one.sent);

    let all = Sender::backlogged(SenderConfig {
        all_in_one: Some(ParallelConfig::default()),
        ..single
    });
    let mut all = Session::new(all, Receiver::new(0, receiver), path);
    all.run(s(200), lossy(6), |_, _, _| {});
    assert!(all.sent > 2 * one.sent, "{} {}", all.sent, one.sent);
}

#[test]
fn the_same_path_gives_the_same_connection() {
    let run = || {
        let sender = MultiSender::backlogged(SenderConfig::ns2(BYTES), ParallelConfig::default());
        let receiver = MultiReceiver::new(ReceiverConfig::ns2(BYTES));
        let mut session = Session::new(sender, receiver, bottleneck(None));
        let mut lost = random(0.03, 7);
        let mut log = Vec::new();
        session.run(
            s(30),
            |data| {
                log.push(*data);
                if lost() { Fate::Lost } else { Fate::Arrives }
            },
            |_, _, _| {},
        );
        (log, session.told)
    };
    assert!(run() == run());
}
