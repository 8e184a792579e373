//! Notifications by routers: marks (RFC 3168), queueing times (AQT), marks on ACKs, and how a sender adapts
//! to fewer ACKs.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, Sample, Timeout};
use dumbbell_control::units::{Duration, Instant, Segments};
use dumbbell_tcp::ack_control::AckControl;
use dumbbell_tcp::config::{EcnMode, ReceiverConfig, SenderConfig};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::receiver::{Receiver, Response};
use dumbbell_tcp::recovery::{Any, Kind};
use dumbbell_tcp::segment::{AckSegment, Arrival, Echo, MAX_SACK_BLOCKS, SackBlock, Segment};
use dumbbell_tcp::sender::Sender;

use crate::story::{Story, Wire, plain};

fn with_ecn() -> SenderConfig {
    SenderConfig {
        ecn: EcnMode::Classic,
        ..plain()
    }
}

/// The control that goes with a recovery.
fn control(kind: Kind) -> &'static str {
    match kind {
        Kind::Tahoe => "tahoe",
        Kind::Vegas => "vegas",
        _ => "reno",
    }
}

impl Story {
    /// The segments sent since the last call.
    fn segments(&mut self) -> Vec<Segment> {
        self.wire.sent.clear();
        std::mem::take(&mut self.wire.segments)
    }

    /// Passes an ACK with ECE. Returns the numbers of the segments sent on it.
    fn echo(&mut self, ack: u64) -> Vec<u64> {
        self.ece = true;
        let sent = self.ack(ack);
        self.ece = false;
        sent
    }
}

#[test]
fn a_mark_cuts_once_a_window_with_every_recovery() {
    for kind in Kind::ALL {
        let mut story = Story::with_control(control(kind), Any::new(kind), 10, with_ecn());
        assert!(
            story
                .segments()
                .iter()
                .all(|s| s.ect && !s.cwr && !s.retransmission)
        );
        let before = story.window();
        let _ = story.wait(100).echo(1);
        let cut = story.window();
        assert!(cut.0 < before.0, "{kind:?}: {cut:?}");
        assert_eq!(story.sender.phase(), Phase::Open, "{kind:?}");
        // The echo continues until the CWR has arrived, without further cuts and without growth.
        for ack in 2..=10 {
            let _ = story.wait(1).echo(ack);
            assert_eq!(story.window(), cut, "{kind:?} at {ack}");
        }
        let counters = story.sender.counters();
        assert_eq!(
            (counters.ecn_cuts, counters.fast_recoveries),
            (1, 0),
            "{kind:?}"
        );
        assert_eq!(counters.retransmits, 0, "{kind:?}: nothing is sent again");
        let sent = story.segments();
        let told: Vec<bool> = sent.iter().map(|segment| segment.cwr).collect();
        assert!(told[0] && !told[1..].contains(&true), "{kind:?}: {told:?}");
        assert_eq!(sent[0].seq, 10);
        // Segment 10 was sent after the cut, so a mark now indicates congestion in a new window.
        let _ = story.wait(100).ack(11);
        let _ = story.wait(1).echo(12);
        assert_eq!(story.sender.counters().ecn_cuts, 2, "{kind:?}");
    }
}

#[test]
fn reno_halves_the_window_for_a_mark_and_continues() {
    let mut story = Story::new(Any::new(Kind::Reno), 10, with_ecn());
    let _ = story.sent();
    assert_eq!(story.echo(1), []);
    assert_eq!(story.window(), (5.0, 5.0));
    // Nine segments are outstanding and five may be: the next is sent once five more are acknowledged.
    let sent: Vec<_> = (2..=7).map(|ack| story.ack(ack).len()).collect();
    // The sixth ACK after the cut lets the window reach six.
    assert_eq!(sent, [0, 0, 0, 0, 1, 2]);
}

