//! Stories that are worked out by hand, and what holds for every one.

use proptest::prelude::*;

use super::*;
use crate::source::MOST_PACKETS;

const INTERVAL: Duration = Duration::from_millis(100);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at(millis: u64) -> Instant {
    Instant::ZERO + ms(millis)
}

fn player(late: Late, lost: Lost) -> Player {
    let config = PlayerConfig {
        delay: Delay::Fixed(ms(200)),
        late,
        lost,
        clock: Clock::Shared,
    };
    Player::new(config, INTERVAL, at(0))
}

/// Packet `index` of two of frame `frame`, which is made after as many intervals; every fifth is a key frame.
fn packet(frame: u32, index: u16) -> Fragment {
    Fragment {
        frame,
        index,
        count: 2,
        bytes: 500,
        key: frame.is_multiple_of(5),
        made_at: at(100 * u64::from(frame)),
    }
}

/// Both packets of a frame arrive at this time.
fn whole(player: &mut Player, millis: u64, frame: u32) -> bool {
    let first = player.on_fragment(at(millis), &packet(frame, 0));
    player.on_fragment(at(millis), &packet(frame, 1)) || first
}

/// Frames made at 0, 100, ... arrive after 50 ms and are shown after 200 ms. At 1000 ms, nine have been shown, the last of
/// them for 0 ms, and frames 9 and, not yet heard of, 10 are under way.
#[test]
fn without_losses_every_frame_is_shown_for_its_interval() {
    let mut player = player(Late::Skip, Lost::Freeze);
    for frame in 0..10 {
        assert!(!whole(&mut player, 100 * u64::from(frame) + 50, frame));
    }
    let report = player.report(at(1000));
    assert_eq!((report.shown, report.shown_late, report.lost), (9, 0, 0));
    assert_eq!((report.startup, report.played), (Some(ms(200)), ms(800)));
    assert_eq!((report.frozen, report.freezes), (Duration::ZERO, 0));
    assert_eq!(report.payload, 10_000);
    let delay = report.delay.unwrap();
    assert_eq!(delay.mean, 0.2);
    assert!((delay.p50 / 0.2 - 1.0).abs() < 0.016 && delay.max == 0.2);
    assert_eq!(report.rate, 9.0 * 8000.0);
}

/// Frame 2 lacks a packet. It is due at 400 ms; frame 3 is shown at 500 ms, so the picture stood still for 100 ms.
#[test]
fn the_picture_skips_an_incomplete_frame() {
    let mut player = player(Late::Skip, Lost::Skip);
    for frame in [0, 1] {
        whole(&mut player, 100 * u64::from(frame) + 50, frame);
    }
    assert!(!player.on_fragment(at(250), &packet(2, 0)));
    for frame in [3, 4] {
        assert!(!whole(&mut player, 100 * u64::from(frame) + 50, frame));
    }
    let report = player.report(at(650));
    assert_eq!((report.shown, report.lost, report.late), (4, 1, 0));
    assert_eq!((report.played, report.frozen), (ms(350), ms(100)));
    // Its packet arrives after all: it is late, and not lost.
    player.on_fragment(at(700), &packet(2, 1));
    let report = player.report(at(700));
    assert_eq!((report.shown, report.lost, report.late), (4, 0, 1));
}

/// Frame 2 is missing whole. The player notices at 350 ms, when frame 3 comes, and asks at once; again at 600 ms, but not
/// at 550 ms. Frames 3 and 4 are undecodable. Frame 5 is a key frame, due at 700 ms; the picture stood still from
/// 400 ms, when frame 2 was due.
#[test]
fn the_picture_stands_still_until_a_key_frame() {
    let mut player = player(Late::Skip, Lost::Freeze);
    for frame in [0, 1] {
        whole(&mut player, 100 * u64::from(frame) + 50, frame);
    }
    assert!(player.on_fragment(at(350), &packet(3, 0)));
    assert!(!player.on_fragment(at(350), &packet(3, 1)));
    assert!(!whole(&mut player, 450, 4));
    let mut waits = player.clone();
    assert!(
        !waits.on_fragment(at(599), &packet(6, 0)) && waits.on_fragment(at(600), &packet(6, 1))
    );
    assert!(!whole(&mut player, 610, 5), "a key frame is there");
    whole(&mut player, 650, 6);
    let report = player.report(at(850));
    assert_eq!((report.shown, report.undecodable, report.lost), (4, 2, 1));
    assert_eq!(
        (report.played, report.frozen, report.freezes),
        (ms(350), ms(300), 1)
    );
    assert_eq!(report.requests, 1);
}

