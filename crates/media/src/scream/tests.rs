//! Check vectors that were worked out by hand from the RFC's pseudocode, and properties.

use proptest::prelude::*;

use super::*;
use crate::control::{Ecn, Fate, Known};

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

fn known(sequence: u64, sent_ms: u64, arrived_ms: Option<u64>, ecn: Ecn) -> Known {
    let arrived = |at| Fate::Arrived {
        at: Some(ms(at)),
        ecn,
        missing_since: None,
    };
    Known {
        sequence,
        sent_at: ms(sent_ms),
        bytes: 1000,
        fate: arrived_ms.map_or(Fate::Missing, arrived),
    }
}

fn report(now: u64, packets: &[Known], in_flight: u64) -> Report<'_> {
    Report {
        now: ms(now),
        packets,
        rtt: Some(Duration::from_millis(100)),
        newly_acked: 1000 * packets.len() as u64,
        in_flight,
    }
}

/// A sender that has been sending for a while, with this window and as many bytes in flight.
fn with_window(cwnd: f64) -> Scream {
    let mut scream = Scream::new(Config::default());
    scream.on_sent(&Sent {
        now: ms(1000),
        sequence: 0,
        bytes: 1000,
        in_flight: cwnd as u64,
    });
    scream.cwnd = cwnd;
    scream.srtt = Some(0.1);
    scream
}

#[test]
fn fast_increase_adds_what_was_acknowledged() {
    let mut scream = with_window(10_000.0);
    let packets: Vec<Known> = (0..3)
        .map(|n| known(n, 900, Some(950), Ecn::NotEct))
        .collect();
    scream.on_report(&report(1010, &packets, 7000));
    assert_eq!(scream.cwnd, 13_000.0);
    // 1.5 times 5000 in flight and 3000 are less than 13,000: the window is not used.
    scream.on_report(&report(1020, &packets, 5000));
    assert_eq!(scream.cwnd, 13_000.0);
}

/// By hand: at a queueing delay of 25 ms the window grows by 0.75 2000 1000/10000 = 150 bytes; at 150 ms it shrinks by
/// 0.5 2000 1000/10150 = 98.52.
#[test]
fn outside_fast_increase_the_window_follows_the_delay() {
    let mut scream = with_window(10_000.0);
    scream.fast = false;
    scream.config.compensation = false;
    let mut send = |delay: u64, now| {
        let packets = [known(1, 900, Some(950 + delay), Ecn::NotEct); 2];
        scream.on_report(&report(now, &packets, 9000));
        scream.cwnd
    };
    assert_eq!(send(0, 1010), 10_200.0);
    scream.cwnd = 10_000.0;
    let mut send = |delay: u64, now| {
        let packets = [known(1, 900, Some(950 + delay), Ecn::NotEct); 2];
        scream.on_report(&report(now, &packets, 9000));
        scream.cwnd
    };
    assert!((send(25, 1020) - 10_150.0).abs() < 1e-9);
    assert!((send(150, 1030) - 10_051.478).abs() < 1e-3);
}

#[test]
fn the_window_stays_near_what_was_in_flight() {
    let mut scream = with_window(10_000.0);
    scream.fast = false;
    scream.cwnd = 30_000.0;
    scream.on_report(&report(
        1010,
        &[known(1, 900, Some(950), Ecn::NotEct)],
        9000,
    ));
    assert!((scream.cwnd - 11_000.0).abs() < 1e-9);
}

