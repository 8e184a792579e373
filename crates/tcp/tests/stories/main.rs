//! Tests that follow a sender step by step as ACKs arrive. Segments are counted from 0 here; examples in
//! the literature often count from 1.

mod accurate;
mod exit;
mod handshake;
mod hostile;
mod hystart;
mod linux;
mod marked;
mod notification;
mod rack;
mod story;
mod undo;
mod validation;

use dumbbell_control::controller::Controller;
use dumbbell_control::event::Path;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::{Any, Bound, Kind, NewReno, PartialAckTimer, Rack, Reno, Sack};

use story::{Story, plain};

fn list(range: std::ops::Range<u64>) -> Vec<u64> {
    range.collect()
}

/// RFC 5681, section 3.2: half of 16, plus 3, plus 1 for each of 12 further duplicates.
#[test]
fn reno_inflates_by_duplicates_and_deflates_at_the_end() {
    let mut story = Story::new(Any::new(Kind::Reno), 16, plain());
    assert_eq!(story.sent(), list(0..16));
    assert_eq!(story.duplicates(0, 2), []);
    assert_eq!(story.duplicates(0, 1), [0]);
    assert_eq!(story.window(), (11.0, 8.0));
    assert_eq!(story.duplicates(0, 12), list(16..23));
    assert_eq!(story.window(), (23.0, 8.0));
    let _ = story.ack(16);
    assert_eq!(story.window(), (8.0, 8.0));
    assert_eq!(story.sender.phase(), Phase::Open);
}

#[test]
fn offered_segments_are_sent_as_the_window_allows() {
    let config = SenderConfig {
        size: Some(0),
        relays: true,
        ..plain()
    };
    let mut story = Story::new(Any::new(Kind::Reno), 4, config);
    assert_eq!(story.sent(), []);
    assert_eq!(story.sender.deadline(), None);
    assert_eq!(story.wait(10).offer(2), [0, 1]);
    assert_eq!(story.offer(9), [2, 3]);
    assert_eq!(story.wait(10).ack(4), [4, 5, 6, 7]);
    assert_eq!(story.offer(3), [], "less than before is no news");
    assert_eq!(story.wait(10).ack(8), [8]);
    assert_eq!(story.wait(10).ack(9), []);
    assert_eq!(story.sender.deadline(), None, "nothing is outstanding");
    assert!(!story.sender.finished(), "more may come");
    assert_eq!(story.wait(500).offer(10), [9]);
    assert!(story.sender.deadline().is_some());
}

#[test]
fn segments_offered_early_wait_for_the_connection() {
    let config = SenderConfig {
        size: Some(0),
        relays: true,
        handshake: true,
        ..plain()
    };
    let mut story = Story::new(Any::new(Kind::Reno), 4, config);
    assert_eq!(story.wire.opened, 1);
    assert_eq!(story.wait(10).offer(2), []);
    story.sender.on_open(story.now, &mut story.wire);
    assert_eq!(story.sent(), [0, 1]);
}

#[test]
fn a_timeout_restarts_reno_at_one_segment() {
    let mut story = Story::new(Any::new(Kind::Reno), 7, plain());
    let _ = story.sent();
    assert_eq!(story.expire(), [0]);
    assert_eq!(story.window(), (1.0, 3.5));
}

/// RFC 6582, section 3.2: segments 0 and 5 of 20 are lost.
#[test]
fn newreno_repairs_two_losses_of_a_window_with_one_cut() {
    for small_exit in [false, true] {
        let recovery = NewReno::new(Reno::default(), PartialAckTimer::Impatient, small_exit);
        let mut story = Story::new(Any::NewReno(recovery), 20, plain());
        assert_eq!(story.sent(), list(0..20));
        assert_eq!(story.duplicates(0, 3), [0]);
        assert_eq!(story.window(), (13.0, 10.0));
        assert_eq!(story.duplicates(0, 15), list(20..28));
        assert_eq!(story.window(), (28.0, 10.0));
        assert_eq!(story.ack(5), [5, 28]);
        assert_eq!(story.window(), (24.0, 10.0));
        assert_eq!(story.duplicates(5, 8), list(29..37));
        assert_eq!(story.window(), (32.0, 10.0));
        assert_eq!(story.ack(28), [37]);
        assert_eq!(
            story.window(),
            (10.0, 10.0),
            "both exits leave a window of 10 here"
        );
        assert_eq!(story.sender.counters().fast_recoveries, 1);
    }
}

