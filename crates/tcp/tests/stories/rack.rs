//! Recovery by times (RFC 8985), step by step. The first window is sent at 0 ms here.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::{Any, Rack};

use crate::story::{Story, plain};

fn story(window: u32, probes: bool, config: SenderConfig) -> Story {
    let rack = Any::Rack(Box::new(Rack::new(None, probes)));
    let mut story = Story::new(rack, window, config);
    let _ = story.sent();
    story
}

fn limited() -> SenderConfig {
    SenderConfig {
        limited_transmit: true,
        ..plain()
    }
}

/// A connection that has three segments to send, and may get more.
fn three() -> SenderConfig {
    SenderConfig {
        size: Some(3),
        relays: true,
        ..plain()
    }
}

fn ms(ms: u64) -> Option<Instant> {
    Some(Instant::ZERO + Duration::from_millis(1000 + ms))
}

/// Section 6.2: segment 1 is lost. Its successor is SACKed at 110 ms, and the reordering window is a
/// quarter of the least round-trip time, 25 ms. The retransmission is lost as well.
#[test]
fn a_segment_is_lost_when_a_later_one_has_arrived_and_the_window_has_passed() {
    let mut story = story(3, false, limited());
    assert_eq!(story.wait(100).ack(1), [3]);
    assert_eq!(story.wait(10).ack_by(1, 2, &[(2, 3)]), [4], "pipe is 2");
    assert_eq!(story.sender.phase(), Phase::Open);
    assert_eq!(story.sender.deadline(), ms(135));
    assert_eq!(story.expire(), [1]);
    assert_eq!(story.sender.phase(), Phase::Recovery);
    assert_eq!(story.window(), (2.0, 2.0));
    // Pipe is 3: 1, 3 and 4.
    assert_eq!(story.wait(65).ack_by(1, 3, &[(2, 4)]), []);
    assert_eq!(story.wait(10).ack_by(1, 4, &[(2, 5)]), [5]);
    // Segment 5 was sent at 210 ms, after segment 1 was sent again at 135 ms.
    assert_eq!(story.wait(100).ack_by(1, 5, &[(2, 6)]), [1, 6]);
    assert_eq!(story.sender.counters().fast_recoveries, 1);
    assert_eq!(story.wait(100).ack_by(7, 6, &[]), [7, 8]);
    assert_eq!(story.sender.phase(), Phase::Open);
    assert_eq!(story.sender.counters().timeouts, 0);
}

/// Segments 0 to 2 leave at 0 ms, and 3 at 100 ms; 2 is lost. One ACK, at 160 ms, covers 1 and SACKs 3. Of these, 3 was sent
/// last: its 60 ms and a quarter of them are over for segment 2. Linux has processed 1 last, and waits for its 160 ms and
/// 15 more.
#[test]
fn linux_takes_the_time_of_the_segment_that_it_processes_last() {
    for last in [false, true] {
        let rack = Any::Rack(Box::new(Rack::new(None, false).timed_by_last(last)));
        let mut story = Story::new(rack, 3, plain());
        let _ = story.sent();
        assert_eq!(story.wait(100).ack(1), [3]);
        let sent = story.wait(60).ack_by(2, 3, &[(3, 4)]);
        assert_eq!(sent.contains(&2), !last, "{sent:?}");
        if last {
            assert_eq!(story.sender.phase(), Phase::Open);
            assert_eq!(story.sender.deadline(), ms(175));
            assert!(story.expire().contains(&2));
        }
        assert_eq!(story.sender.phase(), Phase::Recovery);
    }
}

/// Section 6.2, step 4: while no reordering has been seen, the third SACKed segment suffices.
#[test]
fn without_reordering_three_sacked_segments_end_the_window() {
    let mut story = story(10, false, limited());
    assert_eq!(story.wait(100).ack_by(0, 1, &[(1, 2)]), [10]);
    assert_eq!(story.ack_by(0, 2, &[(1, 3)]), [11]);
    assert_eq!(story.ack_by(0, 3, &[(1, 4)]), [0]);
    assert_eq!(story.window(), (5.0, 5.0));
}

/// Segment 1 arrives before segment 0. So three segments above segment 2 do not suffice, and it is lost
/// 25 ms after its round-trip time.
#[test]
fn after_reordering_only_the_window_counts() {
    let mut story = story(10, false, limited());
    assert_eq!(story.wait(100).ack_by(0, 1, &[(1, 2)]), [10]);
    assert_eq!(story.ack_by(2, 0, &[]), [11]);
    assert_eq!(story.ack_by(2, 3, &[(3, 4)]), [12]);
    assert_eq!(story.ack_by(2, 4, &[(3, 5)]), [13]);
    assert_eq!(story.ack_by(2, 5, &[(3, 6)]), [14]);
    assert_eq!(story.sender.deadline(), ms(125));
    assert_eq!(story.expire(), [2]);
    assert_eq!(story.sender.counters().fast_recoveries, 1);
}

/// A block below another one in the same ACK is no reordering.
#[test]
fn blocks_of_one_ack_are_no_reordering() {
    let mut story = story(10, false, limited());
    let _ = story.wait(100).ack_by(0, 5, &[(5, 6), (2, 3)]);
    assert_eq!(story.ack_by(0, 6, &[(5, 7), (2, 3)]), [0]);
    assert_eq!(story.sender.in_flight(), 6, "0, and 7 to 11");
}

