//! Accurate feedback of marks, DCTCP's receiver, and controls that cut by the extent of marking.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, LossSignal, Marks, Sample, Timeout};
use dumbbell_control::units::{Duration, Instant, Segments};
use dumbbell_tcp::config::{EcnMode, ReceiverConfig, SenderConfig};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::receiver::{Receiver, Response};
use dumbbell_tcp::recovery::{Any, Kind};
use dumbbell_tcp::segment::{AckSegment, Arrival, Echo, MAX_SACK_BLOCKS, SackBlock};
use dumbbell_tcp::sender::Sender;

use crate::story::{Story, Wire, plain};

fn with(ecn: EcnMode, scalable: bool) -> SenderConfig {
    SenderConfig {
        ecn,
        scalable,
        ..plain()
    }
}

impl Story {
    /// Passes an ACK with the number of marked segments so far. Returns what is sent on it.
    fn counted(&mut self, ack: u64, marks: u64) -> Vec<u64> {
        self.marks = Some(marks);
        let sent = self.ack(ack);
        self.marks = None;
        sent
    }
}

/// RFC 3168, section 6.1.5: no retransmission is ECT. RFC 9331, appendix A.2.1: with accurate feedback it is.
#[test]
fn the_codepoint_of_segments_and_retransmissions() {
    use EcnMode::{Accurate, Classic, Dctcp, L4s, Off};
    for (mode, first, again) in [
        (Off, (false, false), (false, false)),
        (Classic, (true, false), (false, false)),
        (Dctcp, (true, false), (false, false)),
        (Accurate, (true, false), (true, false)),
        (L4s, (true, true), (true, true)),
    ] {
        let mut story = Story::new(Any::new(Kind::NewReno), 10, with(mode, false));
        assert_eq!(story.duplicates(0, 3).last(), Some(&0));
        let segments = std::mem::take(&mut story.wire.segments);
        let seen = |retransmission: bool| {
            let one = segments.iter().find(|s| s.retransmission == retransmission);
            one.map(|segment| (segment.ect, segment.l4s))
        };
        assert_eq!(seen(false), Some(first), "{mode:?}");
        let found = seen(true).expect("0 was sent again");
        assert_eq!(found, again, "{mode:?}");
        assert!(segments.iter().all(|segment| !segment.cwr));
    }
}

/// A control that notes what it hears.
#[derive(Default)]
struct Listener {
    marks: Vec<Marks>,
    grown: Vec<u64>,
    cuts: Vec<LossSignal>,
}

impl Controller for Listener {
    fn on_sample(&mut self, sample: &Sample) {
        self.marks.push(sample.marks);
    }
    fn on_ack(&mut self, ack: &Ack) {
        self.grown.push(ack.acked.floor());
    }
    fn on_loss(&mut self, loss: &Loss) {
        self.cuts.push(loss.by);
    }
    fn on_timeout(&mut self, _: &Timeout) {}
    fn restrict(&mut self, _: Segments) {}
    fn window(&self) -> Window {
        Window {
            cwnd: Segments::whole(10),
            ssthresh: Segments::MAX,
        }
    }
}

/// What a control hears of these ACKs, each with the number of marked segments.
fn heard(mode: EcnMode, scalable: bool, acks: &[(u64, Option<u64>)]) -> Listener {
    let mut out = Wire::default();
    let mut sender = Sender::new(
        with(mode, scalable),
        Listener::default(),
        Any::new(Kind::Reno),
    );
    sender.start(Instant::ZERO, &mut out);
    for (i, &(ack, marks)) in acks.iter().enumerate() {
        let now = Instant::ZERO + Duration::from_millis(100 + i as u64);
        let segment = AckSegment {
            ack,
            echo: Echo::Exact {
                trigger: ack - 1,
                received_at: now,
            },
            blocks: &[],
            ece: false,
            marks,
            aqt: None,
            marked: false,
        };
        sender.on_ack(now, &segment, &mut out);
    }
    let Listener { marks, grown, cuts } = sender.control();
    Listener {
        marks: marks.clone(),
        grown: grown.clone(),
        cuts: cuts.clone(),
    }
}

/// Two of three segments are marked: one lets the window grow. The ACK of 4 has no new marks. All segments up to 10
/// were sent before the first mark was known: one cut is reported, or a control is asked each time.
#[test]
fn a_control_hears_how_many_segments_were_marked() {
    let marks = |n| Marks::Counted(Segments::whole(n));
    for (scalable, reports) in [(true, 2), (false, 1)] {
        let acks = [(3, Some(2)), (4, Some(2)), (6, Some(4))];
        let it = heard(EcnMode::Accurate, scalable, &acks);
        assert_eq!(it.marks, [marks(2), Marks::None, marks(2)]);
        assert_eq!(it.grown, [1, 1], "unmarked segments");
        assert_eq!(it.cuts, vec![LossSignal::Ecn; reports]);
    }
}

/// A number that goes back is that of an old ACK. More marks than segments count as all of them, now and on the
/// next ACKs, so that a forged number never helps. A number without accurate feedback counts for nothing.
#[test]
fn forged_numbers_of_marks_never_help() {
    let marks = |n| Marks::Counted(Segments::whole(n));
    let it = heard(
        EcnMode::L4s,
        true,
        &[
            (1, Some(1)),
            (2, Some(0)),
            (3, Some(1)),
            (5, Some(u64::MAX)),
            (6, Some(0)),
            (7, None),
        ],
    );
    let none = Marks::None;
    assert_eq!(it.marks, [marks(1), none, none, marks(2), marks(1), none]);
    assert_eq!(it.grown, [1, 1, 1]);
    for mode in [EcnMode::Off, EcnMode::Classic, EcnMode::Dctcp] {
        let it = heard(mode, true, &[(1, Some(1)), (3, Some(3))]);
        assert_eq!((it.marks, it.cuts), (vec![none; 2], vec![]));
        assert_eq!(it.grown, [1, 2]);
    }
}