#[test]
fn a_small_exit_sets_the_window_to_the_flight_and_one() {
    let recovery = NewReno::new(Reno::default(), PartialAckTimer::Impatient, true);
    let mut story = Story::new(Any::NewReno(recovery), 20, plain());
    let _ = story.sent();
    let _ = story.duplicates(0, 3);
    let _ = story.ack(20);
    assert_eq!(story.window(), (2.0, 10.0));
}

#[test]
fn the_exit_of_newreno_sends_four_segments_at_most() {
    let mut story = Story::new(Any::new(Kind::NewReno), 20, plain());
    let _ = story.sent();
    assert_eq!(story.duplicates(0, 3), [0]);
    assert_eq!(story.ack(20), list(20..24));
    assert_eq!(story.window(), (10.0, 10.0));
}

#[test]
fn the_impatient_timer_restarts_on_the_first_partial_ack_only() {
    for (timer, later) in [
        (PartialAckTimer::Impatient, false),
        (PartialAckTimer::SlowButSteady, true),
    ] {
        let recovery = NewReno::new(Reno::default(), timer, false);
        let mut story = Story::new(Any::NewReno(recovery), 20, plain());
        let _ = story.duplicates(0, 3);
        let _ = story.wait(50).ack(5);
        let first = story.sender.deadline();
        let _ = story.wait(50).ack(9);
        assert_eq!(story.sender.deadline() > first, later, "{timer:?}");
    }
}

#[test]
fn a_second_loss_of_a_window_waits_for_the_timer_in_careful_reno_only() {
    for (careful, sent) in [(true, vec![]), (false, vec![5])] {
        let mut story = Story::new(
            Any::Reno(Reno {
                careful,
                ..Reno::default()
            }),
            20,
            plain(),
        );
        let _ = story.sent();
        assert_eq!(story.duplicates(0, 3), [0]);
        let _ = story.ack(5);
        assert_eq!(story.duplicates(5, 3), sent);
    }
}

#[test]
fn the_ack_that_ends_an_episode_grows_the_window_with_exit_growth_only() {
    // Half of 20, and 1 / 10 of a segment for the one ACK.
    for (exit_growth, cwnd) in [(false, 10.0), (true, 10.1)] {
        let entry = Reno {
            exit_growth,
            ..Reno::default()
        };
        let newreno = NewReno::new(entry, PartialAckTimer::Impatient, false);
        for recovery in [Any::Reno(entry), Any::NewReno(newreno)] {
            let mut story = Story::new(recovery, 20, plain());
            let _ = story.duplicates(0, 3);
            let _ = story.ack(20);
            assert!((story.window().0 - cwnd).abs() < 1e-6);
        }
    }
}

#[test]
fn limited_transmit_sends_one_new_segment_on_each_of_two_duplicates() {
    let config = SenderConfig {
        limited_transmit: true,
        ..plain()
    };
    for kind in [Kind::Tahoe, Kind::Reno, Kind::NewReno] {
        let control = if kind == Kind::Tahoe { "tahoe" } else { "reno" };
        let mut story = Story::with_control(control, Any::new(kind), 10, config);
        let _ = story.sent();
        assert_eq!(story.duplicates(0, 3), [10, 11, 0], "{kind:?}");
    }
}

