use super::*;
use crate::algorithm::testing::{
    ack, assert_near, assert_segments, at, loss, number, path, sample, segments, span, timeout,
};

extern crate std;

mod limited;
mod model;
mod response;
mod whole;

/// A control in congestion avoidance with this window and an RTT of 100 ms, before any loss.
fn cubic(config: &Config, cwnd: f64) -> Cubic {
    let mut control = Cubic::new(config, &path(cwnd, 2.0));
    control.on_sample(&sample(1000.0, 100.0));
    control
}

fn without_reno() -> Config {
    Config {
        reno_friendly: false,
        ..Config::default()
    }
}

/// Passes an ACK of one segment.
fn ack_at(control: &mut Cubic, ms: f64) {
    acked_at(control, ms, 1.0);
}

fn acked_at(control: &mut Cubic, ms: f64, acked: f64) {
    control.on_ack(&Ack {
        now: at(ms),
        ..ack(acked)
    });
}

fn limited_at(control: &mut Cubic, ms: f64) {
    control.on_ack(&Ack {
        now: at(ms),
        app_limited: true,
        ..ack(1.0)
    });
}

/// A control after a loss at 36 segments: cwnd 25.2, so K = cbrt(10.8 / 0.4) = 3 s.
fn after_a_loss_at_36(config: &Config) -> Cubic {
    let mut control = cubic(config, 36.0);
    control.on_loss(&loss(9900.0));
    control
}

#[track_caller]
fn follows(control: &Cubic, branch: Branch, cwnd: f64) {
    assert_eq!(control.branch, branch);
    assert_segments(control.window().cwnd, cwnd);
}

/// 4.2: K = cbrt((100 - 70) / 0.4) = cbrt(75) = 4.2171633 s.
/// W_cubic = 100 + 0.4 (t - 4.2171633)^3: 70, 86.680764 after 1 s, 100.191899 after 5 s.
#[test]
fn the_window_of_the_loss_is_reached_after_k() {
    let mut control = cubic(&Config::default(), 100.0);
    control.on_loss(&loss(9900.0));
    follows(&control, Branch::FirstLoss, 70.0);
    assert_segments(control.window().ssthresh, 70.0);
    for (t, expected) in [(0.0, 70.0), (1.0, 86.680_764), (5.0, 100.191_899)] {
        ack_at(&mut control, 10_000.0 + t * 1000.0);
        assert_near(number(&control, "k"), 4.217_163_3);
        assert_near(number(&control, "w_cubic"), expected);
    }
}

/// 4.2, with K = 3 s: 36 + 0.4 (t - 3)^3.
#[test]
fn the_curve_is_concave_before_k_and_convex_after_it() {
    let mut control = after_a_loss_at_36(&Config::default());
    let points = [
        (0.0, 25.2),
        (1.0, 32.8),
        (2.0, 35.6),
        (3.0, 36.0),
        (4.0, 36.4),
        (5.0, 39.2),
        (6.0, 46.8),
    ];
    for (t, expected) in points {
        ack_at(&mut control, 10_000.0 + t * 1000.0);
        assert_near(number(&control, "k"), 3.0);
        assert_near(number(&control, "w_cubic"), expected);
    }
}

/// 4.4: target = W_cubic(0.1) = 36 - 0.4 * 2.9^3 = 26.2444, step 1.0444 / 25.2 = 0.04144444;
/// then W_cubic(0.11) = 36 - 0.4 * 2.89^3 = 26.3449724, step 1.10352796 / 25.24144444.
#[test]
fn an_ack_adds_the_distance_to_the_target_over_cwnd() {
    let mut control = after_a_loss_at_36(&without_reno());
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::Concave, 25.241_444_4);
    ack_at(&mut control, 10_010.0);
    follows(&control, Branch::Concave, 25.285_163_3);
}