/// Frame 1, due at 300 ms, is complete at 360 ms.
#[test]
fn a_late_frame_is_shown_at_once_or_not_at_all() {
    let story = |late| {
        let mut player = player(late, Lost::Freeze);
        whole(&mut player, 50, 0);
        whole(&mut player, 360, 1);
        whole(&mut player, 365, 2);
        player.report(at(450))
    };
    let shown = story(Late::Show);
    assert_eq!((shown.shown, shown.shown_late, shown.late), (3, 1, 0));
    // Shown at 200, 360 and 400 ms.
    assert_eq!((shown.played, shown.frozen), (ms(190), ms(60)));
    assert!((shown.delay.unwrap().max - 0.26).abs() < 1e-9);
    let skipped = story(Late::Skip);
    assert_eq!((skipped.shown, skipped.shown_late, skipped.late), (2, 0, 1));
    // A frame that is not shown can still be built on.
    assert_eq!((skipped.undecodable, skipped.lost), (0, 0));
    assert_eq!((skipped.played, skipped.frozen), (ms(150), ms(100)));
}

#[test]
fn what_is_absurd_changes_nothing_but_counts() {
    let mut player = player(Late::Show, Lost::Skip);
    whole(&mut player, 50, 0);
    let before = player.report(at(60));
    for wrong in [
        Fragment {
            index: 2,
            ..packet(0, 0)
        },
        Fragment {
            count: 0,
            ..packet(0, 0)
        },
        Fragment {
            count: 9,
            index: 4,
            ..packet(0, 0)
        },
        Fragment {
            count: MOST_PACKETS + 1,
            ..packet(0, 0)
        },
        packet(0, 1),
    ] {
        player.on_fragment(at(60), &wrong);
        assert_eq!(player.report(at(60)), before, "{wrong:?}");
    }
    // A number that is far ahead takes no time and no memory; what it skips is lost.
    let far = Fragment {
        frame: u32::MAX,
        ..packet(0, 0)
    };
    player.on_fragment(at(70), &far);
    let report = player.report(at(80));
    assert_eq!(report.lost + report.shown, u64::from(u32::MAX));
}

/// Packets of frames, each with its delay in ms or lost.
fn transits() -> impl Strategy<Value = Vec<Option<u64>>> {
    let transit = prop_oneof![
        6 => (20_u64..150).prop_map(Some),
        2 => (150_u64..900).prop_map(Some),
        1 => Just(None),
    ];
    prop::collection::vec(transit, 2..240)
}

fn rules() -> impl Strategy<Value = PlayerConfig> {
    let delay = prop_oneof![
        (1_u64..400).prop_map(|delay| Delay::Fixed(ms(delay))),
        (1_u64..400).prop_map(|least| Delay::Adaptive {
            least: ms(least),
            most: ms(2 * least),
        }),
    ];
    let late = prop_oneof![Just(Late::Show), Just(Late::Skip)];
    let lost = prop_oneof![Just(Lost::Skip), Just(Lost::Freeze)];
    let clock = prop_oneof![Just(Clock::Shared), Just(Clock::Unknown)];
    (delay, late, lost, clock).prop_map(|(delay, late, lost, clock)| PlayerConfig {
        delay,
        late,
        lost,
        clock,
    })
}

proptest! {
    /// Startup, played and frozen time are all the time there is; no frame is counted twice; and looking at a player does
    /// not change it.
    #[test]
    fn time_and_frames_are_conserved(config in rules(), transits in transits(), end in 0_u64..2000, looks: bool) {
        let mut arrivals: Vec<(u64, Fragment)> = (0..)
            .zip(&transits)
            .filter_map(|(number, transit)| {
                let fragment = packet(number / 2, (number % 2) as u16);
                let sent = 100 * u64::from(number / 2) + u64::from(number % 2);
                transit.map(|transit| (sent + transit, fragment))
            })
            .collect();
        arrivals.sort_by_key(|(at, _)| *at);
        let made = transits.len().div_ceil(2) as u64;
        let last = arrivals.last().map_or(0, |(at, _)| *at);
        let mut player = Player::new(config, INTERVAL, at(0));
        let mut watched = player.clone();
        for (when, fragment) in &arrivals {
            player.on_fragment(at(*when), fragment);
            watched.advance(at(*when));
            watched.on_fragment(at(*when), fragment);
            if looks {
                let _ = watched.report(at(*when + 50));
            }
            let report = player.report(at(*when));
            let counted = report.shown + report.late + report.undecodable + report.lost;
            prop_assert!(counted <= made, "{report:?}");
        }
        let now = at(last + end);
        let report = player.report(now);
        prop_assert_eq!(report, watched.report(now));
        let seen = report.startup.unwrap_or(now.since(at(0)));
        prop_assert_eq!(seen + report.played + report.frozen, now.since(at(0)));
        prop_assert!(report.shown_late <= report.shown);
        // After all is due, each frame of which anything was heard has been counted, and those before it.
        let much_later = player.report(at(last + 5000));
        let heard = arrivals.iter().map(|(_, one)| u64::from(one.frame) + 1).max().unwrap_or(0);
        let counted = much_later.shown + much_later.late + much_later.undecodable + much_later.lost;
        // The newest frame is not lost yet if it is incomplete.
        prop_assert!(counted == heard || counted + 1 == heard, "{} of {heard}: {:?}", counted, much_later);
    }
}
