//! Check vectors that were worked out by hand from the RFC's formulas, and properties.

use proptest::prelude::*;

use super::signal::warp;
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

fn report(now: u64, packets: &[Known], rtt: u64) -> Report<'_> {
    Report {
        now: ms(now),
        packets,
        rtt: Some(Duration::from_millis(rtt)),
        newly_acked: 1000 * packets.len() as u64,
        in_flight: 1000,
    }
}

fn at(rate: f64) -> Nada {
    let mut nada = Nada::new(Config::default());
    nada.rate = rate;
    nada
}

/// Equation 1 by hand: 50 exp(-0.5 (150 - 50)/50) = 50/e = 18.394 ms; at 400 ms, 50 exp(-3.5) = 1.5099 ms.
#[test]
fn long_delays_are_warped() {
    let warped = |delay| warp(delay, &Config::default());
    assert_eq!(warped(0.049), 0.049);
    assert!((warped(0.15) - 0.018_394).abs() < 1e-6);
    assert!((warped(0.4) - 0.001_509_9).abs() < 1e-6);
}

/// Equation 3 by hand: with a round-trip time of 100 ms, 50/(100 + 100 + 120) = 0.15625.
#[test]
fn the_ramp_up_depends_on_the_round_trip_time() {
    let mut nada = at(200e3);
    nada.rtt = 0.1;
    assert!((nada.ramp_up(400e3) - 462_500.0).abs() < 1e-6);
    assert_eq!(nada.ramp_up(100e3), 200e3);
    // GAMMA_MAX needs small intervals: 50/(0 + 10 + 10) is 2.5.
    (nada.config.delta, nada.config.dfilt, nada.rtt) = (0.01, 0.01, 0.0);
    assert!((nada.ramp_up(400e3) - 600e3).abs() < 1e-6);
}

/// Equations 5 to 7 by hand, at 1 Mb/s: the offset of a signal of 25 ms is 25 - 10 1.5/1 = 10 ms, its change from 15 ms
/// is 10 ms. So 1 - 0.5 0.2 0.02 - 0.5 2 0.02 = 0.978.
#[test]
fn the_gradual_update() {
    let mut nada = at(1e6);
    nada.x = 0.015;
    assert!((nada.update(0.025, 0.1) - 978e3).abs() < 1e-6);
    // At the equilibrium of 15 ms nothing changes.
    assert!((nada.update(0.015, 0.1) - 1e6).abs() < 1e-6);
}

/// The example of section 5.2.2: 2000 bytes change the rate by 48 kb/s. The bound is 5 %.
#[test]
fn waiting_bytes_shift_the_rates() {
    let mut nada = at(1e6);
    nada.on_waiting(ms(0), 2000);
    assert!((nada.target_rate() - 952e3).abs() < 1e-6);
    assert!((nada.pacing_rate() - 1_048e3).abs() < 1e-6);
    nada.on_waiting(ms(0), 1_000_000);
    assert!((nada.target_rate() - 950e3).abs() < 1e-6);
    nada.rate = 150e3;
    assert_eq!(nada.target_rate(), 150e3);
}

/// Equations 2 and 10 by hand. Of ten packets that are sent within LOGWIN, the fourth is lost: after it the ratios over
/// the window are 1/5, 1/6, ... 1/10 at the six packets that arrive. With ALPHA = 0.1, p_loss goes
/// 0.02, 0.034667, 0.045486, 0.053437, 0.059204, 0.063284; the penalty is 10 ms 6.3284^2 = 400.5 ms.
#[test]
fn a_lost_packet_is_a_delay() {
    let packets: Vec<Known> = (0..10)
        .map(|n| known(n, 20 * n, (n != 3).then_some(20 * n + 50), Ecn::Ect0))
        .collect();
    let mut nada = at(1e6);
    nada.on_report(&report(300, &packets, 100));
    assert!(
        (nada.observer.loss - 0.063_284).abs() < 1e-6,
        "{}",
        nada.observer.loss
    );
    assert!((nada.x - 0.400_49).abs() < 1e-4, "{}", nada.x);
    assert!(!nada.accelerated && nada.rate < 1e6);
}

/// By hand: of five packets the last is marked, so p_mark = 0.1 0.2 = 0.02, and the penalty is 2 ms 2^2.
#[test]
fn a_mark_is_a_shorter_delay() {
    let packets: Vec<Known> = (0..5)
        .map(|n| {
            known(
                n,
                20 * n,
                Some(20 * n + 50),
                if n == 4 { Ecn::Ce } else { Ecn::Ect0 },
            )
        })
        .collect();
    let mut nada = at(1e6);
    nada.on_report(&report(300, &packets, 100));
    assert!((nada.x - 0.008).abs() < 1e-9, "{}", nada.x);
}