/// A control that neither paces nor hears of departures: whether it is asked of them changes nothing.
#[test]
fn asking_a_control_of_departures_changes_nothing() {
    let recoveries = Kind::ALL.map(Any::new).into_iter();
    let rack = Any::Rack(Box::new(Rack::new(Some(Bound::SlowStart), true)));
    for recovery in recoveries.chain([rack]) {
        let stories = [false, true].map(|departures| {
            let config = SenderConfig {
                departures,
                limited_transmit: true,
                size: Some(400),
                ..plain()
            };
            let path = Path::new(Bytes(1000)).with_initial_window(Segments::whole(4));
            let control = AnyConfig::named("reno").expect("it is built in");
            Story::of(control.build(&path), recovery.clone(), config)
        });
        let told = stories.map(|mut story| {
            let mut told = vec![format!("{:?}", story.sent())];
            let mut arrived = std::collections::BTreeSet::new();
            let mut next = 0;
            for step in 0..1_500_u64 {
                let una = story.sender.una();
                let lost = step % 17 == 5;
                let _ = story.wait(1 + step % 3);
                if story.sender.deadline().is_some_and(|at| at <= story.now) {
                    told.push(format!("timer {:?}", story.expire()));
                    continue;
                }
                // Segments arrive in order, but one in seventeen is lost; then the lowest missing one does.
                let seq = if next < story.sender.high() {
                    next
                } else {
                    una
                };
                next = next.max(seq + 1);
                if seq >= story.sender.high() || lost {
                    continue;
                }
                arrived.insert(seq);
                let ack = (una..).find(|seq| !arrived.contains(seq)).unwrap_or(una);
                let blocks: &[(u64, u64)] = if seq > ack { &[(seq, seq + 1)] } else { &[] };
                let sent = story.ack_by(ack, seq, blocks);
                let due = story.sender.deadline();
                told.push(format!("{ack} {seq} {sent:?} {:?} {due:?}", story.window()));
            }
            assert!(story.sender.una() > 100, "{}", story.sender.una());
            assert!(story.sender.counters().retransmits > 5);
            told
        });
        assert_eq!(told[0], told[1], "{recovery:?}");
    }
}

#[test]
fn tahoe_goes_back_to_the_hole() {
    let mut story = Story::with_control("tahoe", Any::new(Kind::Tahoe), 10, plain());
    let _ = story.sent();
    assert_eq!(story.duplicates(0, 3), [0]);
    assert_eq!(story.window(), (1.0, 5.0), "half of the window of 10");
    // The receiver already had 1 to 9: the ACK covers them, and none is sent twice.
    assert_eq!(story.ack(10), [10, 11]);
    assert_eq!(story.window().0, 2.0);
}

#[test]
fn after_a_timeout_duplicates_of_retransmissions_are_ignored() {
    let mut story = Story::new(Any::new(Kind::NewReno), 10, plain());
    let _ = story.sent();
    assert_eq!(story.expire(), [0]);
    assert_eq!(story.ack(1), [1, 2]);
    assert_eq!(story.duplicates(1, 6), []);
    assert_eq!(story.window().0, 2.0, "no second reduction");
}

fn sack_story(limited_transmit: bool) -> Story {
    let config = SenderConfig {
        limited_transmit,
        ..plain()
    };
    let mut story = Story::new(Any::new(Kind::Sack), 10, config);
    assert_eq!(story.sent(), list(0..10));
    story
}

/// RFC 6675, sections 4 and 5: segments 0 and 2 of 10 are lost.
#[test]
fn sack_fills_the_holes_and_sends_new_data_as_pipe_allows() {
    let mut story = sack_story(false);
    assert_eq!(story.ack_by(0, 1, &[(1, 2)]), []);
    assert_eq!(story.ack_by(0, 3, &[(3, 4), (1, 2)]), []);
    assert_eq!(
        story.ack_by(0, 4, &[(3, 5), (1, 2)]),
        [0],
        "pipe is 7 of a window of 5"
    );
    assert_eq!(story.window(), (5.0, 5.0));
    assert_eq!(story.ack_by(0, 5, &[(3, 6), (1, 2)]), [], "pipe 5");
    assert_eq!(story.ack_by(0, 6, &[(3, 7), (1, 2)]), [2], "pipe 4, then 5");
    assert_eq!(story.ack_by(0, 7, &[(3, 8), (1, 2)]), [10], "pipe 4 again");
}

