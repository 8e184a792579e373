//! Linux' states Recovery and Loss, step by step: `exit_growth` and `loss_state` of a scenario. The first window of 10 is
//! sent at 0 ms here, in congestion avoidance.

use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::{Any, Bound, Habits, Rack};

use crate::story::{Story, plain};

fn story(habits: Habits, reduction: Option<Bound>) -> Story {
    let rack = Rack::new(reduction, false).with_habits(habits);
    let mut story = Story::new(Any::Rack(Box::new(rack)), 10, plain());
    let _ = story.sent();
    story
}

fn grows(exit_growth: bool) -> Habits {
    Habits {
        exit_growth,
        ..Habits::default()
    }
}

fn with_state(loss_state: bool) -> Habits {
    Habits {
        loss_state,
        ..Habits::default()
    }
}

/// Segments 1 to 3 are SACKed at 100 ms, and 0 is sent again: half of 10. At 200 ms all are acknowledged, which ends the
/// episode. The ACK adds a fifth to the window of 5.
#[test]
fn the_ack_that_ends_an_episode_grows_the_window() {
    for (habit, expected) in [(true, (5.2, 5.0)), (false, (5.0, 5.0))] {
        let mut story = story(grows(habit), None);
        assert_eq!(story.wait(100).ack_by(0, 3, &[(1, 4)]), [0]);
        assert_eq!(story.window(), (5.0, 5.0));
        assert_eq!(story.wait(100).ack(10), [10, 11, 12, 13, 14]);
        assert_eq!(story.sender.phase(), Phase::Open);
        let (window, threshold) = story.window();
        assert!((window - expected.0).abs() < 1e-6, "{window}");
        assert!((threshold - expected.1).abs() < 1e-6, "{threshold}");
    }
}

/// The ACK at 200 ms ends the episode and, with a SACK of segments 11 to 13, shows that 10 is lost, too: another
/// half, and no growth.
#[test]
fn an_ack_that_shows_another_loss_does_not_grow_the_window() {
    let mut story = story(grows(true), None);
    assert_eq!(story.wait(100).ack_by(0, 3, &[(1, 4)]), [0]);
    assert_eq!(
        story.wait(10).ack_by(0, 9, &[(1, 10)]),
        [10, 11, 12, 13]
    );
    let _ = story.wait(100).ack_by(10, 13, &[(11, 14)]);
    assert_eq!(story.sender.phase(), Phase::Recovery);
    assert_eq!(story.window(), (2.5, 2.5));
}

/// The episode of 100 ms has halved the window. At 1080 ms segments 4 to 9 are SACKed, and four new ones leave. The
/// timer fires at 1100 ms, a second after the retransmission: the threshold stays at 5, the four of 1080 ms are in the network,
/// and the window is one more. By RFC 5681, it is one segment, and the threshold is halved once more.
#[test]
fn a_timeout_in_an_episode_keeps_the_threshold_and_what_is_in_the_network() {
    for (habit, expected) in [(true, (5.0, 5.0)), (false, (1.0, 2.5))] {
        let mut story = story(with_state(habit), None);
        assert_eq!(story.wait(100).ack_by(0, 3, &[(1, 4)]), [0]);
        assert_eq!(
            story.wait(980).ack_by(0, 9, &[(1, 10)]),
            [10, 11, 12, 13]
        );
        assert_eq!(story.expire(), [0], "the oldest segment alone");
        assert_eq!(story.sender.phase(), Phase::Loss);
        assert_eq!(story.window(), expected);
    }
}

/// A timeout that begins an episode cuts the threshold in any case. Afterwards an ACK of two segments counts for two.
#[test]
fn an_ack_after_a_timeout_counts_for_all_its_segments() {
    for (habit, expected) in [(true, 4.0), (false, 3.0)] {
        let mut story = story(with_state(habit), None);
        assert_eq!(story.expire(), [0]);
        assert_eq!(story.window(), (1.0, 5.0));
        assert_eq!(story.wait(100).ack(1), [1, 2]);
        let _ = story.wait(100).ack(3);
        assert_eq!(story.window().0, expected);
    }
}

/// Segments 1 and 2 are sent again after a timeout, and only 2 arrives: 1 is lost once more. Linux begins an episode, and
/// cuts the window of 2, of which 2 are left at least.
#[test]
fn a_retransmission_that_is_lost_after_a_timeout_begins_an_episode() {
    for (habit, phase, threshold) in [(true, Phase::Recovery, 2.0), (false, Phase::Loss, 5.0)] {
        let mut story = story(with_state(habit), Some(Bound::Safe));
        assert_eq!(story.expire(), [0]);
        assert_eq!(story.wait(100).ack(1), [1, 2]);
        let again = story.wait(100).ack_by(1, 2, &[(2, 3)]);
        assert_eq!(again.first(), Some(&1));
        assert_eq!((story.sender.phase(), story.window().1), (phase, threshold));
        let counters = story.sender.counters();
        assert_eq!(counters.fast_recoveries, u64::from(habit));
    }
}