/// Without limited transmit, duplicates cause no new segments.
#[test]
fn without_limited_transmit_sacked_segments_are_not_replaced() {
    let mut story = story(10, false, plain());
    assert_eq!(story.wait(100).ack_by(0, 1, &[(1, 2)]), []);
    assert_eq!(story.ack_by(0, 2, &[(1, 3)]), []);
    assert_eq!(story.ack_by(0, 3, &[(1, 4)]), [0]);
}

/// Section 7: segments 1 and 2 of 3 are lost. SRTT is 100 ms and the timeout 300 ms. The probe at 300 ms is
/// segment 2 again, and its SACK shows that segment 1 is lost.
#[test]
fn a_probe_finds_a_lost_tail_before_the_timeout() {
    let mut story = story(3, true, three());
    assert_eq!(story.wait(100).ack(1), []);
    assert_eq!(story.sender.deadline(), ms(300));
    assert_eq!(story.expire(), [2]);
    assert_eq!(story.sender.phase(), Phase::Open);
    assert_eq!(story.sender.deadline(), ms(600), "no second probe");
    assert_eq!(story.wait(100).ack_by(1, 2, &[(2, 3)]), [1]);
    let counters = story.sender.counters();
    assert_eq!((counters.fast_recoveries, counters.timeouts), (1, 0));
}

/// Section 3.4, figure 1: segments 1 to 3 of 4 are lost, and then segment 1 once more.
#[test]
fn a_probe_and_a_lost_retransmission_need_no_timeout() {
    let config = SenderConfig {
        size: Some(4),
        ..three()
    };
    let mut story = story(4, true, config);
    assert_eq!(story.wait(100).ack(1), []);
    assert_eq!(story.expire(), [3]);
    assert_eq!(story.now, ms(300).unwrap());
    assert_eq!(story.wait(100).ack_by(1, 3, &[(3, 4)]), [1, 2]);
    assert_eq!(story.wait(100).ack_by(1, 2, &[(2, 4)]), [1]);
    assert_eq!(story.wait(100).ack_by(4, 1, &[]), []);
    let counters = story.sender.counters();
    assert_eq!((counters.fast_recoveries, counters.timeouts), (1, 0));
    assert_eq!(counters.retransmits, 4);
}

#[test]
fn a_probe_is_a_new_segment_if_there_is_one() {
    let mut story = story(2, true, plain());
    assert_eq!(story.wait(100).ack(1), [2]);
    assert_eq!(story.expire(), [3], "beyond the window of 2");
    assert_eq!(story.now, ms(300).unwrap());
    assert_eq!(story.wait(100).ack(4), [4, 5]);
    assert_eq!(story.sender.counters().retransmits, 0);
}

/// Section 7.4.2: segment 2 of 3 is lost, and the probe repairs it. It is sent when the retransmission
/// timer would fire, since a single segment waits for 2 SRTT and 200 ms.
fn repaired(spurious: bool) -> Story {
    let mut story = story(3, true, three());
    assert_eq!(story.wait(100).ack(2), []);
    assert_eq!(story.sender.deadline(), ms(400));
    assert_eq!(story.expire(), [2]);
    assert_eq!(story.wait(100).ack_by(3, 2, &[]), []);
    assert_eq!(story.sender.deadline(), None);
    if spurious {
        assert_eq!(story.ack_by(3, 2, &[]), []);
    }
    assert_eq!(story.offer(5), [3, 4]);
    let _ = story.wait(100).ack(4);
    assert_eq!(story.sender.counters().timeouts, 0);
    story
}

#[test]
fn a_loss_that_a_probe_has_repaired_cuts_the_window() {
    // Half of less than 4.
    let story = repaired(false);
    assert_eq!(story.window(), (2.0, 2.0));
    assert_eq!(story.sender.counters().fast_recoveries, 1);
    assert_eq!(story.sender.phase(), Phase::Open);
}

#[test]
fn a_duplicate_shows_that_a_probe_was_not_needed() {
    let story = repaired(true);
    assert!(story.window().0 >= 3.0);
    assert_eq!(story.sender.counters().fast_recoveries, 0);
}

/// Section 6.3: segments 1 and 2 were sent at 0 ms, segment 3 at 390 ms. The timer fires at 400 ms.
#[test]
fn a_timeout_leaves_what_was_sent_within_the_last_round_trip() {
    let mut story = story(3, false, three());
    assert_eq!(story.wait(100).ack(1), []);
    assert_eq!(story.wait(290).offer(4), [3]);
    assert_eq!(story.expire(), [1]);
    assert_eq!(story.now, ms(400).unwrap());
    assert_eq!(story.sender.phase(), Phase::Loss);
    assert_eq!(story.sender.in_flight(), 2, "1 and 3");
    assert_eq!(story.wait(100).ack(2), [2]);
    assert_eq!(story.wait(10).ack(4), []);
    assert!(story.sender.counters().retransmits == 2);
}

#[test]
fn a_timeout_without_a_round_trip_time_sends_everything_again() {
    let mut story = story(4, false, plain());
    assert_eq!(story.expire(), [0]);
    assert_eq!(story.wait(100).ack(1), [1, 2]);
    assert_eq!(story.wait(100).ack(3), [3, 4]);
}