#[test]
fn without_ecn_echoes_are_ignored() {
    let mut story = Story::new(Any::new(Kind::Reno), 10, plain());
    let segments = story.segments();
    assert!(segments.iter().all(|s| !s.ect && !s.cwr));
    assert_eq!(story.echo(1), [10]);
    assert!(story.window().0 > 10.0);
}

#[test]
fn a_loss_in_a_window_that_a_mark_has_cut_does_not_cut_again() {
    for kind in [Kind::Reno, Kind::NewReno, Kind::Sack] {
        let mut story = Story::new(Any::new(kind), 10, with_ecn());
        let _ = story.sent();
        let _ = story.echo(1);
        assert_eq!(story.window().0, 5.0);
        let mut again = Vec::new();
        for last in 3..=5 {
            let blocks: &[_] = if kind == Kind::Sack {
                &[(2, last)]
            } else {
                &[]
            };
            again.extend(story.ack_by(1, last - 1, blocks));
        }
        assert!(again.contains(&1), "{kind:?}: {again:?}");
        assert_eq!(story.sender.phase(), Phase::Recovery);
        let (window, _) = story.sender.window();
        assert_eq!(window.cwnd, Segments::whole(5), "{kind:?}");
    }
}

#[test]
fn a_mark_in_a_window_that_a_loss_has_cut_does_not_cut_again_and_cwr_is_sent() {
    let mut story = Story::new(Any::new(Kind::NewReno), 10, with_ecn());
    let _ = story.sent();
    assert_eq!(story.duplicates(0, 3), [0]);
    let segments = story.segments();
    let again = segments.last().expect("0 was sent again");
    assert_eq!((again.seq, again.ect, again.cwr), (0, false, false));
    assert_eq!(story.echo(10), [10, 11, 12, 13]);
    assert_eq!(story.sender.counters().ecn_cuts, 0);
    let told: Vec<_> = story.segments().iter().map(|s| s.cwr).collect();
    assert_eq!(
        told,
        [true, false, false, false],
        "on the first new segment"
    );
}

#[test]
fn after_a_mark_at_a_window_of_one_the_sender_waits_for_the_timer() {
    let mut story = Story::new(Any::new(Kind::Reno), 1, with_ecn());
    assert_eq!(story.sent(), [0]);
    assert_eq!(story.wait(100).echo(1), [], "held");
    let held = story.now;
    assert_eq!(story.window().0, 1.0, "it cannot shrink");
    assert_eq!(story.expire(), [1]);
    // One sample of 100 ms: 100 ms + 4 x 50 ms, above the least timeout of 200 ms.
    assert_eq!(story.now.since(held), Duration::from_millis(300));
    let counters = story.sender.counters();
    assert_eq!((counters.timeouts, counters.retransmits), (0, 0));
    assert_eq!(story.wait(100).ack(2), [2, 3], "and on as usual");
}

#[test]
fn every_third_segment_probes() {
    let config = SenderConfig {
        probe_every: 3,
        ..plain()
    };
    let mut story = Story::new(Any::new(Kind::Reno), 7, config);
    let probes: Vec<_> = story.segments().iter().map(|s| s.probe).collect();
    assert_eq!(probes, [true, false, false, true, false, false, true]);
    assert_eq!(story.duplicates(0, 3), [0]);
    assert!(!story.segments()[0].probe, "retransmissions count as well");
}

/// A control that remembers the last sample.
#[derive(Default)]
struct Listener(Option<Sample>);

impl Controller for Listener {
    fn on_sample(&mut self, sample: &Sample) {
        self.0 = Some(*sample);
    }
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn on_timeout(&mut self, _: &Timeout) {}
    fn restrict(&mut self, _: Segments) {}
    fn window(&self) -> Window {
        Window {
            cwnd: Segments::whole(2),
            ssthresh: Segments::MAX,
        }
    }
}

