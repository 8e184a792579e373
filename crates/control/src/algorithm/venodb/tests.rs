use super::*;
use crate::algorithm::testing::{
    ack, assert_near, assert_segments, at, bit_rate, branch, loss, number, path, sample, span,
    stamps_at, timeout,
};
use crate::estimate::rtt::RttMode;
use crate::units::Ratio;

/// A control with cwnd 20, BaseRTT 60 ms and RTT 75 ms: N = 4.
fn full(config: Config) -> VenoDb {
    with_rtt(config, 75.0)
}

/// A control with cwnd 20, BaseRTT 60 ms and this RTT in ms.
fn with_rtt(config: Config, rtt: f64) -> VenoDb {
    let mut config = config;
    config.table.rtt_mode = RttMode::Last;
    let mut control = VenoDb::new(&config, &path(20.0, 2.0));
    control.observe_rtt(at(1000.0), span(60.0));
    control.observe_rtt(at(1001.0), span(rtt));
    control
}

/// Sets the bandwidth to `now`, and that of one RTT ago to `old`, in bits a second.
fn set_bandwidth(control: &mut VenoDb, now: f64, old: f64) {
    control.state.bandwidth = Bandwidth::settled(bit_rate(now), at(1100.0));
    control.history = History::default();
    control
        .history
        .record(at(900.0), bit_rate(old), &Rtt::default(), 16);
}

fn precedence(precedence: Precedence) -> Config {
    let mut config = Config::default();
    config.table.precedence = precedence;
    config
}

/// The window after the ACK of [`judged`].
fn grown(config: Config, packets: usize) -> f64 {
    judged(config, packets).window().cwnd.as_f64()
}

/// VenoDB with cwnd 20 after one ACK at t = 1 s, with bwe falling from 1.95 to 1.90 Mbit/s, after the
/// first `packets` of five packets.
fn judged(config: Config, packets: usize) -> VenoDb {
    let mut control = full(config);
    set_bandwidth(&mut control, 1.90e6, 1.95e6);
    let stamps = [
        (0.0, 30.0),
        (4.0, 34.0),
        (8.0, 39.0),
        (12.0, 43.5),
        (16.0, 46.5),
    ];
    for (sent, received) in stamps.into_iter().take(packets) {
        control.observe_delay(at(1000.0), &stamps_at(sent, received));
    }
    control.on_ack(&Ack {
        now: at(1000.0),
        ..ack(1.0)
    });
    control
}

/// Checks the gains, in segments per RTT, by each precedence: a gain of `g` is g/20 per ACK.
#[track_caller]
fn gains(packets: usize, ordered: f64, score: f64, literal: f64) {
    assert_near(
        grown(precedence(Precedence::Ordered), packets),
        20.0 + ordered / 20.0,
    );
    assert_near(
        grown(precedence(Precedence::Score), packets),
        20.0 + score / 20.0,
    );
    assert_near(
        grown(precedence(Precedence::Literal), packets),
        20.0 + literal / 20.0,
    );
}

/// D = 0, dD unknown.
#[test]
fn a_steady_delay_adds_half_a_segment_per_rtt() {
    assert_near(grown(Config::default(), 2), 20.025);
    gains(2, 0.5, 0.25, 0.75);
}

/// D = 1 ms, dD = 1 ms.
#[test]
fn a_delay_that_rises_ever_faster_adds_nothing() {
    assert_near(grown(Config::default(), 3), 20.0);
    gains(3, 0.0, 0.0, 0.0);
}

/// D = 0.5 ms, dD = -0.5 ms.
#[test]
fn a_delay_that_rises_more_slowly_adds_a_quarter_per_rtt() {
    assert_near(grown(Config::default(), 4), 20.0125);
    gains(4, 0.25, 0.25, 0.25);
}

/// D = -1 ms, dD = -1.5 ms.
#[test]
fn a_falling_delay_adds_a_segment_per_rtt() {
    assert_near(grown(Config::default(), 5), 20.05);
    gains(5, 1.0, 1.0, 1.25);
}

/// After 2, 3, 4 and 5 packets.
#[test]
fn the_states_have_their_printed_names() {
    let ordered = ["S2", "S3", "S3, easing", "S1"];
    let score = ["S3, easing", "S3", "S3, easing", "S2, easing"];
    for (packets, (ordered, score)) in (2..).zip(ordered.into_iter().zip(score)) {
        let named = |mode| branch(&judged(precedence(mode), packets));
        assert_eq!(named(Precedence::Ordered), ordered);
        assert_eq!(named(Precedence::Score), score);
        assert_eq!(named(Precedence::Literal), "all that match");
    }
}

#[test]
fn a_loss_above_beta_is_congestion_unless_the_delay_falls() {
    let losses = [
        (35.0, 10.0, "congestion"),
        (33.0, 16.0, "easing congestion"),
        (34.0, 10.0, "congestion"),
    ];
    for (received, ssthresh, name) in losses {
        let mut control = full(Config::default());
        control.observe_delay(at(1000.0), &stamps_at(0.0, 30.0));
        control.observe_delay(at(1000.0), &stamps_at(4.0, received));
        assert_near(number(&control, "backlog"), 4.0);
        assert_near(number(&control, "relative_delay"), (received - 34.0) / 1e3);
        control.on_loss(&loss(1002.0));
        assert_segments(control.window().ssthresh, ssthresh);
        assert_segments(control.window().cwnd, ssthresh);
        assert_eq!(branch(&control), name);
    }
}

