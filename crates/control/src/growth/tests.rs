use super::*;
use crate::algorithm::testing::{ack, assert_segments, path};
use crate::event::Timeout;
use crate::units::Instant;

fn growth(rules: &Rules, cwnd: f64, ssthresh: f64) -> Growth {
    Growth::new(rules, &Cuts::default(), &path(cwnd, ssthresh))
}

fn abc() -> Rules {
    Rules {
        counting: Counting::Abc,
        ..Rules::default()
    }
}

#[test]
fn slow_start_adds_a_segment_per_ack_up_to_ssthresh() {
    let mut w = growth(&Rules::default(), 1.0, 4.0);
    for expected in [2.0, 3.0, 4.0, 4.25] {
        w.grow(&ack(1.0));
        assert_segments(w.cwnd(), expected);
    }
}

#[test]
fn congestion_avoidance_adds_1_over_cwnd_per_ack() {
    let mut w = growth(&Rules::default(), 4.0, 4.0);
    for expected in [4.25, 4.485294, 4.708245, 4.920638] {
        w.grow(&ack(1.0));
        assert_segments(w.cwnd(), expected);
    }
}

#[test]
fn a_window_of_acks_adds_almost_a_segment() {
    let mut w = growth(&Rules::default(), 10.0, 2.0);
    for _ in 0..10 {
        w.grow(&ack(1.0));
    }
    assert_segments(w.cwnd(), 10.958648);
}

#[test]
fn abc_adds_at_most_two_segments_per_ack_in_slow_start() {
    for acked in [2.0, 5.0] {
        let mut w = growth(&abc(), 10.0, 100.0);
        w.grow(&ack(acked));
        assert_segments(w.cwnd(), 12.0);
    }
}

/// A threshold of 6.5: an ACK of 250 segments leads from 2 there and not to 252, and one of 3 from 6 to 7.
#[test]
fn abc_stops_at_the_threshold() {
    let rules = Rules {
        abc_limit: 255,
        ..abc()
    };
    for (from, acked, to) in [(2.0, 250.0, 6.5), (6.0, 3.0, 7.0), (2.0, 3.0, 5.0)] {
        let mut w = growth(&rules, from, 6.5);
        w.grow(&ack(acked));
        assert_segments(w.cwnd(), to);
    }
}

#[test]
fn abc_adds_a_segment_once_a_window_is_acknowledged() {
    let mut w = growth(&abc(), 10.0, 2.0);
    w.grow(&ack(9.0));
    assert_segments(w.cwnd(), 10.0);
    w.grow(&ack(2.0));
    assert_segments(w.cwnd(), 11.0);
    assert_segments(w.credit, 1.0);
}

#[test]
fn an_ack_of_half_a_segment_adds_half_a_segment_in_rfc_5681() {
    let rules = Rules {
        counting: Counting::Segment,
        ..Rules::default()
    };
    let mut w = growth(&rules, 2.0, 100.0);
    w.grow(&ack(0.5));
    assert_segments(w.cwnd(), 2.5);
    w.grow(&ack(3.0));
    assert_segments(w.cwnd(), 3.5);
}

#[test]
fn abc_adds_one_segment_per_ack_until_a_timeout_is_repaired() {
    let mut w = growth(&abc(), 10.0, 100.0);
    let timeout = Timeout {
        now: Instant::ZERO,
        in_flight: Segments::whole(4),
        consecutive: 1,
    };
    w.time_out(&timeout, Segments::whole(50));
    for expected in [2.0, 3.0, 5.0] {
        w.grow(&ack(2.0));
        assert_segments(w.cwnd(), expected);
    }
}

#[test]
fn four_quarters_grow_as_one_segment() {
    for counting in [Counting::Ack, Counting::Segment, Counting::Abc] {
        let rules = Rules {
            counting,
            ..Rules::default()
        };
        // floor(2^64 / (7 * 2^32)) is not a multiple of 4.
        let (mut whole, mut quarters) = (growth(&rules, 7.0, 2.0), growth(&rules, 7.0, 2.0));
        for _ in 0..50 {
            whole.avoid(Segments::ONE);
            quarters.avoid_by(Segments::ONE, 4);
            assert_eq!(whole, quarters);
        }
    }
}

#[test]
fn an_application_limited_ack_adds_nothing() {
    let mut w = growth(&Rules::default(), 10.0, 100.0);
    w.grow(&Ack {
        app_limited: true,
        ..ack(1.0)
    });
    assert_segments(w.cwnd(), 10.0);
}

#[test]
fn the_flight_counts_at_most_as_the_window() {
    let cuts = Cuts {
        loss_window: LossWindow::Flight,
        ..Cuts::default()
    };
    let w = Growth::new(&Rules::default(), &cuts, &path(10.0, 2.0));
    assert_segments(w.at_loss(Segments::whole(7)), 7.0);
    assert_segments(w.at_loss(Segments::whole(12)), 10.0);
}