#[test]
fn a_control_receives_queueing_times_and_the_whole_round_trip_time() {
    let ms = Duration::from_millis;
    let mut out = Wire::default();
    let mut sender = Sender::new(plain(), Listener::default(), Any::new(Kind::Vegas));
    sender.start(Instant::ZERO, &mut out);
    // A round trip of 150 ms, of which 10 ms were spent in queues on the way there, 30 ms back.
    let mut segment = AckSegment {
        ack: 1,
        echo: Echo::Exact {
            trigger: 0,
            received_at: Instant::ZERO + ms(70),
        },
        blocks: &[],
        ece: false,
        marks: None,
        aqt: Some(Aqt {
            queueing: 30_000,
            echo: 10_000,
        }),
        marked: false,
    };
    sender.on_ack(Instant::ZERO + ms(150), &segment, &mut out);
    let sample = sender.control().0.expect("there was an ACK");
    let queueing = sample.queueing.expect("it answered a probe");
    assert_eq!((queueing.forward, queueing.backward), (ms(10), ms(30)));
    assert_eq!(sample.rtt, Some(ms(150)));
    segment.ack = 2;
    segment.aqt = None;
    sender.on_ack(Instant::ZERO + ms(151), &segment, &mut out);
    assert_eq!(sender.control().0.expect("another").queueing, None);
}

/// Passes segments to a receiver, one a millisecond. Returns the numbers of the ACKs that it sends.
fn acknowledged(receiver: &mut Receiver, arrivals: &[Arrival]) -> Vec<u64> {
    let mut acks = Vec::new();
    for arrival in arrivals {
        let now = Instant::from_nanos(arrival.seq * 1_000_000);
        if receiver.on_segment(now, arrival) == Response::Ack {
            acks.push(ack(receiver, now).0);
        }
    }
    acks
}

fn ack(receiver: &mut Receiver, now: Instant) -> (u64, bool, Option<Aqt>) {
    let mut room = [SackBlock::default(); MAX_SACK_BLOCKS];
    let ack = receiver.ack(now, &mut room);
    (ack.ack, ack.ece, ack.aqt)
}

#[test]
fn a_probe_is_acknowledged_at_once_with_an_echo_of_its_queueing_time() {
    let mut receiver = Receiver::new(ReceiverConfig {
        delayed_ack: Some(Duration::from_millis(100)),
        ..ReceiverConfig::default()
    });
    let now = Instant::ZERO;
    assert_eq!(
        receiver.on_segment(now, &Arrival::plain(0, 0)),
        Response::Wait
    );
    let probe = Arrival {
        queueing: Some(12_351),
        ..Arrival::plain(1, 0)
    };
    assert_eq!(receiver.on_segment(now, &probe), Response::Ack);
    let echo = Aqt {
        queueing: 0,
        echo: 12_351,
    };
    assert_eq!(ack(&mut receiver, now), (2, false, Some(echo)));
    let probe = Arrival { seq: 2, ..probe };
    assert_eq!(receiver.on_segment(now, &probe), Response::Ack, "alone");
    assert_eq!(ack(&mut receiver, now), (3, false, Some(echo)));
    // A probe out of order, and a segment that is not a probe.
    assert_eq!(
        receiver.on_segment(now, &Arrival { seq: 5, ..probe }),
        Response::Ack
    );
    assert_eq!(ack(&mut receiver, now), (3, false, Some(echo)));
    assert_eq!(
        receiver.on_segment(now, &Arrival::plain(6, 0)),
        Response::Ack
    );
    assert_eq!(ack(&mut receiver, now), (3, false, None));
}