#[test]
fn a_loss_below_beta_is_random_whatever_the_delay() {
    for received in [33.0, 34.0, 35.0] {
        // N = 20 * (1 - 60 / 68.571429) = 2.5.
        let mut control = with_rtt(Config::default(), 68.571429);
        control.observe_delay(at(1000.0), &stamps_at(0.0, 30.0));
        control.observe_delay(at(1000.0), &stamps_at(4.0, received));
        assert_near(number(&control, "backlog"), 2.5);
        control.on_loss(&loss(1002.0));
        assert_segments(control.window().ssthresh, 16.0);
    }
}

#[test]
fn below_beta_growth_doubles_while_the_rise_of_the_delay_slows() {
    // D of 0.5 ms, then 0 (dD = -0.5 ms); or twice 0.5 ms (dD = 0).
    for (last, expected) in [(38.5, 20.1), (39.0, 20.05)] {
        // N = 20 * (1 - 60 / 66.666667) = 2.
        let mut control = with_rtt(Config::default(), 66.666667);
        for (sent, received) in [(0.0, 30.0), (4.0, 34.5), (8.0, last)] {
            control.observe_delay(at(1000.0), &stamps_at(sent, received));
        }
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, expected);
    }
}

#[test]
fn bandwidths_within_the_tolerance_count_as_equal() {
    let mut control = full(Config::default());
    set_bandwidth(&mut control, 1.96e6, 1.95e6);
    assert_eq!(control.bandwidth_change(at(1000.0)), Ordering::Equal);
    control.config.table.eps_bw = Ratio::from_millionths(5_000);
    assert_eq!(control.bandwidth_change(at(1000.0)), Ordering::Greater);
}

#[test]
fn the_bandwidth_is_compared_with_that_of_one_rtt_ago() {
    let mut config = Config::default();
    config.bandwidth.filter = bandwidth::Filter::Ewma;
    config.bandwidth.ewma.gain = Ratio::ONE;
    let mut control = VenoDb::new(&config, &path(20.0, 2.0));
    // An ACK every 10 ms. From the 20th on each credits two segments: the bandwidth doubles.
    for n in 0..40_u32 {
        let now = 1000.0 + 10.0 * f64::from(n);
        let credited = Segments::whole(if n < 20 { 1 } else { 2 });
        control.on_sample(&Sample {
            credited,
            ..sample(now, 60.0)
        });
        let expected = match n {
            20..26 => Ordering::Greater,
            _ => Ordering::Equal,
        };
        assert_eq!(control.bandwidth_change(at(now)), expected, "ACK {n}");
    }
}

#[test]
fn the_tolerance_is_at_least_the_resolution_of_the_stamps() {
    let coarse = path(20.0, 2.0).with_stamp_granularity(span(10.0));
    assert_eq!(
        VenoDb::new(&Config::default(), &coarse).tolerance,
        span(10.0)
    );
    let exact = path(20.0, 2.0);
    assert_eq!(
        VenoDb::new(&Config::default(), &exact).tolerance,
        span(0.001)
    );
}

#[test]
fn a_timeout_acts_as_in_veno() {
    let mut control = full(Config::default());
    control.on_timeout(&timeout(2000.0, 1));
    assert_segments(control.window().ssthresh, 10.0);
    assert_segments(control.window().cwnd, 1.0);
    assert_eq!(control.state.base.duration(), None);
}

#[test]
fn rounds_compare_their_last_packets() {
    let mut config = Config::default();
    config.table.d_mode = DelayMode::Round;
    let mut control = full(config);
    // The round that began at the origin is over; the next ends 75 ms later.
    let packets = [
        (925.0, 955.0, 1000.0),
        (960.0, 998.0, 1035.0),
        (1000.0, 1033.0, 1075.0),
    ];
    for (sent, received, now) in packets {
        let stamps = Some(stamps_at(sent, received));
        control.on_sample(&sample(now, now - sent).with_stamps(stamps));
    }
    // One-way delays of 30 and 33 ms at the ends; the 38 ms between them do not count.
    assert_near(number(&control, "relative_delay"), 0.003);
}

#[test]
fn the_receivers_spacing_ignores_compressed_acks() {
    let mut config = Config {
        bw_spacing: Spacing::Recv,
        ..Config::default()
    };
    config.bandwidth.filter = bandwidth::Filter::Ewma;
    let mut control = VenoDb::new(&config, &path(20.0, 2.0));
    for (received, now) in [(30.0, 1000.0), (40.0, 1000.1)] {
        let stamps = Some(stamps_at(0.0, received));
        control.on_sample(&sample(now, 60.0).with_stamps(stamps));
    }
    // 1000 bytes in 10 ms.
    assert_near(number(&control, "bwe"), 8e5);
    // Without a stamp the segment waits for the next one: 2000 bytes in 10 ms, weight 0.1.
    control.on_sample(&sample(1000.2, 60.0));
    let stamps = Some(stamps_at(0.0, 50.0));
    control.on_sample(&sample(1000.3, 60.0).with_stamps(stamps));
    assert_near(number(&control, "bwe"), 8.8e5);
}