/// The target at the first ACK is 26.2444. The ACK covers 2 segments, half of one, or 500.
#[test]
fn the_step_depends_on_how_acks_are_counted() {
    for (counting, acked, expected) in [
        (Counting::Ack, 2.0, 25.241_444_4),
        (Counting::Segment, 2.0, 25.241_444_4),
        (Counting::Segment, 0.5, 25.220_722_2),
        (Counting::Abc, 2.0, 25.282_888_9),
        (Counting::Abc, 500.0, 26.2444),
    ] {
        let mut config = without_reno();
        config.growth.counting = counting;
        let mut control = after_a_loss_at_36(&config);
        acked_at(&mut control, 10_000.0, acked);
        follows(&control, Branch::Concave, expected);
    }
}

/// 4.2: W_cubic(20.1) = 36 + 0.4 * 17.1^3 = 2036 is far above 1.5 cwnd, so an ACK adds 1/2.
/// With an RTT of 3.5 s the first target is above the plateau, but below 1.5 cwnd = 37.8:
/// 36 + 0.4 * (3.5 - 3)^3 = 36.05.
#[test]
fn the_target_is_at_most_half_a_window_away() {
    let mut control = after_a_loss_at_36(&without_reno());
    ack_at(&mut control, 10_000.0);
    ack_at(&mut control, 30_000.0);
    follows(&control, Branch::Concave, 25.741_444_4);

    let mut control = after_a_loss_at_36(&without_reno());
    control.rtt.replace(span(3500.0));
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::Concave, 25.2 + 10.85 / 25.2);
}

/// 4.2: an RTT of 2.9 s looks ahead to 35.9996, one of 1 ms to 25.2108, which lowers nothing.
#[test]
fn the_target_is_at_least_the_window() {
    let mut control = after_a_loss_at_36(&without_reno());
    control.rtt.replace(span(2900.0));
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::Concave, 25.628_555_6);
    control.rtt.replace(span(1.0));
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::Concave, 25.628_555_6);
}

/// 4.5: beyond the plateau the same step is called convex. At a cwnd of 36 and t = 6 s,
/// W_cubic(6.1) = 36 + 0.4 * 3.1^3 = 47.9164, and the step is 11.9164 / 36.
#[test]
fn beyond_the_plateau_the_region_is_convex() {
    let mut control = after_a_loss_at_36(&without_reno());
    ack_at(&mut control, 10_000.0);
    control.growth.set_cwnd(segments(36.0));
    ack_at(&mut control, 16_000.0);
    follows(&control, Branch::Convex, 36.331_011_1);
}

/// 4.3: alpha = 0.9 / 1.7 = 9/17. From 14, an ACK adds 9/17/14, the next 9/17/14.0378151 and so on,
/// while W_cubic stays at 14.
#[test]
fn the_window_is_at_least_that_of_reno() {
    let mut control = cubic(&Config::default(), 20.0);
    control.on_loss(&loss(9900.0));
    for expected in [14.037_815_1, 14.075_528_4, 14.113_140_6] {
        ack_at(&mut control, 10_000.0);
        follows(&control, Branch::RenoFriendly, expected);
    }
    // An ACK of two segments: 14.1131406 + 2 * 9/17 / 14.1131406.
    acked_at(&mut control, 10_000.0, 2.0);
    follows(&control, Branch::RenoFriendly, 14.188_164_5);
}

/// 4.3: twelve windows add 9/17 each and lead from 14 past the 20 of the loss, to 20.3529412. From
/// there each window adds 1. An ACK of more than a window counts as one window.
#[test]
fn above_the_window_of_the_loss_alpha_is_1() {
    let mut control = cubic(&Config::default(), 20.0);
    control.on_loss(&loss(9900.0));
    for window in 1..=12 {
        acked_at(&mut control, 10_000.0, 1000.0);
        follows(
            &control,
            Branch::RenoFriendly,
            14.0 + f64::from(window) * 9.0 / 17.0,
        );
    }
    acked_at(&mut control, 10_000.0, 1000.0);
    follows(&control, Branch::RenoFriendly, 21.352_941_2);
}