#[test]
fn a_mark_is_echoed_until_cwr_arrives() {
    let mut receiver = Receiver::new(ReceiverConfig {
        ecn: EcnMode::Classic,
        ..ReceiverConfig::default()
    });
    let now = Instant::ZERO;
    let mut echoes = Vec::new();
    for (seq, marked, cwr) in [
        (0, false, false),
        (1, true, false),
        (2, false, false),
        (3, false, true),
        (4, false, false),
        // A segment with CWR that is marked itself starts the echo again.
        (5, true, false),
        (6, true, true),
        (7, false, true),
        // Anybody could have sent a marked copy of an old segment.
        (2, true, false),
        (8, false, false),
    ] {
        let arrival = Arrival {
            marked,
            cwr,
            ..Arrival::plain(seq, 0)
        };
        assert_eq!(receiver.on_segment(now, &arrival), Response::Ack);
        echoes.push(ack(&mut receiver, now).1);
    }
    let expected = [
        false, true, true, false, false, true, true, false, false, false,
    ];
    assert_eq!(echoes, expected);
    assert_eq!(receiver.marks(), 3);
}

#[test]
fn marked_acks_reduce_the_rate_of_acks() {
    let config = SenderConfig {
        ack_control: true,
        ..plain()
    };
    let mut story = Story::new(Any::new(Kind::Reno), 8, config);
    let first = story.segments()[0].feedback.expect("it is in use");
    assert_eq!((first.marked, first.sendable), (false, 8));
    story.marked = true;
    assert_eq!(story.wait(50).ack(1), [8]);
    story.marked = false;
    assert_eq!(story.wait(1).ack(2), [9]);
    let told: Vec<_> = story.segments().iter().filter_map(|s| s.feedback).collect();
    let marked: Vec<_> = told.iter().map(|f| f.marked).collect();
    assert_eq!(marked, [true, false], "once, on the next segment");
    assert_eq!(told[0].heard, story.now - Duration::from_millis(1));

    let mut receiver = Receiver::new(ReceiverConfig {
        ack_control: Some(AckControl {
            max: 16,
            timer: Duration::from_millis(100),
        }),
        ..ReceiverConfig::default()
    });
    let arrival = |seq, marked| {
        let mut arrival = Arrival::plain(seq, 0);
        arrival.feedback = first.into();
        if let Some(feedback) = &mut arrival.feedback {
            feedback.marked = marked;
            feedback.sendable = 20;
        }
        arrival
    };
    // The first echo doubles d; another one within the round that begins then does not.
    let plain: Vec<_> = (0..3).map(|seq| arrival(seq, false)).collect();
    assert_eq!(acknowledged(&mut receiver, &plain), [1, 2, 3]);
    let echoes: Vec<_> = (3..9).map(|seq| arrival(seq, true)).collect();
    assert_eq!(acknowledged(&mut receiver, &echoes), [5, 7, 9]);
    assert_eq!(receiver.ack_factor(), Some(2));
    // A segment out of order is acknowledged at once.
    assert_eq!(acknowledged(&mut receiver, &[arrival(10, false)]), [9]);
}

#[test]
fn an_adapted_sender_counts_every_segment_and_spreads_what_exceeds_four() {
    let config = SenderConfig {
        adaptation: true,
        ..plain()
    };
    let mut story = Story::new(Any::new(Kind::Reno), 8, config);
    assert_eq!(story.sent().len(), 8, "no round-trip time is known yet");
    // Eight segments count like eight ACKs, each of which adds 1/cwnd. 4 of them are sent at once.
    assert_eq!(story.wait(80).ack(8), [8, 9, 10, 11], "four at once");
    let cwnd = story.window().0;
    assert!((cwnd - 8.950_591).abs() < 1e-6, "{cwnd}");
    let burst = story.now;
    let mut later = Vec::new();
    for _ in 0..4 {
        let sent = story.expire();
        later.push((story.now.since(burst).as_nanos() / 1_000_000, sent));
    }
    // 80 ms over 8 segments: one every 10 ms.
    let spread = [
        (10, vec![12]),
        (20, vec![13]),
        (30, vec![14]),
        (40, vec![15]),
    ];
    assert_eq!(later, spread);
    let next = story.sender.deadline().expect("segments are out");
    let wait = next.since(story.now);
    assert!(
        wait >= Duration::from_millis(100),
        "the window is full: {wait:?}"
    );
}
