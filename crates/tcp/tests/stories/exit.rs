//! The ACK that ends a loss episode, step by step: `exit_growth` of a scenario. The first window of 10 is sent at 0 ms
//! here, in congestion avoidance.

use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::{Any, Rack};

use crate::story::{Story, plain};

fn story(grows: bool) -> Story {
    let rack = Rack::new(None, false).growing_at_exits(grows);
    let mut story = Story::new(Any::Rack(Box::new(rack)), 10, plain());
    let _ = story.sent();
    story
}

/// Segments 1 to 3 are SACKed at 100 ms, and 0 is sent again: half of 10. At 200 ms all are acknowledged, which ends the
/// episode. The ACK adds a fifth to the window of 5.
#[test]
fn the_ack_that_ends_an_episode_grows_the_window() {
    for (grows, expected) in [(true, (5.2, 5.0)), (false, (5.0, 5.0))] {
        let mut story = story(grows);
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
    let mut story = story(true);
    assert_eq!(story.wait(100).ack_by(0, 3, &[(1, 4)]), [0]);
    assert_eq!(story.wait(10).ack_by(0, 9, &[(1, 10)]), [10, 11, 12, 13]);
    let _ = story.wait(100).ack_by(10, 13, &[(11, 14)]);
    assert_eq!(story.sender.phase(), Phase::Recovery);
    assert_eq!(story.window(), (2.5, 2.5));
}

/// The last of ten segments is lost, and the probe at 400 ms, which is that segment again, repairs it. Ten more leave at
/// 500 ms. The first ACK of these shows that the loss is over: half of 10, and a fifth more.
#[test]
fn an_ack_that_shows_that_a_probe_has_repaired_a_loss_grows_the_window() {
    for (grows, expected) in [(true, 5.2), (false, 5.0)] {
        let rack = Rack::new(None, true).growing_at_exits(grows);
        let config = SenderConfig {
            size: Some(10),
            ..plain()
        };
        let mut story = Story::new(Any::Rack(Box::new(rack)), 10, config);
        let _ = story.sent();
        assert_eq!(story.wait(100).ack(9), []);
        assert_eq!(story.expire(), [9]);
        assert_eq!(story.wait(100).ack(10), []);
        assert_eq!(story.offer(100), (10..20).collect::<Vec<_>>());
        assert_eq!(story.wait(100).ack(11), []);
        assert_eq!(story.sender.counters().fast_recoveries, 1);
        let (window, threshold) = story.window();
        assert!((window - expected).abs() < 1e-6, "{window}");
        assert!((threshold - 5.0).abs() < 1e-6, "{threshold}");
    }
}