/// alpha = 1 halves ten segments; Reno halves them as well. The next cut needs a segment sent after the first.
#[test]
fn marks_cut_once_a_window() {
    for (control, scalable) in [("dctcp", true), ("prague", true), ("reno", false)] {
        let config = with(EcnMode::Accurate, scalable);
        let mut story = Story::with_control(control, Any::new(Kind::Sack), 10, config);
        let _ = story.sent();
        let _ = story.wait(100).counted(1, 1);
        assert_eq!(story.window().0, 5.0, "{control}");
        for ack in 2..=10 {
            let _ = story.wait(1).counted(ack, ack);
            assert_eq!(story.window().0, 5.0, "{control} at {ack}");
        }
        assert_eq!(story.sender.counters().ecn_cuts, 1);
        let _ = story.wait(100).counted(11, 11);
        assert_eq!(story.sender.counters().ecn_cuts, 2, "{control}");
        assert!(story.window().0 < 5.0, "{control}");
    }
}

/// RFC 8257, section 3.5, and RFC 9331, section 4.3, item 2: a mark that cut little does not hide a loss. Of a first
/// window without marks, alpha is 15/16, after the ACK with the mark; Reno's loss is hidden as in RFC 3168.
#[test]
fn a_loss_after_a_small_cut_halves_the_window() {
    for (control, scalable, after_mark, after_loss) in [
        ("dctcp", true, 10.0 * (1.0 - 15.0 / 32.0), 5.0),
        ("reno", false, 5.0, 5.0),
    ] {
        let config = with(EcnMode::Accurate, scalable);
        let mut story = Story::with_control(control, Any::new(Kind::NewReno), 10, config);
        let _ = story.sent();
        let _ = story.wait(100).counted(1, 0);
        let before = story.window().0;
        let _ = story.wait(1).counted(2, 1);
        let (cut, _) = story.window();
        assert!(
            (cut - after_mark * before / 10.0).abs() < 1e-6,
            "{control}: {cut}"
        );
        story.marks = Some(1);
        let again = story.duplicates(2, 3);
        assert_eq!(again, [2], "{control}");
        assert_eq!(story.sender.phase(), Phase::Recovery);
        let (window, _) = story.sender.window();
        let expected = after_loss * before / 10.0;
        assert!(
            (window.cwnd.as_f64() - expected).abs() < 1e-6,
            "{control}: {window:?}"
        );
    }
}

/// A control that cuts by the extent of marking decides itself how small its window may be; with another one the
/// sender waits for the timer at one segment (RFC 3168, section 6.1.2).
#[test]
fn at_a_window_of_one_a_scalable_control_goes_on() {
    for (control, scalable, sent) in [("dctcp", true, 1), ("reno", false, 0)] {
        let config = with(EcnMode::Accurate, scalable);
        let mut story = Story::with_control(control, Any::new(Kind::Reno), 1, config);
        assert_eq!(story.sent(), [0]);
        assert_eq!(story.wait(100).counted(1, 1).len(), sent, "{control}");
        assert_eq!(story.window().0, 1.0, "{control}");
    }
}

/// The acknowledged segment, ECE and the number of marks of each ACK for segments that arrive one a millisecond,
/// marked or not; `None` if a segment waits.
fn answers(ecn: EcnMode, marked: &[bool]) -> Vec<(u64, bool, Option<u64>)> {
    let mut receiver = Receiver::new(ReceiverConfig {
        delayed_ack: Some(Duration::from_millis(100)),
        ecn,
        ..ReceiverConfig::default()
    });
    let mut acks = Vec::new();
    let mut answer = |receiver: &mut Receiver, now| {
        let mut room = [SackBlock::default(); MAX_SACK_BLOCKS];
        let ack = receiver.ack(now, &mut room);
        acks.push((ack.ack, ack.ece, ack.marks));
    };
    for (seq, &marked) in (0..).zip(marked) {
        let now = Instant::from_nanos(seq * 1_000_000);
        if receiver.answers_before(marked) {
            answer(&mut receiver, now);
        }
        let arrival = Arrival {
            marked,
            ..Arrival::plain(seq, 0)
        };
        if receiver.on_segment(now, &arrival) == Response::Ack {
            answer(&mut receiver, now);
        }
    }
    acks
}

/// RFC 8257, section 3.2, figure 1: an ACK for each two segments of one kind, and one at once before the kind
/// changes.
#[test]
fn dctcps_receiver_answers_before_marking_changes() {
    let marked = [false, false, false, true, true, true, false, false];
    let found: Vec<_> = answers(EcnMode::Dctcp, &marked)
        .into_iter()
        .map(|(ack, ece, marks)| {
            assert_eq!(marks, None);
            (ack, ece)
        })
        .collect();
    let expected = [(2, false), (3, false), (5, true), (6, true), (8, false)];
    assert_eq!(found, expected);
}

/// The first mark after an unmarked segment is reported at once, the others with the ACKs that are due.
#[test]
fn a_mark_after_none_is_reported_at_once() {
    let marked = [false, true, false, true, true, true, false, false, true];
    let found = answers(EcnMode::Accurate, &marked);
    let expected = [(2, 1), (4, 2), (6, 4), (8, 4), (9, 5)].map(|(ack, n)| (ack, false, Some(n)));
    assert_eq!(found, expected);
}