/// Section 4.1.2.1: once in a round-trip time, 0.8 for losses and 0.9 for marks; the rate 0.9 for both.
#[test]
fn losses_and_marks_reduce_window_and_rate() {
    let mut scream = with_window(20_000.0);
    scream.target = 1e6;
    let lost = [
        known(1, 900, None, Ecn::NotEct),
        known(2, 900, Some(950), Ecn::NotEct),
    ];
    scream.on_report(&report(1010, &lost, 18_000));
    assert_eq!(
        (scream.cwnd, scream.target, scream.fast),
        (16_000.0, 900e3, false)
    );
    scream.on_report(&report(1020, &lost, 18_000));
    assert!(scream.cwnd >= 16_000.0);
    let mut scream = with_window(20_000.0);
    scream.target = 1e6;
    let marked = [known(1, 900, Some(950), Ecn::Ce)];
    scream.on_report(&report(1010, &marked, 18_000));
    assert_eq!((scream.cwnd, scream.target), (18_000.0, 900e3));
    scream.cwnd = 3100.0;
    scream.on_report(&report(2000, &lost, 18_000));
    assert_eq!(scream.cwnd, 3000.0);
}

/// Section 4.1.2.4: a packet that arrives 30 ms after it was missed makes the window 30 ms.
#[test]
fn packets_that_are_overtaken_are_not_lost() {
    let mut scream = with_window(20_000.0);
    let missing = |n| {
        [
            known(n, 900, None, Ecn::NotEct),
            known(n + 1, 900, Some(950), Ecn::NotEct),
        ]
    };
    scream.on_report(&report(1010, &missing(1), 18_000));
    assert_eq!(scream.cwnd, 16_000.0);
    let late = Known {
        fate: Fate::Arrived {
            at: Some(ms(960)),
            ecn: Ecn::NotEct,
            missing_since: Some(ms(1010)),
        },
        ..known(1, 900, None, Ecn::NotEct)
    };
    scream.on_report(&report(1040, &[late], 18_000));
    assert_eq!(scream.losses.window, Duration::from_millis(30));
    let before = scream.cwnd;
    scream.on_report(&report(2000, &missing(3), 18_000));
    assert!(scream.cwnd >= before);
    scream.on_report(&report(
        2031,
        &[known(5, 900, Some(950), Ecn::NotEct)],
        18_000,
    ));
    assert!((scream.cwnd - 0.8 * before).abs() < 300.0);
}

/// Sections 4.1.2.5 and 4.1.2.6.
#[test]
fn window_and_pacing() {
    let mut scream = with_window(20_000.0);
    assert_eq!(scream.window(), Some(21_000));
    assert!((scream.pacing_rate() - 1.6e6).abs() < 1e-6);
    scream.delay.now = 0.11;
    assert_eq!(scream.window(), Some(20_000));
    scream.srtt = Some(10.0);
    assert_eq!(scream.pacing_rate(), 50e3);
}

/// Section 4.1.3 by hand. Fast increase at 300 kb/s: half of it is below 200 kb/s a second, so 0.2 s add 30 kb/s; the
/// scale is 1 far from the last maximum. Near it, at 950 kb/s of 1 Mb/s, (0.05 4)^2 = 0.04 counts as 0.2: 200 kb/s
/// 0.2 s 0.2 = 8 kb/s.
#[test]
fn the_rate_rises_by_the_ramp_up_speed() {
    let mut scream = with_window(20_000.0);
    let mut adjust = |target: f64, last_max: f64, fast, waiting, remembered| {
        (scream.target, scream.last_max, scream.fast) = (target, last_max, fast);
        scream.delay.remembered = remembered;
        // 1 Mb/s in 200 ms.
        scream.rates = Rates::new();
        scream.rates.measure(ms(0), waiting);
        scream.rates.on_sent(25_000);
        scream.waiting = waiting;
        scream.adjust(ms(200));
        scream.target
    };
    assert!((adjust(300e3, 1.0, true, 0, 0.0) - 330e3).abs() < 1e-6);
    assert!((adjust(950e3, 1e6, true, 0, 0.0) - 958e3).abs() < 1e-6);
    // Outside fast increase: min(1e6, 40e3), then 0.95 because 5 kB wait for 40 ms.
    assert!((adjust(800e3, 1.0, false, 0, 0.0) - 840e3).abs() < 1e-6);
    assert!((adjust(800e3, 1.0, false, 5000, 0.0) - 798e3).abs() < 1e-6);
    // 150 kB are 1.2 Mb: 1 - 1.2 = -0.2 Mb/s, and times 0.95.
    assert!((adjust(1e6, 1.0, false, 150_000, 0.0) - 760e3).abs() < 1e-6);
    // At most the current rate times 2 less the remembered trend.
    assert!((adjust(1.45e6, 1.0, true, 0, 0.7) - 1.3e6).abs() < 1e-6);
    assert_eq!(adjust(1.49e6, 1.0, true, 0, 0.0), 1.5e6);
}

