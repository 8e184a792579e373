//! The response function: RFC 9438, section 5.1, tables 1 and 2 (average window by loss rate).

use super::*;

/// The average window, in segments, if every `period`th segment is lost. The sender sends its window
/// each RTT, and the receiver acknowledges every segment. The first window is `start`, since the window
/// approaches its equilibrium very slowly.
fn average_window(c: u32, rtt_ms: f64, period: u64, start: f64) -> f64 {
    let config = Config {
        c: Ratio::from_millionths(c),
        // 4.7: to be disabled for a single flow.
        fast_convergence: false,
        ..Config::default()
    };
    let mut control = cubic(&config, start);
    control.rtt.replace(span(rtt_ms));
    let (mut now, mut sent, mut losses) = (10_000.0, 0, 0);
    let (mut rounds, mut sum) = (0_u64, 0.0);
    while losses < 120 {
        let window = control.window().cwnd;
        let spacing = rtt_ms / window.floor() as f64;
        for _ in 0..window.floor() {
            now += spacing;
            sent += 1;
            if sent % period == 0 {
                control.on_loss(&loss(now));
                losses += 1;
            } else {
                ack_at(&mut control, now);
            }
        }
        if losses >= 40 {
            sum += window.as_f64();
            rounds += 1;
        }
    }
    sum / rounds as f64
}

/// Checks the average window to within a tenth. The tables give the larger of two averages where the
/// curve and Reno take turns here, and they assume a continuous window.
#[track_caller]
fn answers(c: u32, rtt_ms: f64, period: u64, expected: f64) {
    let average = average_window(c, rtt_ms, period, expected);
    assert!(
        (average / expected - 1.0).abs() < 0.1,
        "{average} is not {expected}"
    );
}

#[test]
fn table_1_an_rtt_of_100_ms() {
    for (period, c_0_04, c_0_4, c_4) in [
        (100, 12.0, 12.0, 12.0),
        (1_000, 38.0, 38.0, 59.0),
        (10_000, 120.0, 187.0, 333.0),
        (100_000, 593.0, 1054.0, 1874.0),
    ] {
        answers(40_000, 100.0, period, c_0_04);
        answers(400_000, 100.0, period, c_0_4);
        answers(4_000_000, 100.0, period, c_4);
    }
}

#[test]
fn table_2_an_rtt_of_10_ms() {
    for (period, expected) in [
        (100, 12.0),
        (1_000, 38.0),
        (10_000, 120.0),
        (100_000, 379.0),
    ] {
        for c in [40_000, 400_000, 4_000_000] {
            answers(c, 10.0, period, expected);
        }
    }
}

/// 4.3, figure 3, with alpha = 9/17 and beta = 0.7: sqrt(1.5 / p), which is Reno's.
#[test]
fn the_reno_friendly_region_has_the_average_window_of_reno() {
    for (period, expected) in [
        (100, 12.247_449),
        (1_000, 38.729_833),
        (10_000, 122.474_487),
    ] {
        let average = average_window(40_000, 10.0, period, expected);
        assert!(
            (average / expected - 1.0).abs() < 0.01,
            "{average} is not {expected}"
        );
    }
}
