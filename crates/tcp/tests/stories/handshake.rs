//! What the round-trip time of the handshake counts for, step by step: `handshake_rtt` of a scenario.

use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::recovery::{Any, Rack};

use crate::story::{Story, plain};

/// A connection that is about to open, whose handshake counts or does not.
fn opening(counts: bool) -> Story {
    let rack = Rack::new(None, false);
    let config = SenderConfig {
        handshake: true,
        handshake_rtt: counts,
        ..plain()
    };
    Story::new(Any::Rack(Box::new(rack)), 10, config)
}

/// Ten segments leave at 40 ms, when the connection opens. Each way takes data longer than what opens it.
fn story(counts: bool) -> Story {
    let mut story = opening(counts);
    assert_eq!(story.sent(), []);
    story.wait(40);
    story.sender.on_open(story.now, &mut story.wire);
    assert_eq!(story.sent(), (0..10).collect::<Vec<_>>());
    story
}

/// Segment 1 is SACKed at 140 ms, 100 ms after it left, and 0 may be late: for a quarter of 40 ms, if the handshake's
/// time counts, and otherwise for a quarter of 100 ms.
#[test]
fn the_reordering_window_is_a_quarter_of_it() {
    for (counts, late_ms) in [(true, 10), (false, 25)] {
        let mut story = story(counts);
        assert_eq!(story.wait(100).ack_by(0, 1, &[(1, 2)]), []);
        let due = story.sender.deadline().expect("the reordering timer");
        assert_eq!(due.since(story.now).as_nanos(), late_ms * 1_000_000);
        assert_eq!(story.expire(), [0]);
    }
}

/// The reply comes to the second opening segment, or late to the first: nobody knows, so it counts for nothing.
#[test]
fn a_handshake_that_was_repeated_counts_for_nothing() {
    let mut story = opening(true);
    assert_eq!(story.expire(), [], "an opening segment is none of data");
    assert_eq!(story.wire.opened, 2);
    story.wait(40);
    story.sender.on_open(story.now, &mut story.wire);
    let _ = story.sent();
    assert_eq!(story.wait(100).ack_by(0, 1, &[(1, 2)]), []);
    let due = story.sender.deadline().expect("the reordering timer");
    assert_eq!(due.since(story.now).as_nanos(), 25_000_000);
}