#[test]
fn fast_increase_resumes_after_five_quiet_seconds() {
    let mut scream = with_window(20_000.0);
    let lost = [
        known(1, 900, None, Ecn::NotEct),
        known(2, 900, Some(950), Ecn::NotEct),
    ];
    scream.on_report(&report(1000, &lost, 18_000));
    let good = [known(3, 900, Some(950), Ecn::NotEct)];
    scream.on_report(&report(5900, &good, 18_000));
    assert!(!scream.fast);
    scream.on_report(&report(6000, &good, 18_000));
    assert!(scream.fast);
}

#[test]
fn silence_lets_one_packet_go_at_the_least_rate() {
    let mut scream = with_window(3000.0);
    scream.in_flight = 9000;
    // 2 round-trip times and 400 ms.
    scream.on_timer(ms(1600));
    assert_eq!(scream.window(), Some(4000));
    scream.on_timer(ms(1601));
    assert_eq!(scream.window(), Some(9001));
    scream.on_sent(&Sent {
        now: ms(1601),
        sequence: 9,
        bytes: 1000,
        in_flight: 10_000,
    });
    // 1000 bytes take 160 ms at 50 kb/s.
    scream.on_timer(ms(1760));
    assert_eq!(scream.window(), Some(4000));
    scream.on_timer(ms(1761));
    assert_eq!(scream.window(), Some(10_001));
}

fn packet() -> impl Strategy<Value = (u64, Option<u64>, u8)> {
    (0_u64..200, proptest::option::of(0_u64..3000), 0_u8..4)
}

proptest! {
    /// Whatever reports say, rate and window stay within their bounds, and the window grows by no more than what was
    /// acknowledged.
    #[test]
    fn no_report_makes_it_faster_than_its_rule(
        reports in proptest::collection::vec(
            (proptest::collection::vec(packet(), 0..30), 0_u64..2000, 0_u64..50_000, 0_u64..100_000),
            1..40,
        ),
    ) {
        let config = Config::default();
        let mut scream = Scream::new(config);
        let (mut now, mut sequence, mut sent) = (10_000, 0, 0);
        for (packets, gap, in_flight, waiting) in reports {
            now += gap;
            scream.on_waiting(ms(now), waiting);
            scream.on_sent(&Sent { now: ms(now), sequence, bytes: 1000, in_flight: in_flight + 1000 });
            let packets: Vec<Known> = packets.iter().map(|&(step, delay, ecn)| {
                sent = (sent + step).min(now);
                sequence += 1;
                known(sequence, sent, delay.map(|delay| sent + delay), Ecn::from_bits(ecn))
            }).collect();
            let before = scream.cwnd;
            scream.on_report(&report(now, &packets, in_flight));
            let acked = 1000.0 * packets.len() as f64;
            prop_assert!(scream.cwnd >= 3000.0 && scream.cwnd <= (before + acked).max(3000.0));
            let target = scream.target;
            scream.on_timer(ms(now + gap));
            prop_assert!(scream.target >= 150e3 && scream.target <= 1.5e6);
            prop_assert!(scream.target <= target + 40e3 + 1e-6);
            prop_assert!(scream.delay.target >= 0.1 && scream.delay.target <= 0.4);
            prop_assert!((0.0..=1.0).contains(&scream.delay.trend));
        }
    }
}
