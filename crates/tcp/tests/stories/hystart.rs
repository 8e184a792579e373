//! HyStart (Linux, `tcp_cubic.c`), step by step. The first window of 10 is sent at 0 ms, and SRTT begins at
//! 100 ms.

use dumbbell_control::units::Segments;
use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::recovery::{Any, Kind};

use crate::story::{Story, plain};

fn story(hystart: bool) -> Story {
    let config = SenderConfig { hystart, ..plain() };
    Story::below(Segments::MAX, "cubic", Any::new(Kind::NewReno), 10, config)
}

/// Acknowledges all segments outstanding, one each `apart` ms, after a wait of `wait` ms.
fn round(story: &mut Story, wait: u64, apart: u64) {
    let (una, high) = (story.sender.una(), story.sender.high());
    let _ = story.wait(wait);
    for ack in una + 1..=high {
        let _ = story.ack(ack);
        let _ = story.wait(apart);
    }
}

/// Half of 100 ms and 1 ms is 50.5 ms. The round begins with the ACK after segment 9, at 120 ms; ACKs come
/// every 2 ms, so that of 172 ms is the first after more than half. The window is 20 at first, and grows
/// with each ACK.
#[test]
fn a_train_of_acks_of_half_a_round_trip_ends_slow_start() {
    let mut story = story(true);
    round(&mut story, 100, 0);
    assert_eq!(story.window().0, 20.0);
    round(&mut story, 100, 2);
    assert_eq!(story.window().0, 40.0, "20 ACKs take 38 ms");
    let (una, high) = (story.sender.una(), story.sender.high());
    assert_eq!(high - una, 40);
    let _ = story.wait(60);
    for ack in una + 1..=una + 26 {
        let _ = story.ack(ack);
        assert_eq!(story.window().0, 40.0 + (ack - una) as f64);
        let _ = story.wait(2);
    }
    // 26 gaps of 2 ms are 52 ms. The ACK that ends slow start is the first of congestion avoidance.
    let _ = story.ack(una + 27);
    let (cwnd, ssthresh) = story.window();
    assert_eq!(ssthresh, 66.0);
    assert!(66.0 < cwnd && cwnd < 66.1, "{cwnd}");
}

/// ACKs that come every 3 ms are no train, and round-trip times of up to 112.5 ms are short enough: an eighth
/// of 100 ms.
#[test]
fn a_longer_delay_of_a_whole_round_ends_slow_start() {
    for (wait, ends) in [(112, false), (113, true)] {
        let mut story = story(true);
        let mut windows = Vec::new();
        round(&mut story, 100, 0);
        for wait in [100, wait] {
            let (una, high) = (story.sender.una(), story.sender.high());
            let _ = story.wait(wait);
            for ack in una + 1..=high {
                let _ = story.ack(ack);
            }
            windows.push(story.window());
        }
        assert_eq!(windows[0].0, 40.0);
        // The ninth round-trip time decides, in a window of 48.
        let expected = if ends { 48.0 } else { Segments::MAX.as_f64() };
        assert_eq!(windows[1].1, expected, "{wait}");
    }
}

#[test]
fn without_hystart_slow_start_goes_on() {
    let mut story = story(false);
    for _ in 0..3 {
        round(&mut story, 100, 2);
    }
    let (cwnd, ssthresh) = story.window();
    assert!(cwnd == 80.0 && ssthresh == Segments::MAX.as_f64());
}

/// Half of 10 ms and 1 ms is 5.5 ms, which the ACKs of the first window exceed. The window was below 16 when
/// they began, so they are no train.
#[test]
fn windows_below_16_segments_are_not_watched() {
    let mut story = story(true);
    round(&mut story, 10, 2);
    assert_eq!(story.window(), (20.0, Segments::MAX.as_f64()));
}