/// 4.3: a W_est above W_cubic(t) but below cwnd does not lower cwnd.
#[test]
fn the_estimate_of_reno_never_lowers_the_window() {
    let mut control = cubic(&Config::default(), 20.0);
    control.on_loss(&loss(9900.0));
    ack_at(&mut control, 10_000.0);
    control.growth.set_cwnd(segments(15.0));
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::RenoFriendly, 15.0);
}

/// 4.7: 70 < 100, so W_max = 70 * 0.85 = 59.5 and K = cbrt((59.5 - 49) / 0.4) = 2.97196098 s.
/// Without fast convergence, W_max = 70 and K = cbrt(21 / 0.4) = 3.74443619 s.
#[test]
fn a_loss_below_the_plateau_lowers_it_further() {
    for (fast_convergence, branch, w_max, k) in [
        (true, Branch::Converge, 59.5, 2.971_960_98),
        (false, Branch::LossBelow, 70.0, 3.744_436_19),
    ] {
        let config = Config {
            fast_convergence,
            ..without_reno()
        };
        let mut control = cubic(&config, 100.0);
        control.on_loss(&loss(9000.0));
        control.on_loss(&loss(9500.0));
        follows(&control, branch, 49.0);
        ack_at(&mut control, 10_000.0);
        assert_near(number(&control, "w_max"), w_max);
        assert_near(number(&control, "k"), k);
    }
}

#[test]
fn a_loss_at_the_plateau_does_not_lower_it() {
    let mut control = cubic(&Config::default(), 100.0);
    control.on_loss(&loss(9000.0));
    for cwnd in [100.0, 120.0] {
        control.growth.set_cwnd(segments(cwnd));
        control.on_loss(&loss(9500.0));
        assert_eq!(control.branch, Branch::Loss);
        assert_near(number(&control, "w_max"), cwnd);
    }
}

/// 4.6: after a loss the window is at least 2. After a mark the threshold is at least 2, and the window
/// at least 1. At a window of 10 a mark cuts like a loss.
#[test]
fn marks_may_cut_the_window_to_one_segment() {
    let mark = loss(9000.0).with_signal(LossSignal::Ecn);
    let mut control = cubic(&Config::default(), 2.5);
    control.on_loss(&mark);
    assert_segments(control.window().cwnd, 1.75);
    assert_segments(control.window().ssthresh, 2.0);
    control.on_loss(&mark);
    control.on_loss(&mark);
    assert_segments(control.window().cwnd, 1.0);
    control.on_loss(&loss(9900.0));
    assert_segments(control.window().cwnd, 2.0);

    let mut control = cubic(&Config::default(), 10.0);
    control.on_loss(&mark);
    assert_segments(control.window().cwnd, 7.0);
    assert_segments(control.window().ssthresh, 7.0);
}

/// 4.6 with flight_size: a flight of 20 is cut to 0.7 * 20; the plateau is the window of 30.
#[test]
fn the_flight_may_be_cut_instead_of_the_window() {
    let mut config = Config::default();
    config.cuts.loss_window = crate::growth::LossWindow::Flight;
    let mut control = cubic(&config, 30.0);
    control.on_loss(&Loss {
        in_flight: Segments::whole(20),
        ..loss(9900.0)
    });
    assert_segments(control.window().cwnd, 14.0);
    assert_near(number(&control, "w_max"), 30.0);
}

/// A cut to the floor may end above W_max: here 1.2 becomes 2. Then K = 0 and the curve begins at 2,
/// as after a timeout: 2 + 0.4 * 2^3 = 5.2.
#[test]
fn a_window_above_the_plateau_is_the_new_plateau() {
    let mut control = cubic(&Config::default(), 1.2);
    control.on_loss(&loss(9900.0));
    ack_at(&mut control, 10_000.0);
    ack_at(&mut control, 12_000.0);
    assert_near(number(&control, "k"), 0.0);
    assert_near(number(&control, "w_max"), 2.0);
    assert_near(number(&control, "w_cubic"), 5.2);
}

