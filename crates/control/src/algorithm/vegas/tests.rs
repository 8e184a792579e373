use super::*;
use crate::algorithm::testing::{
    ack, assert_near, assert_segments, at, branch, loss, number, path, sample, timeout,
};

/// Vegas after a round whose samples were all `rtt`, with a BaseRTT of `base`; both in ms.
fn round(config: &Config, cwnd: f64, ssthresh: f64, base: f64, rtt: f64) -> Vegas {
    let mut control = Vegas::new(config, &path(cwnd, ssthresh));
    // This sample only sets BaseRTT, as if from an earlier round.
    control.on_sample(&sample(1000.0, base));
    control.begin_round(at(1000.0));
    control.grows = false;
    control.on_sample(&sample(1000.0 + rtt / 2.0, rtt));
    control.on_sample(&sample(1000.0 + rtt, rtt));
    control
}

/// Checks the rule of the last round, and the diff by which it was judged.
#[track_caller]
fn judged(control: &Vegas, name: &str, diff: f64) {
    assert_eq!(branch(control), name);
    assert_near(number(control, "diff"), diff);
}

fn int_diff() -> Config {
    Config {
        int_diff: true,
        ..Config::default()
    }
}

/// A diff of 0.91 grows the window; rounded to 1, it is not below alpha.
#[test]
fn a_diff_below_alpha_grows_the_window() {
    let mut control = round(&Config::default(), 10.0, 2.0, 100.0, 110.0);
    assert_near(number(&control, "backlog"), 0.909091);
    for _ in 0..10 {
        control.on_ack(&ack(1.0));
    }
    assert_segments(control.window().cwnd, 11.0);
    judged(&control, "too little waits", 0.909091);

    let mut control = round(&int_diff(), 10.0, 2.0, 100.0, 110.0);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 10.0);
    judged(&control, "enough waits", 1.0);
}

#[test]
fn a_diff_between_alpha_and_beta_holds_the_window() {
    let mut control = round(&Config::default(), 10.0, 2.0, 100.0, 120.0);
    assert_near(number(&control, "backlog"), 1.666667);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 10.0);
    judged(&control, "enough waits", 1.666667);
}

/// A diff of 3.33 shrinks the window; rounded to 3, it is not above beta.
#[test]
fn a_diff_above_beta_shrinks_the_window() {
    let mut control = round(&Config::default(), 10.0, 2.0, 100.0, 150.0);
    assert_near(number(&control, "backlog"), 3.333333);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 9.0);
    judged(&control, "too much waits", 3.333333);

    let mut control = round(&int_diff(), 10.0, 2.0, 100.0, 150.0);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 10.0);
    judged(&control, "enough waits", 3.0);
}

#[test]
fn a_diff_above_gamma_ends_slow_start() {
    let mut control = round(&Config::default(), 16.0, 64.0, 100.0, 110.0);
    assert_near(number(&control, "backlog"), 1.454545);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 14.0);
    judged(&control, "slow start ends", 1.454545);
    assert_segments(control.window().ssthresh, 2.0);
}

#[test]
fn the_loss_of_a_retransmission_cuts_deeper() {
    for (transmissions, cwnd) in [(1, 12.0), (2, 8.0)] {
        let mut control = Vegas::new(&Config::default(), &path(16.0, 2.0));
        control.on_loss(&loss(1000.0).with_transmissions(transmissions));
        assert_segments(control.window().cwnd, cwnd);
    }
}

#[test]
fn slow_start_grows_every_other_round() {
    let mut control = Vegas::new(&Config::default(), &path(2.0, 64.0));
    let mut windows = [0; 4];
    for (round, window) in windows.iter_mut().enumerate() {
        let now = 1000.0 + 100.0 * round as f64;
        let outstanding = control.window().cwnd.floor();
        for _ in 0..outstanding {
            control.on_sample(&sample(now, 100.0));
            control.on_ack(&Ack {
                now: at(now),
                ..ack(1.0)
            });
        }
        *window = control.window().cwnd.floor();
    }
    // The first ACK ends the round that began at the origin of time; the round after it may not grow.
    assert_eq!(windows, [2, 4, 4, 8]);
}

#[test]
fn a_segment_sent_before_the_last_cut_never_cuts() {
    let mut control = Vegas::new(&Config::default(), &path(16.0, 2.0));
    control.on_loss(&loss(1000.0));
    control.on_loss(&loss(1050.0).with_lost_sent_at(at(1000.0)));
    assert_segments(control.window().cwnd, 12.0);
    control.on_loss(&loss(1100.0).with_lost_sent_at(at(1001.0)));
    assert_segments(control.window().cwnd, 9.0);
    assert_segments(control.window().ssthresh, 2.0);
}

#[test]
fn a_cut_ends_slow_start() {
    let mut control = Vegas::new(&Config::default(), &path(16.0, 64.0));
    control.on_loss(&loss(1000.0));
    assert_segments(control.window().ssthresh, 12.0);
    assert!(!control.growth.is_slow_start());
}

#[test]
fn no_rule_leaves_fewer_than_two_segments() {
    let mut control = round(&Config::default(), 2.5, 2.0, 10.0, 1000.0);
    control.config.beta = Segments::ZERO;
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 2.0);
    control.on_loss(&loss(3000.0));
    assert_segments(control.window().cwnd, 2.0);
    control.on_timeout(&timeout(4000.0, 1));
    assert_segments(control.window().cwnd, 2.0);
    assert_segments(control.window().ssthresh, 2.0);
}

#[test]
fn an_unused_window_does_not_grow() {
    let mut control = round(&Config::default(), 10.0, 2.0, 100.0, 100.0);
    control.on_ack(&Ack {
        in_flight: Segments::whole(6),
        ..ack(1.0)
    });
    assert_segments(control.window().cwnd, 10.0);
    control.on_ack(&Ack {
        in_flight: Segments::whole(7),
        ..ack(1.0)
    });
    assert_segments(control.window().cwnd, 10.1);
}
