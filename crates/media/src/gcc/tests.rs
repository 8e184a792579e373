use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::feedback::{Feedback, Interval, Metric, Receiver};
use crate::sender::{Backlog, Numbered, Sender};

/// A path with one queue: packets and reports take 25 ms each way.
struct Way {
    /// In bit/s.
    rate: f64,
    /// Every n-th packet is lost.
    loses: Option<u64>,
}

/// What a run has seen.
#[derive(Debug, PartialEq)]
struct Seen {
    /// When packets left, and their bytes.
    sent: Vec<(u64, u32)>,
    /// The target rate at each second.
    targets: Vec<f64>,
    /// The longest wait in the queue after 10 s, in ms.
    longest: f64,
    probes: f64,
}

fn known(sender: &Sender, wanted: &str) -> f64 {
    let mut found = None;
    sender.control().explain(&mut |name, value| {
        if name == wanted {
            found = value.number();
        }
    });
    found.expect("the control knows it")
}

/// Runs for so many seconds, in steps of 0.25 ms.
fn run(config: Config, way: &Way, seconds: u64) -> Seen {
    let mut sender = Sender::new(Box::new(Gcc::new(config)));
    let mut supply = Backlog::new(1000);
    let mut receiver = Receiver::new(Interval::Fixed(config.interval));
    let mut forward: VecDeque<(u64, u16, u32)> = VecDeque::new();
    let mut back: VecDeque<(u64, Feedback)> = VecDeque::new();
    let mut seen = Seen {
        sent: Vec::new(),
        targets: Vec::new(),
        longest: 0.0,
        probes: 0.0,
    };
    let mut free = 0_u64;
    let trip = 25_000_000;
    for step in 0..seconds * 4000 {
        let nanos = step * 250_000;
        let now = Instant::from_nanos(nanos);
        let mut out = |packet: Numbered<()>| {
            seen.sent.push((nanos, packet.bytes));
            if way.loses.is_some_and(|n| packet.sequence % n == n - 1) {
                return;
            }
            let begins = free.max(nanos);
            if seconds > 10 && nanos > 10_000_000_000 {
                seen.longest = seen.longest.max((begins - nanos) as f64 / 1e6);
            }
            free = begins + (f64::from(packet.bytes) * 8e9 / way.rate) as u64;
            forward.push_back((free + trip, packet.sequence as u16, packet.bytes));
        };
        while let Some((_, report)) = back.pop_front_if(|(at, _)| *at <= nanos) {
            sender.on_feedback(now, &report, &mut supply, &mut out);
        }
        sender.on_timer(now, &mut supply, &mut out);
        while let Some((_, number, bytes)) = forward.pop_front_if(|(at, ..)| *at <= nanos) {
            receiver.on_packet(now, number, bytes, Ecn::NotEct);
        }
        let mut report = Feedback::with_room();
        if receiver.report(now, &mut report) {
            back.push_back((nanos + trip, report));
        }
        if step % 4000 == 3999 {
            seen.targets.push(sender.target_rate());
        }
    }
    seen.probes = known(&sender, "probes");
    seen
}

fn config() -> Config {
    Config::default()
}

/// The estimate settles below the capacity, and the queue stays short; the same calls have the same results.
#[test]
fn the_rate_settles_below_the_capacity() {
    let way = Way {
        rate: 1e6,
        loses: None,
    };
    let seen = run(config(), &way, 40);
    let late = &seen.targets[20..];
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((0.7e6..=1.02e6).contains(&mean), "{late:?}");
    assert!(seen.longest < 300.0, "{} ms", seen.longest);
    assert_eq!(run(config(), &way, 40), seen);
}

/// Without probes, the rate would grow by 8 % a second: from 150 kb/s to 1.5 Mb/s in 30 s.
#[test]
fn probes_find_a_fast_path() {
    let way = Way {
        rate: 10e6,
        loses: None,
    };
    let seen = run(config(), &way, 5);
    assert!(seen.probes >= 2.0, "{}", seen.probes);
    assert_eq!(seen.targets[4], 1.5e6, "{:?}", seen.targets);
}

/// WebRTC's loss-based estimator tolerates some loss, and gives way to more.
#[test]
fn losses_slow_it_down() {
    let at = |loses| {
        let way = Way { rate: 10e6, loses };
        run(config(), &way, 30).targets[29]
    };
    let (few, many) = (at(Some(200)), at(Some(5)));
    assert!(few > 1e6 && many < 0.5 * few, "{few} {many}");
}

/// A report that has no arrival must not reach the crate, which would panic; its losses are told with the next one.
#[test]
fn losses_wait_for_an_arrival() {
    let mut control = Gcc::new(config());
    let ms = |ms| Instant::from_nanos(ms * 1_000_000);
    for sequence in 0..3 {
        control.on_sent(&Sent {
            now: ms(10 * sequence),
            sequence,
            bytes: 1000,
            in_flight: 1000 * (sequence + 1),
        });
    }
    let packet = |sequence, fate| Known {
        sequence,
        sent_at: ms(10 * sequence),
        bytes: 1000,
        fate,
    };
    control.on_report(&control_report(ms(80), &[packet(0, Fate::Missing)]));
    assert_eq!(control.news.len(), 1);
    let arrived = Fate::Arrived {
        at: Some(ms(70)),
        ecn: Ecn::NotEct,
        missing_since: None,
    };
    control.on_report(&control_report(ms(100), &[packet(1, arrived)]));
    assert_eq!(control.news.len(), 0);
}

fn control_report(now: Instant, packets: &[Known]) -> Report<'_> {
    Report {
        now,
        packets,
        rtt: None,
        newly_acked: 1000,
        in_flight: 0,
    }
}