/// The queue counts when the smallest of 15 delays is long.
#[test]
fn a_spike_is_filtered_out() {
    let mut nada = at(1e6);
    let spike: Vec<Known> = (0..20)
        .map(|n| {
            known(
                n,
                20 * n,
                Some(20 * n + if n == 15 { 500 } else { 50 }),
                Ecn::NotEct,
            )
        })
        .collect();
    nada.on_report(&report(500, &spike, 100));
    assert!(nada.accelerated);
    let queue: Vec<Known> = (20..40)
        .map(|n| known(n, 20 * n, Some(20 * n + 90), Ecn::NotEct))
        .collect();
    nada.on_report(&report(900, &queue, 140));
    assert!((nada.observer.queueing - 0.04).abs() < 1e-9);
    assert!(!nada.accelerated);
}

/// Section 4.2, by hand: after losses every 10 packets the delay is warped for 70 packets; 75 packets after the last one
/// the mean of the warped and the true one counts, (18.394 + 150)/2 = 84.197 ms, and from the 80th on the true one. With
/// the open interval in the average, it is warped for ever.
#[test]
fn a_loss_is_forgotten_after_seven_intervals() {
    for with_open in [false, true] {
        let config = Config {
            with_open,
            ..Config::default()
        };
        let mut observer = Observer::new();
        let mut signals = Vec::new();
        for n in 0..2000 {
            // Number 9 is the tenth packet.
            let lost = n % 10 == 9 && n < 100;
            let delay = if n < 50 { 50 } else { 200 };
            let packet = known(n, 20 * n, (!lost).then_some(20 * n + delay), Ecn::NotEct);
            observer.add(ms(20 * n), &packet, Duration::from_millis(1), &config);
            // Without the penalty for losses.
            observer.loss = 0.0;
            signals.push(observer.signal(&config).x);
        }
        let later = [
            (168, 0.018_394),
            (174, 0.084_197),
            (179, 0.15),
            (1999, 0.15),
        ];
        for (n, signal) in later {
            let expected = if with_open { 0.018_394 } else { signal };
            assert!(
                (signals[n] - expected).abs() < 1e-5,
                "{with_open}: {n}: {}",
                signals[n]
            );
        }
    }
}

#[test]
fn silence_halves_the_rate_again_and_again() {
    let mut nada = at(1.2e6);
    nada.rtt = 0.1;
    nada.on_sent(&Sent {
        now: ms(0),
        sequence: 0,
        bytes: 1000,
        in_flight: 1000,
    });
    // 5 DELTA and 2 round-trip times.
    assert_eq!(nada.deadline(), Some(ms(700)));
    for (now, rate) in [
        (699, 1.2e6),
        (700, 600e3),
        (1399, 600e3),
        (1400, 300e3),
        (9000, 150e3),
    ] {
        nada.on_timer(ms(now));
        assert_eq!(nada.rate, rate, "{now}");
    }
}

fn packet() -> impl Strategy<Value = (u64, Option<u64>, u8)> {
    (0_u64..200, proptest::option::of(0_u64..3000), 0_u8..4)
}

proptest! {
    /// Whatever reports say, the rate stays within its bounds, is a number, and rises at most as the rules allow: by
    /// equation 4 to 1.5 times what was sent in LOGWIN, or by equations 5 to 7 with a signal of zero.
    #[test]
    fn no_report_makes_it_faster_than_its_rule(
        reports in proptest::collection::vec((proptest::collection::vec(packet(), 0..30), 0_u64..2000, 0_u64..5000), 1..40),
    ) {
        let config = Config::default();
        let mut nada = Nada::new(config);
        let (mut now, mut sequence, mut sent) = (10_000, 0, 0);
        for (packets, gap, rtt) in reports {
            now += gap;
            let packets: Vec<Known> = packets.iter().map(|&(step, delay, ecn)| {
                sent = (sent + step).min(now);
                sequence += 1;
                known(sequence, sent, delay.map(|delay| sent + delay), Ecn::from_bits(ecn))
            }).collect();
            let (before, x) = (nada.rate, nada.x);
            nada.on_report(&report(now, &packets, rtt));
            prop_assert!(nada.rate >= config.rmin && nada.rate <= config.rmax);
            prop_assert!(nada.x >= 0.0 && nada.x <= 3.2767);
            let gradual = before * (1.0 + 0.5 * (0.01 * 1.5e6 / before / 0.5 + 2.0 * x / 0.5));
            let window: f64 = nada.observer.bytes_in_window() * 8.0 / 0.5;
            prop_assert!(nada.rate <= gradual.max(1.5 * window).max(config.rmin) + 1e-6);
            prop_assert!(nada.target_rate() <= nada.rate && nada.pacing_rate() <= config.rmax);
        }
    }
}
