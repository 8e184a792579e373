//! ACKs of a receiver that wants more than its share, or breaks its word, step by step (Savage, Cardwell, Wetherall and
//! Anderson 1999; RFC 2018, section 8; RFC 3708, section 5). The sender is Linux': RACK, undo, windows that grow by all that
//! an ACK covers. The first window is sent at 0 ms here. `properties/hostile.rs` has random ones.

use dumbbell_control::event::Path;
use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Bytes, Duration, Segments};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::{Any, Rack};

use crate::story::{Story, plain};

/// A window of 10 in slow start or, with this threshold, in congestion avoidance.
fn story(ssthresh: Segments) -> Story {
    let mut config = AnyConfig::named("reno").expect("built in");
    for (key, value) in [
        ("counting", Setting::Choice("abc")),
        ("abc_limit", Setting::Count(255)),
    ] {
        config.set(key, value).expect("a parameter of Reno");
    }
    let path = Path::new(Bytes(1000))
        .with_initial_window(Segments::whole(10))
        .with_ssthresh(ssthresh);
    let rack = Rack::new(None, false).undoing(true, true);
    let mut story = Story::of(config.build(&path), Any::Rack(Box::new(rack)), plain());
    assert_eq!(story.sent().len(), 10);
    story
}

/// An optimistic receiver acknowledges what was never sent: nothing happens.
#[test]
fn an_ack_of_what_was_not_sent_is_ignored() {
    let mut story = story(Segments::MAX);
    let _ = story.wait(100);
    for ack in [11, 12, 1 << 40, u64::MAX] {
        assert_eq!(story.ack(ack), [], "{ack}");
        assert_eq!(story.ack_by(ack, 9, &[(20, 30)]), [], "{ack}");
    }
    assert_eq!(story.window().0, 10.0);
    assert_eq!((story.sender.una(), story.sender.in_flight()), (0, 10));
    // SACK blocks above what was sent do not make it lost, and leave no trace.
    assert_eq!(story.ack_by(0, 1, &[(10, 90), (100, 200)]), []);
    assert_eq!(
        (story.sender.in_flight(), story.sender.phase()),
        (10, Phase::Open)
    );
}

/// A receiver acknowledges segments as soon as they were sent, whether they arrived or not. The window grows by a segment
/// for each that was sent, as with any receiver, and what was lost is lost: it is never sent again.
#[test]
fn an_ack_ahead_of_time_gains_no_more_than_the_segments_that_it_covers() {
    let mut story = story(Segments::MAX);
    for (ack, window) in [(4, 14.0), (10, 20.0), (24, 34.0)] {
        let _ = story.wait(1).ack(ack);
        assert_eq!(story.window().0, window);
    }
    assert_eq!(story.sender.counters().retransmits, 0);
}

/// One ACK for ten segments and ten ACKs, each of them three times, give the same window; and so do they in congestion
/// avoidance: a segment for a window.
#[test]
fn stretched_and_divided_acks_grow_the_window_alike() {
    for (ssthresh, expected) in [(Segments::MAX, 20.0), (Segments::whole(2), 11.0)] {
        let mut stretched = story(ssthresh);
        assert_eq!(stretched.wait(100).ack(10).len() as f64, expected);
        let mut divided = story(ssthresh);
        let _ = divided.wait(100);
        for ack in 1..=10 {
            for _ in 0..3 {
                let _ = divided.ack(ack);
            }
        }
        for story in [&stretched, &divided] {
            assert_eq!(
                (story.window().0, story.sender.phase()),
                (expected, Phase::Open)
            );
        }
    }
}

/// A receiver withdraws what it reported (RFC 2018, section 8): segments 1 to 8 were SACKed, and after 0 and 9 arrive, the
/// ACK says 1, without blocks. Each of the eight is sent again when it is the oldest, by its timer at the latest, and no
/// more than the window of 5 leave at once.
#[test]
fn what_a_receiver_withdraws_is_sent_again() {
    let mut story = story(Segments::whole(2));
    assert_eq!(story.wait(100).ack_by(0, 8, &[(1, 9)]), [0, 10, 11, 12]);
    let mut again = Vec::new();
    for una in 1..9 {
        let mut sent = story.wait(100).ack_by(una, una - 1, &[]);
        assert_eq!(story.sender.una(), una);
        for _ in 0..4 {
            if !again.contains(&una) && !sent.contains(&una) {
                sent.extend(story.expire());
            }
        }
        assert!(sent.len() <= 5, "{sent:?}");
        again.extend(sent.into_iter().filter(|seq| *seq < 10));
    }
    assert!((1..9).all(|seq| again.contains(&seq)), "{again:?}");
}

/// A receiver reports copies that never arrived. Those of what was sent again give back the window from before the cut,
/// once, and never more (RFC 3708, section 5); the others nothing.
#[test]
fn forged_reports_of_copies_give_back_no_more_than_the_cut() {
    let mut story = story(Segments::whole(2));
    assert_eq!(story.wait(100).ack_by(0, 3, &[(1, 4)]), [0]);
    assert_eq!(story.window().0, 5.0);
    for _ in 0..50 {
        let _ = story.ack_by(0, 3, &[(1, 2), (1, 4)]);
        let _ = story.ack_by(0, 3, &[(7, 8), (1, 9)]);
    }
    assert_eq!(story.window().0, 5.0);
    assert_eq!(story.sender.counters().undone, 0);
    let _ = story.ack(9);
    for _ in 0..50 {
        let _ = story.ack_by(9, 0, &[(0, 1)]);
    }
    let (window, _) = story.window();
    assert!((9.9..10.5).contains(&window), "{window}");
    assert_eq!(story.sender.counters().undone, 1);
}

/// Once segments have changed their order, reports of copies widen the reordering window, by a quarter of the least
/// round-trip time in a round at most, up to SRTT (RFC 8985, section 6.2, step 4): so a loss is still found within two
/// round trips.
#[test]
fn forged_reports_of_copies_do_not_hide_a_loss() {
    let mut story = story(Segments::whole(2));
    let _ = story.wait(100).ack_by(0, 1, &[(1, 2)]);
    let _ = story.ack(2);
    for _ in 0..20 {
        let all = story.sender.high();
        let _ = story.wait(100);
        for _ in 0..10 {
            let _ = story.ack_by(all, all - 1, &[(0, 1)]);
        }
    }
    let first = story.sender.high();
    let sent = story.wait(100).ack(first);
    assert!(sent.len() > 3, "{sent:?}");
    let (begun, srtt) = (story.now, story.sender.srtt().expect("samples"));
    let above = &[(first + 1, story.sender.high())];
    let _ = story.wait(100).ack_by(first, above[0].1 - 1, above);
    // It may only be late.
    assert_eq!(story.sender.counters().fast_recoveries, 0);
    while story.sender.counters().fast_recoveries == 0 {
        let _ = story.expire();
        assert_eq!(story.sender.counters().timeouts, 0);
    }
    let taken = story.now.since(begun);
    assert_eq!(srtt, Duration::from_millis(100));
    // A round-trip time, and the whole window.
    assert_eq!(taken, srtt + srtt);
}
