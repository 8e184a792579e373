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

/// A cut from 8 to 5: K is (3 / 0.4)^(1/3) = 1.957 s. 20 ms later the curve is 0.4 * 1.937^3 = 2.91 below 8, which counts as
/// 2: it is at 6. With 1.5 s it is 0.04 below, at 8, and after 3.4 s 1.2 above, at 9.
#[test]
fn the_distance_from_the_plateau_is_rounded_down() {
    let mut control = whole(8);
    control.on_loss(&Loss::new(at(0), Segments::whole(8)));
    control.begin();
    let height = |ms| control.height_whole(Duration::from_millis(ms));
    assert_eq!(
        [20, 1_500, 1_957, 3_000, 3_400].map(height),
        [6, 8, 8, 8, 9]
    );
}

/// Cut from 10 to 7, the curve is at 8: 7 ACKs raise the window. Then 800 would be needed, and W_est, which begins at 7, is
/// followed: it grows by one when more than 15 ACKs of 8 are counted, which is looked at every 11 ACKs, with ACKs 7, 18, 29
/// and 40. There are 8 at first; 19 make it 8 and leave 4; 15 do not make it 9, and 26 do.
#[test]
fn the_window_follows_the_curve_and_then_w_est() {
    let mut control = whole(10);
    control.on_loss(&Loss::new(at(0), Segments::whole(10)));
    let mut grown = |from: u64, window| (from..99).find(|&i| ack(&mut control, 3 * i) == window);
    assert_eq!(grown(0, 8), Some(6));
    assert_eq!(grown(7, 9), Some(40));
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
