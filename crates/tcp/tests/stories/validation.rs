//! Windows that are not used (RFC 2861, as in Linux), step by step. Windows count segments.

use dumbbell_control::units::Segments;
use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::recovery::{Any, Kind};

use crate::story::{Story, plain};

/// A connection with an initial window of 10, that has nothing to send yet.
fn story(window_validation: bool, ssthresh: u32) -> Story {
    let config = SenderConfig {
        window_validation,
        size: Some(0),
        relays: true,
        ..plain()
    };
    Story::below(
        Segments::whole(ssthresh),
        "reno",
        Any::new(Kind::Reno),
        10,
        config,
    )
}

/// One after another, segments from `una` to `high` are acknowledged after 100 ms.
fn acknowledge(story: &mut Story, una: u64, high: u64) {
    let _ = story.wait(100);
    for ack in una + 1..=high {
        let _ = story.ack(ack);
    }
}

/// 10 < 2 x 6: the first two ACKs let the window grow, until it is 12.
#[test]
fn in_slow_start_the_window_grows_to_twice_what_is_sent() {
    let mut story = story(true, 100);
    let _ = story.offer(6);
    acknowledge(&mut story, 0, 6);
    assert_eq!(story.window().0, 12.0);
    // Half of 12 is not more than half.
    let _ = story.offer(12);
    acknowledge(&mut story, 6, 12);
    assert_eq!(story.window().0, 12.0);
}

#[test]
fn without_validation_a_window_grows_while_there_is_something_to_send() {
    let mut story = story(false, 100);
    let _ = story.offer(6);
    acknowledge(&mut story, 0, 6);
    assert_eq!(story.window().0, 10.0);
}

/// A connection whose window has grown in congestion avoidance, from 11 in 20 rounds of 100 ms. All is
/// acknowledged.
fn grown(window_validation: bool) -> Story {
    let mut story = story(window_validation, 11);
    for _ in 0..20 {
        let una = story.sender.una();
        let _ = story.offer(una + 40);
        let high = story.sender.high();
        acknowledge(&mut story, una, high);
    }
    while story.sender.una() < story.sender.high() {
        let (una, high) = (story.sender.una(), story.sender.high());
        acknowledge(&mut story, una, high);
    }
    let (cwnd, ssthresh) = story.window();
    assert!(cwnd > 20.0 && ssthresh == 11.0, "{cwnd} {ssthresh}");
    story
}

/// The last segment was sent 100 ms before the last ACK. 250 ms later, one timeout has passed, and after 500 ms
/// two: the initial window is the least. The threshold is three quarters of the window.
#[test]
fn an_idle_window_is_halved_once_per_timeout_down_to_the_initial_one() {
    for (validates, idle, halvings) in [
        (false, 2000, 0),
        (true, 50, 0),
        (true, 250, 1),
        (true, 500, 2),
        (true, 9000, 9),
    ] {
        let mut story = grown(validates);
        let (cwnd, _) = story.window();
        let timeout = story.sender.timeout().as_nanos() / 1_000_000;
        assert!((200..300).contains(&timeout), "{timeout}");
        let _ = story.wait(idle);
        let size = story.sender.high() + 1;
        assert_eq!(story.offer(size).len(), 1);
        let expected = (cwnd / f64::from(1 << halvings)).max(if halvings > 0 { 10.0 } else { 0.0 });
        let (after, ssthresh) = story.window();
        assert!((after - expected).abs() < 1e-6, "{idle} {after}");
        let raised = (ssthresh - cwnd * 0.75).abs() < 1e-6;
        assert_eq!(raised, halvings > 0, "{ssthresh}");
    }
}

/// Two segments are sent every 150 ms: after a timeout, half of what exceeds the initial window is lost.
#[test]
fn a_window_that_is_hardly_used_shrinks_towards_what_is_used() {
    let mut story = grown(true);
    let (cwnd, _) = story.window();
    let mut windows = vec![cwnd];
    for _ in 0..6 {
        let high = story.sender.high();
        assert_eq!(story.offer(high + 2), [high, high + 1]);
        let now = story.window().0;
        if now != windows[windows.len() - 1] {
            windows.push(now);
        }
        acknowledge(&mut story, high, high + 2);
    }
    let first = (cwnd + 10.0) / 2.0;
    let expected = [cwnd, first, (first + 10.0) / 2.0];
    for (found, expected) in windows.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{windows:?}");
    }
    assert!(windows.len() > 3, "{windows:?}");
    assert!((story.window().1 - cwnd * 0.75).abs() < 1e-6);
}
