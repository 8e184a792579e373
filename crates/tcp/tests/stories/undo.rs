//! Losses that were none, step by step. The first window of 10 is sent at 0 ms here, in congestion avoidance.

use dumbbell_control::units::Duration;
use dumbbell_tcp::config::{SenderConfig, Stamping};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::{Any, Rack};

use crate::story::{Story, plain};

fn story(undo: bool, frto: bool, stamping: Stamping) -> Story {
    let rack = Rack::new(None, false).undoing(undo, frto);
    let config = SenderConfig {
        limited_transmit: true,
        stamping,
        ..plain()
    };
    let mut story = Story::new(Any::Rack(Box::new(rack)), 10, config);
    let _ = story.sent();
    story
}

/// Segment 0 is late: three others are SACKed at 100 ms, and it is sent again.
fn late(undo: bool) -> Story {
    let mut story = story(undo, false, Stamping::Exact);
    assert_eq!(story.wait(100).ack_by(0, 1, &[(1, 2)]), [10]);
    assert_eq!(story.ack_by(0, 2, &[(1, 3)]), [11]);
    assert_eq!(story.ack_by(0, 3, &[(1, 4)]), [0]);
    assert_eq!(story.window(), (5.0, 5.0));
    assert_eq!(story.wait(5).ack_by(4, 0, &[]), []);
    story
}

/// RFC 2883, section 4, and RFC 3708: the copy arrives as well. The threshold becomes three quarters of
/// the window; segments 4 to 11 are in the network, so two more may be sent.
#[test]
fn an_episode_is_undone_when_all_its_retransmissions_arrived_twice() {
    let mut story = late(true);
    assert_eq!(story.wait(90).ack_by(4, 0, &[(0, 1)]), [12, 13]);
    assert_eq!(story.window(), (10.0, 7.5));
    assert_eq!(story.sender.phase(), Phase::Open);
    assert_eq!(story.sender.counters().undone, 1);
    // The same report once more gives nothing.
    assert_eq!(story.ack_by(4, 0, &[(0, 1)]), []);
    assert_eq!(story.window(), (10.0, 7.5));
}

#[test]
fn without_undo_a_copy_that_arrives_changes_nothing() {
    let mut story = late(false);
    assert_eq!(story.wait(90).ack_by(4, 0, &[(0, 1)]), []);
    assert_eq!(story.window(), (5.0, 5.0));
}

/// Segment 5 was sent once, and segment 20 never: their reports are forged.
#[test]
fn a_report_of_what_was_not_sent_again_does_not_count() {
    let mut story = late(true);
    for forged in [(5, 6), (20, 21), (3, 9)] {
        let _ = story.ack_by(4, 0, &[forged, (4, 30)]);
        assert_eq!(story.window(), (5.0, 5.0), "{forged:?}");
    }
    assert_eq!(story.sender.counters().undone, 0);
}

/// Segments 0, 4 and 5 are sent again, and the reports of the copies come after the episode.
#[test]
fn an_episode_is_undone_by_the_report_of_its_last_retransmission() {
    let mut story = story(true, false, Stamping::Exact);
    let _ = story.wait(100).ack_by(0, 1, &[(1, 2)]);
    let _ = story.ack_by(0, 2, &[(1, 3)]);
    assert_eq!(story.ack_by(0, 3, &[(1, 4)]), [0]);
    // Segments 4 to 8 count as lost as well. Pipe was 3: 0, 10 and 11.
    assert_eq!(story.ack_by(0, 9, &[(9, 10), (1, 4)]), [4, 5]);
    assert_eq!(story.ack_by(0, 8, &[(6, 10), (1, 4)]), []);
    assert_eq!(story.wait(50).ack_by(12, 0, &[]), [12, 13, 14, 15, 16]);
    assert_eq!((story.sender.phase(), story.window().0), (Phase::Open, 5.0));
    assert_eq!(story.ack_by(12, 0, &[(0, 1)]), []);
    assert_eq!(story.ack_by(12, 4, &[(4, 5)]), []);
    assert_eq!(story.window(), (5.0, 5.0));
    assert_eq!(story.ack_by(12, 5, &[(5, 6)]), [17, 18, 19, 20, 21]);
    assert_eq!(story.window(), (10.0, 7.5));
}

/// RFC 3522, section 3.2: the ACK echoes the time of the original, or that of the retransmission at 100 ms.
#[test]
fn an_echo_from_before_the_retransmission_undoes_an_episode() {
    for (echo, window, phase) in [
        (0, 10.1, Phase::Open),
        (99, 10.1, Phase::Open),
        (100, 5.0, Phase::Recovery),
    ] {
        let granularity = Duration::from_millis(1);
        let mut story = story(true, false, Stamping::Option { granularity });
        let _ = story.wait(100).stamped(0, 1000, &[(1, 2)]);
        let _ = story.stamped(0, 1000, &[(1, 3)]);
        assert_eq!(story.stamped(0, 1000, &[(1, 4)]), [0]);
        let _ = story.wait(5).stamped(4, 1000 + echo, &[]);
        assert_eq!(story.sender.phase(), phase, "{echo}");
        assert!(
            (story.window().0 - window).abs() < 1e-6,
            "{:?}",
            story.window()
        );
    }
}

/// RFC 5682, section 3.1: after the first ACK, two new segments are sent. Then one is acknowledged that was
/// sent before the timeout only.
#[test]
fn a_timeout_is_undone_if_an_original_arrives_after_it() {
    let mut story = story(false, true, Stamping::Exact);
    assert_eq!(story.expire(), [0]);
    assert_eq!(story.window().0, 1.0);
    assert_eq!(story.wait(100).ack(1), [10, 11]);
    assert_eq!(story.sender.phase(), Phase::Loss);
    assert_eq!(story.ack(2), []);
    assert_eq!(story.sender.phase(), Phase::Open);
    assert!((story.window().0 - 10.1).abs() < 1e-6 && story.window().1 == 7.5);
    assert_eq!(story.ack(10), [12, 13, 14, 15, 16, 17, 18, 19]);
    let counters = story.sender.counters();
    assert_eq!((counters.retransmits, counters.undone), (1, 1));
}

/// RFC 5682, section 3.1, step 3a: the new segments are SACKed, so what was sent before is lost.
#[test]
fn a_timeout_is_real_if_only_new_segments_arrive() {
    let mut story = story(false, true, Stamping::Exact);
    assert_eq!(story.expire(), [0]);
    assert_eq!(story.wait(100).ack(1), [10, 11]);
    assert_eq!(story.wait(100).ack_by(1, 10, &[(10, 11)]), [1]);
    assert_eq!(story.ack_by(1, 11, &[(10, 12)]), [2]);
    assert_eq!(story.wait(100).ack(2), [3, 4]);
    assert_eq!(story.sender.counters().undone, 0);
    assert_eq!(story.sender.phase(), Phase::Loss);
}

#[test]
fn without_f_rto_lost_segments_are_sent_after_a_timeout() {
    let mut story = story(false, false, Stamping::Exact);
    assert_eq!(story.expire(), [0]);
    assert_eq!(story.wait(100).ack(1), [1, 2]);
}
