use super::*;
use crate::algorithm::testing::{
    ack, assert_near, assert_segments, at, branch, loss, number, path, sample, timeout,
};

/// Vegas after a round whose samples all were `rtt`, BaseRTT being `base`, in ms.
fn round(config: &Config, cwnd: f64, ssthresh: f64, base: f64, rtt: f64) -> Vegas {
    let mut control = Vegas::new(config, &path(cwnd, ssthresh));
    // BaseRTT is known from an earlier round; its ACK only begins this round.
    control.on_sample(&sample(1000.0, base));
    control.begin_round(at(1000.0));
    control.grows = false;
    control.on_sample(&sample(1000.0 + rtt / 2.0, rtt));
    control.on_sample(&sample(1000.0 + rtt, rtt));
    control
}

/// The rule of the last round, and the diff that it was judged by.
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

#[test]
fn v8_1() {
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
fn v8_2() {
    let mut control = round(&Config::default(), 10.0, 2.0, 100.0, 120.0);
    assert_near(number(&control, "backlog"), 1.666667);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 10.0);
    judged(&control, "enough waits", 1.666667);
}

#[test]
fn v8_3() {
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
fn v8_4() {
    let mut control = round(&Config::default(), 16.0, 64.0, 100.0, 110.0);
    assert_near(number(&control, "backlog"), 1.454545);
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 14.0);
    judged(&control, "slow start ends", 1.454545);
    assert_segments(control.window().ssthresh, 2.0);
}

#[test]
fn v8_5() {
    for (transmissions, cwnd) in [(1, 12.0), (2, 8.0)] {
        let mut control = Vegas::new(&Config::default(), &path(16.0, 2.0));
        control.on_loss(&Loss {
            transmissions,
            ..loss(1000.0)
        });
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
    // The first ACK ends the round that began at the origin: that round may not grow.
    assert_eq!(windows, [2, 4, 4, 8]);
}

#[test]
fn a_segment_sent_before_the_last_cut_never_cuts() {
    let mut control = Vegas::new(&Config::default(), &path(16.0, 2.0));
    control.on_loss(&loss(1000.0));
    control.on_loss(&Loss {
        lost_sent_at: at(1000.0),
        ..loss(1050.0)
    });
    assert_segments(control.window().cwnd, 12.0);
    control.on_loss(&Loss {
        lost_sent_at: at(1001.0),
        ..loss(1100.0)
    });
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