/// What a hostile receiver does at a step: an honest report, one of any packets with any arrival times, or silence.
#[derive(Clone, Debug)]
enum Turn {
    Honest,
    Forged(u16, u32, Vec<Option<u16>>),
    Silent(u64),
}

fn turn() -> impl Strategy<Value = Turn> {
    let offsets = proptest::collection::vec(proptest::option::of(any::<u16>()), 0..20);
    prop_oneof![
        4 => Just(Turn::Honest),
        4 => (0_u16..400, any::<u32>(), offsets.clone()).prop_map(|(a, b, c)| Turn::Forged(a, b, c)),
        2 => (0_u16..400, 0_u32..2_000_000, offsets).prop_map(|(a, b, c)| Turn::Forged(a, b, c)),
        1 => (0_u64..3_000_000_000).prop_map(Turn::Silent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever reports say, nothing panics, and rates stay within their bounds.
    #[test]
    fn no_report_moves_the_rate_out_of_its_bounds(turns in proptest::collection::vec(turn(), 1..120)) {
        // The estimate may be twice as large as the encoder's largest rate.
        let config = Config { rate_max: 200e3, ..config() };
        let mut sender = Sender::new(Box::new(Gcc::new(config)));
        let mut supply = Backlog::new(1000);
        let mut receiver = Receiver::new(Interval::Fixed(Duration::from_millis(50)));
        let (mut now, mut numbers) = (Instant::from_nanos(1), Vec::new());
        for turn in turns {
            let mut out = |packet: Numbered<()>| numbers.push((packet.sequence as u16, packet.bytes));
            let mut report = Feedback::with_room();
            match turn {
                Turn::Honest => {
                    now = now + Duration::from_millis(50);
                    sender.on_timer(now, &mut supply, &mut out);
                    for (number, bytes) in std::mem::take(&mut numbers) {
                        receiver.on_packet(now, number, bytes, Ecn::NotEct);
                    }
                    if !receiver.report(now, &mut report) {
                        continue;
                    }
                }
                Turn::Forged(begin, reported_at, offsets) => {
                    now = now + Duration::from_millis(3);
                    report.begin = begin;
                    report.reported_at = reported_at;
                    report.metrics.extend(offsets.into_iter().map(|offset| match offset {
                        None => Metric::MISSING,
                        Some(offset) => Metric::received(Ecn::Ce, Some(u64::from(offset >> 3))),
                    }));
                }
                Turn::Silent(nanos) => {
                    now = now + Duration::from_nanos(nanos);
                    sender.on_timer(now, &mut supply, &mut out);
                    continue;
                }
            }
            sender.on_feedback(now, &report, &mut supply, |packet| {
                numbers.push((packet.sequence as u16, packet.bytes));
            });
            let target = sender.target_rate();
            prop_assert!((150e3..=200e3).contains(&target), "{target}");
            prop_assert!(sender.control().pacing_rate().is_finite());
        }
    }
}

/// A receiver that says of every packet that it arrived at once, and of those of a probe that they arrived together: no
/// estimate is above what the fastest probe was sent at, twice the encoder's largest rate, or 1.5 times what was sent.
#[test]
fn a_receiver_that_flatters_makes_it_no_faster_than_its_rule() {
    for together in [false, true] {
        let mut sender = Sender::new(Box::new(Gcc::new(config())));
        let mut supply = Backlog::new(1000);
        let (mut numbers, mut window) = (Vec::new(), VecDeque::new());
        let (mut fastest, mut largest) = (0.0_f64, 0.0_f64);
        for at in 1..20_000_u64 {
            let now = Instant::from_nanos(at * 1_000_000);
            sender.on_timer(now, &mut supply, |packet| {
                numbers.push(packet.sequence as u16);
                window.push_back((at, packet.bytes));
            });
            while window.pop_front_if(|(then, _)| *then + 500 < at).is_some() {}
            let bytes: u32 = window.iter().map(|(_, bytes)| bytes).sum();
            fastest = fastest.max(f64::from(bytes) * 16.0);
            if !together || at % 50 == 0 {
                for begin in std::mem::take(&mut numbers) {
                    let report = Feedback {
                        reported_at: (at * 65_536 / 1000) as u32,
                        begin,
                        metrics: vec![Metric::received(Ecn::NotEct, Some(0))],
                    };
                    sender.on_feedback(now, &report, &mut supply, |packet| {
                        window.push_back((at, packet.bytes));
                    });
                }
            }
            let estimate = known(&sender, "estimate");
            largest = largest.max(estimate);
            let most = (1.5 * fastest + 10e3).max(3e6);
            assert!(estimate <= most, "{at} ms: {estimate} {most}");
        }
        // It does become faster: the flattery is believed up to there.
        assert!(largest > 2e6, "{largest}");
    }
}

/// An emulator builds its simulated flows in one thread, runs them in a second one, and drops them in a third.
#[test]
fn a_control_may_run_in_another_thread_than_the_one_that_made_it() {
    let mut sender = Sender::new(Box::new(Gcc::new(Config::default())));
    let sent = std::thread::spawn(move || {
        let (mut supply, mut count) = (Backlog::new(1000), 0);
        for ms in 0..1000 {
            let now = Instant::from_nanos(ms * 1_000_000);
            sender.on_timer(now, &mut supply, |_| count += 1);
        }
        (sender, count)
    });
    let (sender, count) = sent.join().expect("no panic");
    assert!(count > 10, "{count}");
    std::thread::spawn(move || drop(sender))
        .join()
        .expect("no panic");
}