/// The same losses: limited transmit adds two segments to the pipe.
#[test]
fn with_limited_transmit_sack_fills_the_second_hole_later() {
    let mut story = sack_story(true);
    assert_eq!(story.ack_by(0, 1, &[(1, 2)]), [10]);
    assert_eq!(story.ack_by(0, 3, &[(3, 4), (1, 2)]), [11]);
    assert_eq!(story.ack_by(0, 4, &[(3, 5), (1, 2)]), [0]);
    // Pipe is 9: segment 0 sent again, 2 not yet lost, and 5 to 11. Two SACKs later 2 is lost: 6.
    assert_eq!(story.ack_by(0, 5, &[(3, 6), (1, 2)]), []);
    assert_eq!(story.ack_by(0, 6, &[(3, 7), (1, 2)]), []);
    assert_eq!(story.ack_by(0, 7, &[(3, 8), (1, 2)]), [], "pipe 5");
    assert_eq!(story.ack_by(0, 8, &[(3, 9), (1, 2)]), [2], "pipe 4");
}

/// A story of 20 segments and the reduction, in which segments below `first` are lost: what each ACK of
/// segments from `first` on causes to be sent, without the two of limited transmit.
fn reduction_story(recovery: Any, first: u64) -> (Story, Vec<Vec<u64>>) {
    let config = SenderConfig {
        limited_transmit: true,
        ..plain()
    };
    let mut story = Story::new(recovery, 20, config);
    assert_eq!(story.sent(), list(0..20));
    story.wait(100);
    let sent: Vec<_> = (first + 1..=20)
        .map(|end| story.ack_by(0, end - 1, &[(first, end)]))
        .collect();
    assert_eq!(sent[..2], [[20], [21]]);
    (story, sent[2..].to_vec())
}

/// Both recoveries that can reduce.
fn reductions(bound: Bound) -> [Any; 2] {
    [
        Any::Sack(Box::new(Sack::new(Some(bound)))),
        Any::Rack(Box::new(Rack::new(Some(bound), false))),
    ]
}

/// RFC 6937, section 3.1: segment 0 of 20 is lost. Every second ACK sends a segment, until pipe is 10 on
/// the last one.
#[test]
fn proportional_rate_reduction_spreads_the_cut_over_a_round() {
    let bounds = [Bound::Conservative, Bound::SlowStart, Bound::Safe];
    for recovery in bounds.into_iter().flat_map(reductions) {
        let (mut story, sent) = reduction_story(recovery, 1);
        let numbers: Vec<_> = sent.iter().map(|each| each.first().copied()).collect();
        assert!(sent.iter().all(|each| each.len() <= 1));
        let no = None;
        let expected = [
            Some(0),
            no,
            Some(22),
            no,
            Some(23),
            no,
            Some(24),
            no,
            Some(25),
            no,
            Some(26),
            no,
            Some(27),
            no,
            Some(28),
            no,
            no,
        ];
        assert_eq!(numbers, expected);
        assert_eq!(story.sender.in_flight(), 10);
        // The retransmission fills the hole: 19 of the 22 segments were SACKed, and 9 are in flight.
        assert_eq!(story.ack_by(20, 0, &[]), [29]);
        assert_eq!(story.window(), (10.0, 10.0));
        assert_eq!(
            story.sender.phase(),
            Phase::Recovery,
            "20 and 21 are outstanding"
        );
        assert_eq!(story.ack_by(22, 21, &[]), [30, 31]);
        assert_eq!(story.sender.phase(), Phase::Open);
        assert_eq!(story.window(), (10.0, 10.0));
    }
}

/// RFC 6937, section 3.1: segments 0 to 14 of 20 are lost. RFC 6675 sends 7 segments on the first ACK.
#[test]
fn after_a_burst_of_losses_the_reduction_follows_deliveries() {
    for (bound, expected) in [
        (Bound::Conservative, [vec![0], vec![1], vec![2]]),
        (Bound::SlowStart, [vec![0, 1], vec![2, 3], vec![4, 5]]),
        (Bound::Safe, [vec![0], vec![1], vec![2]]),
    ] {
        for recovery in reductions(bound) {
            let (mut story, sent) = reduction_story(recovery, 15);
            assert_eq!(sent, expected, "{bound:?}");
            // A partial ACK reports one delivery and no further loss: Linux sends one more.
            let next = expected.concat().len() as u64;
            let count = if bound == Bound::Conservative { 1 } else { 2 };
            let sent = story.wait(100).ack_by(1, 0, &[(15, 20)]);
            assert_eq!(sent, list(next..next + count), "{bound:?}");
        }
    }
}