/// 4.8: ssthresh is 70, slow start begins at 1, then K = 0 and W_max = 70: 70 + 0.4 t^3. alpha is
/// 9/17 below 100, the window before the timeout.
#[test]
fn after_a_timeout_the_curve_begins_at_the_window() {
    let mut control = cubic(&Config::default(), 100.0);
    control.on_loss(&loss(5000.0));
    control.growth.set_cwnd(segments(100.0));
    control.on_timeout(&timeout(9000.0, 1));
    follows(&control, Branch::Timeout, 1.0);
    assert_segments(control.window().ssthresh, 70.0);
    for window in 2..=70 {
        ack_at(&mut control, 9500.0);
        follows(&control, Branch::SlowStart, f64::from(window));
    }
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::RenoFriendly, 70.007_563);
    assert_near(number(&control, "k"), 0.0);
    assert_near(number(&control, "w_max"), 70.0);
    ack_at(&mut control, 12_000.0);
    assert_near(number(&control, "w_cubic"), 73.2);
}

/// A loss in the slow start that follows is not compared with the old plateau.
#[test]
fn a_timeout_forgets_the_plateau() {
    let mut control = cubic(&Config::default(), 100.0);
    control.on_loss(&loss(5000.0));
    control.on_timeout(&timeout(9000.0, 1));
    for _ in 0..9 {
        ack_at(&mut control, 9500.0);
    }
    control.on_loss(&loss(9600.0));
    follows(&control, Branch::FirstLoss, 7.0);
    assert_near(number(&control, "w_max"), 10.0);
}

/// RFC 5681, eq. 4: the second timeout of a segment does not change the threshold, nor cwnd_prior.
/// Otherwise alpha would be 1 at once instead of 9/17: 70 + 9/17/70.
#[test]
fn a_second_timeout_of_a_segment_keeps_threshold_and_cwnd_prior() {
    let mut control = cubic(&Config::default(), 100.0);
    control.on_timeout(&timeout(8000.0, 1));
    control.on_timeout(&timeout(9000.0, 2));
    assert_segments(control.window().ssthresh, 70.0);
    for _ in 0..69 {
        ack_at(&mut control, 9500.0);
    }
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::RenoFriendly, 70.007_563);
}

/// 4.10: slow start ends without a loss. K = 0, W_max = 10, and alpha is 1 from the beginning.
#[test]
fn congestion_avoidance_may_begin_without_a_loss() {
    let mut control = Cubic::new(&Config::default(), &path(9.0, 10.0));
    ack_at(&mut control, 9000.0);
    follows(&control, Branch::SlowStart, 10.0);
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::RenoFriendly, 10.1);
    assert_near(number(&control, "k"), 0.0);
    // 10 + 0.4 * 5^3.
    ack_at(&mut control, 15_000.0);
    assert_near(number(&control, "w_cubic"), 60.0);
}

/// If the host lowers the window below the threshold, a new epoch begins: slow start from 2 to 14, and
/// then K = cbrt((20 - 14) / 0.4) = 2.46621207 s again.
#[test]
fn congestion_avoidance_begins_again_after_slow_start() {
    let mut control = cubic(&Config::default(), 20.0);
    control.on_loss(&loss(9900.0));
    ack_at(&mut control, 10_000.0);
    ack_at(&mut control, 12_000.0);
    control.restrict(Segments::whole(2));
    for _ in 0..12 {
        ack_at(&mut control, 13_000.0);
    }
    follows(&control, Branch::SlowStart, 14.0);
    ack_at(&mut control, 14_000.0);
    assert_near(number(&control, "k"), 2.466_212_07);
    assert_near(number(&control, "w_cubic"), 14.0);
}

/// RFC 6298: srtt = 7/8 * 100 + 1/8 * 900 = 200 ms; duplicates do not count.
#[test]
fn the_target_looks_ahead_by_the_smoothed_rtt() {
    let mut control = after_a_loss_at_36(&without_reno());
    control.on_sample(&sample(9950.0, 900.0));
    control.on_sample(&sample(9960.0, 5000.0).with_duplicate(true));
    ack_at(&mut control, 10_000.0);
    // 36 - 0.4 * 2.8^3 = 27.2192: + 2.0192 / 25.2.
    follows(&control, Branch::Concave, 25.280_127);
}

