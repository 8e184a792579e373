use super::*;
use crate::algorithm::testing::{
    ack, assert_near, assert_segments, branch, loss, number, path, sample, stamps_at, timeout,
};

/// SARBE with an estimate of 1.5 Mbit/s and an RTTmin of 100 ms, so the path holds 18.75 segments. The
/// samples have an RTT of 100 ms and then these RTTs.
fn sarbe(cwnd: f64, ssthresh: f64, rtts: &[f64]) -> Sarbe {
    let mut control = Sarbe::new(&Config::default(), &path(cwnd, ssthresh));
    // The second sample is 1000 bytes in 16/3 ms; the others repeat its arrival and make no sample.
    for (n, rtt) in [100.0, 100.0].iter().chain(rtts).enumerate() {
        let at = 1000.0 + 16.0 / 3.0 * n.min(1) as f64;
        control.on_sample(&sample(1100.0 + n as f64, *rtt).with_stamps(stamps_at(0.0, at)));
    }
    control
}

#[test]
fn congestion_lasts_from_beta_until_alpha() {
    let mut control = sarbe(20.0, 2.0, &[]);
    for (rtt, backlog, begun) in [
        (120.0, 3.333333, true),
        (115.0, 2.608696, true),
        (104.0, 0.769231, false),
    ] {
        control.on_sample(&sample(1200.0, rtt));
        assert_near(number(&control, "backlog"), backlog);
        assert_eq!(control.congestion.is_on(), begun);
    }
}

#[test]
fn the_path_holds_the_bandwidth_times_the_least_rtt() {
    let control = sarbe(20.0, 2.0, &[]);
    assert_near(number(&control, "bwe"), 1.5e6);
    assert_near(number(&control, "path_window"), 18.75);
}

#[test]
fn a_loss_cuts_the_window_only_in_congestion() {
    // 30 * (1 - 100 / 120) = 5; 30 * (1 - 100 / 102) = 0.59.
    for (rtt, cwnd, name) in [(120.0, 18.75, "congestion"), (102.0, 30.0, "random loss")] {
        let mut control = sarbe(30.0, 2.0, &[rtt]);
        control.on_loss(&loss(1200.0));
        assert_segments(control.window().cwnd, cwnd);
        assert_segments(control.window().ssthresh, 18.75);
        assert_eq!(branch(&control), name);
    }
}

#[test]
fn a_timeout_sets_the_threshold_to_what_the_path_holds() {
    let mut control = sarbe(30.0, 2.0, &[120.0]);
    control.on_timeout(&timeout(1500.0, 1));
    assert_segments(control.window().cwnd, 1.0);
    assert_segments(control.window().ssthresh, 18.75);
}

#[test]
fn after_a_random_loss_below_what_the_path_holds_slow_start_continues() {
    let mut control = sarbe(10.0, 2.0, &[]);
    control.on_loss(&loss(1200.0));
    assert_segments(control.window().cwnd, 10.0);
    for expected in [11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0] {
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, expected);
        assert_eq!(branch(&control), "slow start");
    }
    // 19 >= 18.75.
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 19.052632);
    assert_eq!(branch(&control), "congestion avoidance");
}

#[test]
fn congestion_cuts_slow_start_short() {
    // 30 * (1 - 100 / 120) = 5, and 30 >= 18.75.
    let mut control = sarbe(30.0, 64.0, &[120.0]);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().ssthresh, 18.75);
    assert_segments(control.window().cwnd, 30.033333);
    assert_eq!(branch(&control), "slow start cut short");
    // 10 * (1 - 100 / 150) = 3.3, and 10 < 18.75.
    let mut control = sarbe(10.0, 64.0, &[150.0]);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().ssthresh, 18.75);
    assert_segments(control.window().cwnd, 11.0);
    assert_eq!(branch(&control), "slow start, congested");
    // Without congestion the threshold stays.
    let mut control = sarbe(10.0, 64.0, &[]);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().ssthresh, 64.0);
}

#[test]
fn in_congestion_avoidance_an_ack_does_not_move_the_threshold() {
    let mut control = sarbe(30.0, 25.0, &[120.0]);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().ssthresh, 25.0);
}

#[test]
fn without_an_estimate_the_threshold_is_its_floor() {
    let mut control = Sarbe::new(&Config::default(), &path(20.0, 64.0));
    control.on_loss(&loss(1000.0));
    assert_segments(control.window().ssthresh, 2.0);
    assert_segments(control.window().cwnd, 20.0);
}