/// Segment 0 of 10 is lost.
#[test]
fn sack_sends_new_data_after_the_only_hole() {
    let mut story = sack_story(false);
    let _ = story.ack_by(0, 1, &[(1, 2)]);
    let _ = story.ack_by(0, 2, &[(1, 3)]);
    assert_eq!(story.ack_by(0, 3, &[(1, 4)]), [0]);
    assert_eq!(story.ack_by(0, 4, &[(1, 5)]), []);
    assert_eq!(story.ack_by(0, 5, &[(1, 6)]), []);
    assert_eq!(story.ack_by(0, 6, &[(1, 7)]), [10]);
}

#[test]
fn sack_keeps_its_scoreboard_over_a_timeout() {
    let mut story = sack_story(false);
    let _ = story.ack_by(0, 1, &[(1, 2)]);
    let _ = story.ack_by(0, 3, &[(3, 4), (1, 2)]);
    assert_eq!(story.expire(), [0]);
    assert_eq!(story.ack_by(2, 0, &[(3, 4)]), [2, 4], "1 and 3 are SACKed");
    assert_eq!(story.ack_by(5, 4, &[]), [5, 6, 7]);
    assert_eq!(story.ack_by(10, 7, &[]), list(10..14));
    assert_eq!(story.sender.phase(), Phase::Open);
    assert_eq!(story.sender.counters().timeouts, 1);
}

#[test]
fn the_rescue_retransmission_finds_a_lost_tail() {
    // Segments 0 and 9 of 10 are lost, and there is no new data. Duplicates cause 0 to be sent again; 9
    // is sent as the rescue once the recovery has nothing else to send.
    let config = SenderConfig {
        size: Some(10),
        ..plain()
    };
    let mut story = Story::new(Any::new(Kind::Sack), 10, config);
    let _ = story.sent();
    let _ = story.ack_by(0, 1, &[(1, 2)]);
    let _ = story.ack_by(0, 2, &[(1, 3)]);
    let mut sent = Vec::new();
    for last in 4..=9 {
        sent.extend(story.ack_by(0, last - 1, &[(1, last)]));
    }
    assert_eq!(sent, [0], "no rescue while una is where the episode began");
    assert_eq!(story.ack_by(9, 0, &[]), [9]);
    assert_eq!(story.ack_by(10, 9, &[]), []);
    assert!(story.sender.finished());
    assert_eq!(story.sender.deadline(), None);
}

#[test]
fn the_opening_is_repeated_and_initialises_the_timer_only() {
    let mut story = Story::new(Any::new(Kind::Reno), 2, SenderConfig::default());
    assert_eq!((story.wire.opened, story.sent()), (1, vec![]));
    assert_eq!(story.expire(), []);
    assert_eq!(
        story.now,
        Instant::ZERO + Duration::from_secs(2),
        "the initial timeout is 1 s"
    );
    assert_eq!(story.wire.opened, 2);
    let now = story.wait(100).now;
    story.sender.on_open(now, &mut story.wire);
    assert_eq!(story.sent(), [0, 1]);
    assert_eq!(story.sender.counters().sent, 2);
}

#[test]
fn vegas_retransmits_on_the_first_duplicate_of_an_old_segment() {
    let mut story = Story::with_control("vegas", Any::new(Kind::Vegas), 10, plain());
    let _ = story.sent();
    let _ = story.wait(100).ack(1);
    // Round-trip times of 100 ms make a fine timeout of 17/16 x 150 ms.
    assert_eq!(story.duplicates(1, 1), []);
    assert_eq!(story.wait(60).duplicates(1, 1), [1]);
    assert_eq!(story.sender.counters().fast_recoveries, 1);
}

#[test]
fn every_control_starts_with_the_window_it_is_given() {
    for name in ["tahoe", "reno", "vegas", "veno"] {
        let mut story = Story::with_control(name, Any::new(Kind::Reno), 4, plain());
        assert_eq!(story.sent(), list(0..4), "{name}");
        assert_eq!(story.sender.control().window().cwnd, Segments::whole(4));
    }
}
