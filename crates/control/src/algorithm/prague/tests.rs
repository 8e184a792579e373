use super::*;
use crate::algorithm::testing::{
    ack, assert_near, assert_segments, at, branch, loss, number, path, sample, timeout,
};
use crate::event::Marks;
use crate::units::Bytes;

fn prague(cwnd: f64, ssthresh: f64) -> Prague {
    Prague::new(&Config::default(), &path(cwnd, ssthresh))
}

fn mark(now_ms: f64) -> Loss {
    loss(now_ms).with_signal(LossSignal::Ecn)
}

fn marked(now_ms: f64, rtt_ms: f64) -> Sample {
    sample(now_ms, rtt_ms).with_marks(Marks::Counted(Segments::ONE))
}

/// alpha stays 1 in the three windows without marks. The first mark ends the fourth, all of which is marked:
/// alpha = 1. Of the next two segments, one is marked: 15/16 + 1/32 = 0.96875.
#[test]
fn alpha_waits_for_the_first_mark() {
    let mut control = prague(20.0, 2.0);
    for now in [100.0, 150.0, 200.0] {
        control.on_sample(&sample(now, 50.0));
        assert_near(number(&control, "alpha"), 1.0);
    }
    control.on_sample(&marked(250.0, 50.0));
    assert_near(number(&control, "alpha"), 1.0);
    control.on_sample(&marked(260.0, 50.0));
    control.on_sample(&sample(300.0, 50.0));
    assert_near(number(&control, "alpha"), 0.968_75);
}

/// With a round trip of 10 ms, s = 0.4: alpha is found each 25 ms, the window gains 0.16 segments a round, and marks
/// cut once in 25 ms.
#[test]
fn a_short_round_trip_counts_as_25_ms() {
    let mut control = prague(20.0, 2.0);
    for now in [100.0, 110.0, 120.0] {
        control.on_sample(&sample(now, 10.0));
        assert_eq!(control.marked.began(), at(100.0));
    }
    control.on_sample(&sample(125.0, 10.0));
    assert_eq!(control.marked.began(), at(125.0));
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 20.0 + 0.16 / 20.0);
    let cut = 10.0 + 0.08 / 20.0;
    control.on_loss(&mark(130.0));
    assert_segments(control.window().cwnd, cut);
    assert_eq!(branch(&control), "mark");
    control.on_loss(&mark(154.9));
    assert_segments(control.window().cwnd, cut);
    assert_eq!(branch(&control), "mark too early");
    control.on_loss(&mark(155.0));
    assert_segments(control.window().cwnd, cut / 2.0);
}

/// With a long round trip, of a segment that was sent after the cut.
#[test]
fn marks_cut_once_in_a_window_of_data() {
    let mut control = prague(40.0, 2.0);
    control.on_sample(&sample(100.0, 60.0));
    for (now, sent_at, cwnd) in [
        (110.0, 50.0, 20.0),
        (160.0, 110.0, 20.0),
        (171.0, 111.0, 10.0),
    ] {
        control.on_loss(&mark(now).with_lost_sent_at(at(sent_at)));
        assert_segments(control.window().cwnd, cwnd);
    }
}

/// From 25 ms on, as DCTCP: one segment in a round, and alpha / 2.
#[test]
fn a_long_round_trip_is_not_scaled() {
    let mut control = prague(20.0, 2.0);
    control.on_sample(&sample(100.0, 60.0));
    control.on_ack(&ack(1.0));
    assert_segments(control.window().cwnd, 20.05);
    control.on_loss(&mark(110.0));
    assert_segments(control.window().cwnd, 10.025);
}

/// RFC 9331, section 4.3, item 2: as Reno. A mark in the same window does not make it less than half, and a loss
/// does make up for what a mark left.
#[test]
fn a_loss_halves_the_window() {
    let mut control = prague(20.0, 2.0);
    control.on_sample(&sample(100.0, 10.0));
    for now in [110.0, 135.0] {
        control.on_sample(&marked(now, 10.0));
        control.on_sample(&sample(now, 10.0));
    }
    // Of the three segments up to the end of the window, two were marked: alpha = 15/16 + 1/24 = 47/48.
    control.on_loss(&mark(140.0));
    assert_segments(control.window().cwnd, 20.0 * 49.0 / 96.0);
    control.on_loss(&loss(145.0).with_lost_sent_at(at(134.0)));
    assert_segments(control.window().cwnd, 10.0);
    assert_eq!(branch(&control), "loss after a mark");
    control.on_loss(&loss(160.0).with_lost_sent_at(at(150.0)));
    assert_segments(control.window().cwnd, 5.0);
    assert_eq!(branch(&control), "loss");
    control.on_timeout(&timeout(900.0, 1));
    assert_segments(control.window().cwnd, 1.0);
    assert_segments(control.window().ssthresh, 2.5);
}

/// 20 segments of 1000 bytes in 50 ms are 3.2 Mb/s, of which 250 us are 0.1 segments; in slow start twice as many.
/// 2000 segments in 50 ms are 320 Mb/s, and 10 segments in 250 us.
#[test]
fn it_paces_a_window_in_a_round_trip() {
    for (cwnd, ssthresh, rate, quantum) in [
        (20.0, 2.0, 3.2e6, 1),
        (20.0, 100.0, 6.4e6, 1),
        (2_000.0, 2.0, 3.2e8, 10),
    ] {
        let mut control = prague(cwnd, ssthresh);
        assert_eq!(control.pacing(), None);
        control.on_sample(&sample(100.0, 50.0));
        let found = control.pacing().expect("a round trip is known");
        assert_near(found.as_bits_per_second(), rate);
        assert_eq!(control.send_quantum(), quantum);
    }
    let mut control = prague(20.0, 2.0);
    control.on_sample(&sample(100.0, 50.0));
    control.on_loss(&loss(110.0));
    assert_near(number(&control, "pacing_rate"), 1.6e6);
    control.on_mss(&MssChange::new(Bytes(1000), Bytes(500)));
    assert_near(number(&control, "pacing_rate"), 1.6e6);
}

/// What an ACK covers counts by `counting`.
#[test]
fn growth_counts_segments_as_it_is_told() {
    for (counting, grown) in [
        (Counting::Ack, 0.05),
        (Counting::Segment, 0.05),
        (Counting::Abc, 0.15),
    ] {
        let mut config = Config::default();
        config.growth.counting = counting;
        let mut control = Prague::new(&config, &path(20.0, 2.0));
        control.on_ack(&ack(3.0));
        assert_segments(control.window().cwnd, 20.0 + grown);
    }
}
