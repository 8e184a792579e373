//! ACKs that no receiver would send: the sender neither panics nor sends more than a window at once.

use dumbbell_control::event::Path;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use dumbbell_tcp::config::Stamping;
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::segment::{AckSegment, Echo, Output, SackBlock, Segment};
use dumbbell_tcp::sender::Sender;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::choices::{Setup, pairs, setup};
use crate::recorder::Recorder;

/// A number in an ACK.
#[derive(Clone, Copy, Debug)]
enum Number {
    /// At this distance from `una`.
    Una(i64),
    /// At this distance from the segment after the highest sent.
    High(i64),
    /// Any number.
    Raw(u64),
}

impl Number {
    fn of(self, una: u64, high: u64) -> u64 {
        match self {
            Self::Una(step) => una.saturating_add_signed(step),
            Self::High(step) => high.saturating_add_signed(step),
            Self::Raw(number) => number,
        }
    }
}

#[derive(Clone, Debug)]
enum Event {
    Wait(u64),
    Timer,
    Open,
    Ack {
        ack: Number,
        trigger: Number,
        received_at: u64,
        stamps: Option<(u32, u32)>,
        blocks: Vec<(Number, Number)>,
        ece: bool,
        marks: Option<Number>,
        marked: bool,
        aqt: Option<(u32, u32)>,
    },
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        4 => (0..3_i64).prop_map(Number::Una),
        2 => (-3..70_i64).prop_map(Number::Una),
        2 => (-3..3_i64).prop_map(Number::High),
        1 => any::<u64>().prop_map(Number::Raw),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let ack = prop_oneof![
        4 => Just(Number::Una(0)),
        2 => (1..10_i64).prop_map(Number::Una),
        1 => Just(Number::High(0)),
        1 => number(),
    ];
    let stamps = prop_oneof![Just(None), any::<(u32, u32)>().prop_map(Some)];
    let blocks = vec((number(), number()), 0..6);
    let marks = prop::option::of(number());
    let rest = (
        any::<bool>(),
        any::<bool>(),
        any::<Option<(u32, u32)>>(),
        marks,
    );
    let ack = (ack, number(), any::<u64>(), stamps, blocks, rest).prop_map(
        |(ack, trigger, received_at, stamps, blocks, (ece, marked, aqt, marks))| Event::Ack {
            ack,
            trigger,
            received_at,
            stamps,
            blocks,
            ece,
            marks,
            marked,
            aqt,
        },
    );
    prop_oneof![
        2 => (0..2_000_000_000_u64).prop_map(Event::Wait),
        2 => (0..20_000_000_u64).prop_map(Event::Wait),
        1 => Just(Event::Timer),
        1 => Just(Event::Open),
        16 => ack,
    ]
}

/// Counts the segments sent and fails at more than a window at once, so that a test fails rather than
/// hangs.
struct Counted {
    least: u64,
    sent: u64,
    most: u64,
}

impl Output for Counted {
    fn transmit(&mut self, segment: Segment) {
        assert!(segment.seq >= self.least);
        self.sent += 1;
        assert!(self.sent <= self.most, "more than a window at once");
    }
    fn open(&mut self) {}
}

fn attack(setup: &Setup, events: &[Event]) {
    let room = setup.receiver_window.floor();
    for pair in pairs() {
        let setup = &setup.of(&pair.control);
        let path = Path::new(Bytes(1000))
            .with_initial_window(Segments::whole(setup.initial_window))
            .with_ssthresh(setup.ssthresh)
            .with_stamp_granularity(match setup.stamping {
                Stamping::Exact => Duration::ZERO,
                Stamping::Option { granularity } => granularity,
            });
        let scalable = setup.sender(&pair.control).scalable;
        let control = Recorder::new(&pair.control, &path, None, scalable);
        let mut sender = Sender::new(
            setup.sender(&pair.control),
            control,
            setup.recovery(pair.kind),
        );
        let mut now = Instant::ZERO + Duration::from_millis(setup.epoch);
        let mut opened = !setup.handshake;
        let mut out = Counted {
            least: 0,
            sent: 0,
            most: room + 2,
        };
        sender.start(now, &mut out);
        for event in events {
            out.sent = 0;
            out.least = sender.una();
            match event {
                Event::Wait(ns) => now = now + Duration::from_nanos(*ns),
                Event::Timer => {
                    now = sender.deadline().map_or(now, |deadline| deadline.max(now));
                    sender.on_timer(now, &mut out);
                }
                Event::Open => {
                    opened = true;
                    sender.on_open(now, &mut out);
                }
                Event::Ack {
                    ack,
                    trigger,
                    received_at,
                    stamps,
                    blocks,
                    ece,
                    marks,
                    marked,
                    aqt,
                } => {
                    let (una, high) = (sender.una(), sender.high());
                    let blocks: Vec<_> = blocks
                        .iter()
                        .map(|(start, end)| SackBlock {
                            start: start.of(una, high),
                            end: end.of(una, high),
                        })
                        .collect();
                    let echo = match *stamps {
                        Some((value, echo)) => Echo::Timestamps { value, echo },
                        None => Echo::Exact {
                            trigger: trigger.of(una, high),
                            received_at: Instant::from_nanos(*received_at >> 1),
                        },
                    };
                    let segment = AckSegment {
                        ack: ack.of(una, high),
                        echo,
                        blocks: &blocks,
                        ece: *ece,
                        marks: marks.map(|marks| marks.of(una, high)),
                        marked: *marked,
                        aqt: aqt.map(|(queueing, echo)| Aqt { queueing, echo }),
                    };
                    sender.on_ack(now, &segment, &mut out);
                }
            }
            let (una, high) = (sender.una(), sender.high());
            assert!(una <= high && high - una <= room);
            let (window, inflation) = sender.window();
            assert!(window.cwnd >= Segments::ONE && window.cwnd <= Segments::CAP);
            let shrinks = setup.shrinks(pair.kind);
            assert!(shrinks || sender.phase() == Phase::Recovery || inflation == 0);
            let outstanding = una < high || !opened;
            assert!(sender.deadline().is_some() || !outstanding);
            // An episode is undone once at most, however many reports are forged.
            let counters = sender.counters();
            assert!(counters.undone <= counters.fast_recoveries + counters.timeouts);
            // A forged echo may claim a round trip of years, but nothing waits longer than the timer, which with a
            // tick is late by up to two of them, or an eighth, or than a window and what leaves at once take at the
            // least rate so far.
            let late = setup.timer.firing.map_or(Duration::ZERO, |tick| {
                let eighth = Duration::from_nanos(setup.timer.max.as_nanos() / 7);
                eighth + tick.length() + tick.length()
            });
            let paced = sender.control().slowest().as_nanos();
            let paced = Duration::from_nanos(paced.saturating_mul(room + 64));
            let most = now + (setup.timer.max + late).max(paced);
            assert!(sender.deadline().is_none_or(|at| at <= most));
            // With nothing outstanding, only pacing and the wait after a mark keep a timer running.
            let paces = setup.pacing || setup.deliveries;
            let waits = setup.ecn.is_on() || setup.adaptation || paces;
            assert!(outstanding || waits || sender.deadline().is_none());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sender_survives_hostile_acks(
        mut setup in setup(),
        window in prop_oneof![1..10_u32, Just(256)],
        events in vec(event(), 1..120),
    ) {
        setup.receiver_window = Segments::whole(window);
        attack(&setup, &events);
    }
}