#[test]
fn without_an_rtt_the_target_does_not_look_ahead() {
    let mut control = Cubic::new(&without_reno(), &path(36.0, 2.0));
    control.on_loss(&loss(9900.0));
    ack_at(&mut control, 10_000.0);
    follows(&control, Branch::Concave, 25.2);
}

#[test]
fn c_and_beta_are_parameters() {
    // K = cbrt(50 / 4) = 2.32079442 s.
    let config = Config {
        c: Ratio::from_millionths(4_000_000),
        beta: Ratio::from_millionths(500_000),
        ..Config::default()
    };
    let mut control = cubic(&config, 100.0);
    control.on_loss(&loss(9900.0));
    ack_at(&mut control, 10_000.0);
    assert_near(number(&control, "k"), 2.320_794_42);
    // alpha = 3 * 0.5 / 1.5 = 1.
    follows(&control, Branch::RenoFriendly, 50.02);
}

/// Checks the conditions and the sections that the rules state, along losses, timeouts and pauses.
#[test]
fn explained_values_satisfy_the_conditions_of_the_rules() {
    let mut seen = [false; 11];
    for fast_convergence in [true, false] {
        let config = Config {
            fast_convergence,
            ..Config::default()
        };
        let mut control = cubic(&config, 60.0);
        for i in 0..20_000_u32 {
            let (cwnd, w_max) = (control.window().cwnd.as_f64(), number(&control, "w_max"));
            let ms = 1000.0 + f64::from(i) * 8.0;
            match i {
                _ if i % 9_001 == 9_000 => control.on_timeout(&timeout(ms, 1)),
                _ if i % 9_001 == 8_999 => limited_at(&mut control, ms),
                _ if matches!(i % 1_201, 200 | 260) || i == 9_020 => control.on_loss(&loss(ms)),
                _ => ack_at(&mut control, ms),
            }
            let (w_cubic, w_est) = (number(&control, "w_cubic"), number(&control, "w_est"));
            let (holds, section) = match control.branch {
                Branch::RenoFriendly => (w_cubic < w_est, "4.3"),
                Branch::Concave => (cwnd < number(&control, "w_max"), "4.4"),
                Branch::Convex => (cwnd >= number(&control, "w_max"), "4.5"),
                Branch::FirstLoss => (w_max.is_nan(), "4.6"),
                Branch::Loss => (cwnd >= w_max, "4.6"),
                Branch::LossBelow => (cwnd < w_max && !fast_convergence, "4.7"),
                Branch::Converge => (cwnd < w_max && fast_convergence, "4.7"),
                Branch::Limited => (i % 9_001 == 8_999, "5.8"),
                Branch::Timeout => (i % 9_001 == 9_000, "4.8"),
                Branch::SlowStart => (control.growth.window().ssthresh.as_f64() > cwnd, "3.1"),
                Branch::None => (false, ""),
            };
            let source = control.branch.rule(&control.growth).source;
            assert!(holds && source.contains(section), "{i} {source}");
            seen[control.branch as usize] = true;
        }
    }
    assert_eq!(seen[1..], [true; 10]);
}

/// 4.3 without the last step, as in Linux: alpha stays 3 * 0.3 / 1.7 = 0.529412 above the window of the last
/// loss, and has that value before the first loss.
#[test]
fn without_raise_alpha_the_estimate_of_reno_keeps_its_slope() {
    let linux = Config {
        raise_alpha: false,
        ..Config::default()
    };
    for (config, first, above) in [(Config::default(), 1.0, 1.0), (linux, 0.529_412, 0.529_412)] {
        let mut control = cubic(&config, 10.0);
        acked_at(&mut control, 1_000.0, 10.0);
        assert_near(number(&control, "w_est"), 10.0 + first);
        control.on_loss(&loss(1_000.0));
        control.w_est = control.cwnd_prior;
        let (before, cwnd) = (control.w_est, control.window().cwnd);
        control.estimate(cwnd);
        assert_near(control.w_est.saturating_sub(before).as_f64(), above);
    }
}
