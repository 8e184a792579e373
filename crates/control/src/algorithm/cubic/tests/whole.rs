//! Linux' way of counting, in whole segments.

use super::super::{Config, Cubic, Stage};
use crate::controller::{Algorithm, Controller};
use crate::event::{Ack, Loss, Path, Sample};
use crate::units::{Bytes, Duration, Instant, Segments};

fn whole(window: u32) -> Cubic {
    let config = Config {
        whole_segments: true,
        raise_alpha: false,
        ..Config::default()
    };
    let path = Path::new(Bytes(1000))
        .with_initial_window(Segments::whole(window))
        .with_ssthresh(Segments::whole(2));
    Cubic::new(&config, &path)
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn ack(control: &mut Cubic, ms: u64) -> u64 {
    let now = at(ms);
    control.on_sample(&Sample::new(now, Segments::ONE).with_rtt(Duration::from_millis(20)));
    control.on_ack(&Ack::new(now, Segments::ONE, Segments::whole(7)));
    control.window().cwnd.floor()
}

#[test]
fn a_cut_is_rounded_down() {
    for (before, after) in [(10, 7), (9, 6), (8, 5), (7, 4), (5, 3), (2, 2)] {
        let mut control = whole(before);
        control.on_loss(&Loss::new(at(0), Segments::whole(before)));
        assert_eq!(control.window().cwnd, Segments::whole(after), "{before}");
    }
}

/// 8 * 1.7 / 0.9 is 15.1, so W_est grows by one for 15/8 of the window: 13 ACKs at 7, 3 at 2. It has grown once more
/// are counted. The rest counts for the next.
#[test]
fn w_est_counts_whole_acks() {
    for (window, each) in [(7, 13), (4, 7), (3, 5), (2, 3)] {
        let mut control = whole(window);
        let mut estimate = |acks: u32| {
            control.unestimated += acks;
            control.estimate_whole(window.into());
            control.w_est.floor()
        };
        assert_eq!([estimate(each), estimate(1), estimate(each)], [0, 1, 2]);
    }
}

/// W_est grows by one when more than 13 ACKs of 7 are counted: with the 14th it is 8. The curve's plateau of 10
/// is far: K is (3 / 0.4)^(1/3) = 1.96 s. From then on 7 ACKs raise the window.
#[test]
fn the_window_follows_w_est_a_round_trip_late() {
    let mut control = whole(10);
    control.on_loss(&Loss::new(at(0), Segments::whole(10)));
    let grown = (0..40).find(|&i| ack(&mut control, 3 * i) == 8);
    // 100 x 7 are needed at first; the 15th ACK is after 42 ms, the next look 31.25 ms after the one before.
    assert!(grown.is_some_and(|i| (20..=30).contains(&i)), "{grown:?}");
}

#[test]
fn what_was_counted_while_more_was_needed_gives_one_segment() {
    let mut control = whole(10);
    control.on_loss(&Loss::new(at(0), Segments::whole(10)));
    control.counted = 500;
    control.needed = 600;
    control.needed_at = 7;
    control.needed_since = at(0);
    control.stage = Stage::Running;
    control.w_est = Segments::whole(9);
    // K is not set, so the curve is at its plateau of 10: 7 / (10 - 7) = 2.
    assert_eq!(ack(&mut control, 100), 8);
    assert_eq!((control.needed, control.counted), (2, 1));
}

/// Without a plateau, 20 ACKs raise the window, however large it is.
#[test]
fn without_a_plateau_twenty_acks_are_enough() {
    let mut control = whole(100);
    let grown = (1..50).find(|&i| ack(&mut control, i) == 101);
    assert_eq!(grown, Some(20));
}
