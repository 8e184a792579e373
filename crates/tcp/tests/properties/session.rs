//! A sender and a receiver joined by a path, checked at every event.

mod checks;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use dumbbell_control::event::Path as PathFacts;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use dumbbell_tcp::ack_control::Feedback;
use dumbbell_tcp::config::{EcnMode, Stamping};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::receiver::{Receiver, Response};
use dumbbell_tcp::recovery::Kind;
use dumbbell_tcp::segment::{
    AckSegment, Arrival, Echo, MAX_SACK_BLOCKS, Output, SackBlock, Segment,
};
use dumbbell_tcp::sender::Sender;

use crate::channel::Path;
use crate::choices::{Pair, Setup};
use crate::recorder::Recorder;

/// The number of events after which an endless transfer is stopped.
const MOST_EVENTS: u64 = 1500;

/// A packet on the path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Packet {
    Open,
    Opened,
    Data(Data),
    Ack(u64, Stamp, Vec<(u64, u64)>, Marks),
}

/// A data segment with its options and marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Data {
    seq: u64,
    stamp: u32,
    sent_at: Instant,
    queueing: Option<u32>,
    marked: bool,
    cwr: bool,
    push: bool,
    feedback: Option<(bool, u32, Instant)>,
}

/// The marks of an ACK and its AQT option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Marks {
    ece: bool,
    count: Option<u64>,
    marked: bool,
    /// Its own queueing time, and that of the segment that it acknowledges.
    aqt: Option<(u32, u32)>,
}

/// An [`Echo`] that can be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stamp {
    Exact(u64, Instant),
    Sent(u64, Instant),
    Option(u32, u32),
}

/// The segments that a sender sends on one event.
#[derive(Default)]
struct Sent {
    segments: Vec<Segment>,
    opened: bool,
}

impl Output for Sent {
    fn transmit(&mut self, segment: Segment) {
        self.segments.push(segment);
    }
    fn open(&mut self) {
        self.opened = true;
    }
}

/// The sender's state before an event.
struct Before {
    phase: Phase,
    una: u64,
    high: u64,
    losses: u64,
    marks: u64,
    fast_recoveries: u64,
    undone: u64,
    timeouts: u64,
}

/// A sender and a receiver joined by a path.
pub struct Session {
    setup: Setup,
    kind: Kind,
    /// Whether the control cuts by the extent of marking.
    scalable: bool,
    sender: Sender<Recorder>,
    receiver: Receiver,
    path: Path,
    start: Instant,
    now: Instant,
    opened: bool,
    under_way: BinaryHeap<Reverse<(Instant, u64, Packet)>>,
    packets: u64,
    /// The segment after the highest sent before the last reduction.
    cut_high: u64,
    /// Segments that SACK blocks have reported to the sender.
    sacked: BTreeSet<u64>,
    /// Segments that have arrived.
    arrived: BTreeSet<u64>,
    /// Whether the latest had arrived before, and the receiver reports that.
    again: bool,
    retransmits: u64,
    sent: u64,
    log: Vec<(Instant, u64)>,
    /// For a supply over time: the segments available so far, and when the next one becomes available.
    supplied: u64,
    supply: Option<Instant>,
}

impl Session {
    pub fn new(pair: &Pair, setup: &Setup) -> Self {
        let setup = &setup.of(&pair.control);
        let start = Instant::ZERO + Duration::from_millis(setup.epoch);
        let facts = PathFacts::new(Bytes(1000))
            .with_initial_window(Segments::whole(setup.initial_window))
            .with_ssthresh(setup.ssthresh)
            .with_stamp_granularity(match setup.stamping {
                Stamping::Exact => Duration::ZERO,
                Stamping::Option { granularity } => granularity,
            });
        let scalable = setup.sender(&pair.control).scalable;
        let control = Recorder::new(&pair.control, &facts, setup.rate, scalable);
        let config = setup.sender(&pair.control);
        let sender = Sender::new(config, control, setup.recovery(pair.kind));
        Self {
            receiver: Receiver::new(setup.receiver(pair.kind, sender.reads_sending())),
            sender,
            path: Path::new(setup.channel, start, setup.seed),
            setup: setup.clone(),
            kind: pair.kind,
            scalable,
            start,
            now: start,
            opened: !setup.handshake,
            under_way: BinaryHeap::new(),
            packets: 0,
            cut_high: 0,
            sacked: BTreeSet::new(),
            arrived: BTreeSet::new(),
            again: false,
            retransmits: 0,
            sent: 0,
            log: Vec::new(),
            supplied: 0,
            supply: setup.supply.map(|_| start),
        }
    }

    /// Every segment sent, with its time.
    /// Whether the sender forgets when it sent segments.
    pub fn forgets(&self) -> bool {
        self.sender.reads_sending()
    }

    pub fn log(&self) -> &[(Instant, u64)] {
        &self.log
    }

    /// Runs until a finite transfer is over, or an endless one has had its number of events.
    pub fn run(&mut self) {
        self.at_sender(|sender, now, out| sender.start(now, out));
        let mut events = 0;
        while self.step() {
            events += 1;
            if self.setup.size.is_none() && events >= MOST_EVENTS {
                return;
            }
            assert!(events < 200_000, "the transfer does not end: {self:?}");
        }
        let size = self.setup.size.expect("nothing ends an endless transfer");
        let more = self.setup.supply.is_some();
        assert_eq!(self.sender.finished(), !more, "deadlock: {self:?}");
        assert_eq!((self.sender.una(), self.sender.high()), (size, size));
        assert_eq!(self.receiver.delivered(), size);
    }

    /// Runs the next event; returns whether there was one.
    fn step(&mut self) -> bool {
        let arrival = self.under_way.peek().map(|Reverse((at, ..))| *at);
        let [sender, receiver] = [self.sender.deadline(), self.receiver.deadline()];
        let events = [arrival, sender, receiver, self.supply];
        let Some(next) = events.into_iter().flatten().min() else {
            return false;
        };
        assert!(next >= self.now);
        self.now = next;
        if Some(next) == self.supply {
            self.on_supply();
        } else if Some(next) == arrival {
            let Reverse((_, _, packet)) = self.under_way.pop().expect("it was just seen");
            self.on_packet(packet);
        } else if Some(next) == sender {
            self.at_sender(|sender, now, out| sender.on_timer(now, out));
        } else {
            let response = self.receiver.on_deadline(self.now);
            assert_eq!(response, Response::Ack);
            self.send_ack(None);
        }
        true
    }

    /// One more segment becomes available.
    fn on_supply(&mut self) {
        self.supplied += 1;
        let (size, apart) = (self.setup.size.unwrap_or(u64::MAX), self.setup.supply);
        self.supply = apart
            .filter(|_| self.supplied < size)
            .map(|apart| self.now + Duration::from_micros(apart));
        let supplied = self.supplied;
        self.at_sender(|sender, now, out| sender.offer(now, supplied, out));
    }

    fn on_packet(&mut self, packet: Packet) {
        match packet {
            Packet::Open => self.put_ack(Packet::Opened),
            Packet::Opened => {
                self.opened = true;
                self.at_sender(|sender, now, out| sender.on_open(now, out));
            }
            Packet::Data(data) => self.on_data(data),
            Packet::Ack(ack, stamp, blocks, marks) => self.on_ack(ack, stamp, &blocks, marks),
        }
    }

    fn on_data(&mut self, data: Data) {
        if self.receiver.answers_before(data.marked) {
            self.again = false;
            self.send_ack(None);
        }
        let known = data.seq < self.receiver.delivered() || self.arrived.contains(&data.seq);
        self.again = known && self.setup.undo && self.kind == Kind::Sack;
        self.arrived.insert(data.seq);
        let feedback = data.feedback.map(|(marked, sendable, heard)| Feedback {
            marked,
            sendable,
            heard,
        });
        let arrival = Arrival {
            queueing: data.queueing,
            marked: data.marked,
            cwr: data.cwr,
            push: data.push,
            feedback,
            sent_at: data.sent_at,
            ..Arrival::plain(data.seq, data.stamp)
        };
        match self.receiver.on_segment(self.now, &arrival) {
            Response::Ack => self.send_ack(Some(data)),
            Response::Wait => {
                assert!(self.receiver.deadline().is_some());
                assert!(data.queueing.is_none(), "probes are answered at once");
            }
        }
        let most = self.setup.ack_control.map(|control| control.max);
        let factor = self.receiver.ack_factor();
        assert_eq!(factor.is_some(), most.is_some());
        assert!(factor.is_none_or(|d| 1 <= d && Some(d) <= most));
    }

    fn on_ack(&mut self, ack: u64, stamp: Stamp, blocks: &[(u64, u64)], marks: Marks) {
        if ack >= self.sender.una() {
            let segments = blocks.iter().flat_map(|&(start, end)| start..end);
            self.sacked.extend(segments);
        }
        let blocks: Vec<_> = blocks
            .iter()
            .map(|&(start, end)| SackBlock { start, end })
            .collect();
        let echo = match stamp {
            Stamp::Exact(trigger, received_at) => Echo::Exact {
                trigger,
                received_at,
            },
            Stamp::Sent(trigger, sent_at) => Echo::Sent { trigger, sent_at },
            Stamp::Option(value, echo) => Echo::Timestamps { value, echo },
        };
        let samples = self.sender.rtt_samples();
        self.at_sender(|sender, now, out| {
            let blocks = &blocks;
            let segment = AckSegment {
                ack,
                echo,
                blocks,
                ece: marks.ece,
                marks: marks.count,
                marked: marks.marked,
                aqt: marks.aqt.map(|(queueing, echo)| Aqt { queueing, echo }),
            };
            sender.on_ack(now, &segment, out);
        });
        assert!(self.sender.una() >= ack, "an ACK is taken, or is old");
        if self.sender.rtt_samples() > samples {
            self.check_rtt();
        }
    }

    fn at_sender(&mut self, event: impl FnOnce(&mut Sender<Recorder>, Instant, &mut Sent)) {
        let before = Before {
            phase: self.sender.phase(),
            una: self.sender.una(),
            high: self.sender.high(),
            losses: self.sender.control().losses,
            marks: self.sender.control().marks,
            fast_recoveries: self.sender.counters().fast_recoveries,
            undone: self.sender.counters().undone,
            timeouts: self.sender.control().timeouts,
        };
        let mut out = Sent::default();
        event(&mut self.sender, self.now, &mut out);
        self.check_sent(&before, &out);
        self.check_sender(&before);
        self.check_reductions(&before);
        self.check_end_of_episode(&before, &out);
        self.check_burst(&before, &out);
        if out.opened {
            for at in self.path.data(self.now).into_iter().flatten() {
                self.put(at, Packet::Open);
            }
        }
        for segment in out.segments {
            self.log.push((self.now, segment.seq));
            let stamp = match self.setup.stamping {
                Stamping::Exact => 0,
                Stamping::Option { granularity } => {
                    (self.now.as_nanos() / granularity.as_nanos()) as u32
                }
            };
            let data = Data {
                seq: segment.seq,
                stamp,
                sent_at: segment.sent_at,
                queueing: segment.probe.then_some(segment.seq as u32 * 7),
                marked: self.path.marks(self.now, segment.ect),
                cwr: segment.cwr,
                push: segment.push,
                feedback: segment.feedback.map(|f| (f.marked, f.sendable, f.heard)),
            };
            for at in self.path.data(self.now).into_iter().flatten() {
                self.put(at, Packet::Data(data));
            }
        }
    }

    /// Whether losses are found by times (RACK).
    fn by_times(&self) -> bool {
        self.kind == Kind::Sack && self.setup.rack.is_some()
    }

    fn put(&mut self, at: Instant, packet: Packet) {
        self.packets += 1;
        self.under_way.push(Reverse((at, self.packets, packet)));
    }

    fn put_ack(&mut self, packet: Packet) {
        for at in self.path.ack(self.now).into_iter().flatten() {
            self.put(at, packet.clone());
        }
    }

    /// Sends an ACK, because `data` arrived or the wait for another segment is over.
    fn send_ack(&mut self, data: Option<Data>) {
        let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
        let ack = self.receiver.ack(self.now, &mut blocks);
        let number = ack.ack;
        let stamp = match ack.echo {
            Echo::Exact {
                trigger,
                received_at,
            } => Stamp::Exact(trigger, received_at),
            Echo::Sent { trigger, sent_at } => Stamp::Sent(trigger, sent_at),
            Echo::Timestamps { value, echo } => Stamp::Option(value, echo),
        };
        let blocks: Vec<_> = ack.blocks.iter().map(|b| (b.start, b.end)).collect();
        let echo = ack.aqt.map(|aqt| {
            assert_eq!(aqt.queueing, 0);
            aqt.echo
        });
        assert_eq!(echo, data.and_then(|data| data.queueing));
        assert!(!ack.ece || self.setup.ecn.is_on() && !self.setup.ecn.counts());
        assert_eq!(ack.marks.is_some(), self.setup.ecn.counts());
        assert!(ack.marks.is_none_or(|marks| marks == self.receiver.marks()));
        let marks = Marks {
            ece: ack.ece,
            count: ack.marks,
            marked: self.path.marks(self.now, self.setup.ack_control.is_some()),
            aqt: echo.map(|echo| (number as u32, echo)),
        };
        self.check_ack(number, data.map(|data| data.seq), &blocks);
        self.put_ack(Packet::Ack(number, stamp, blocks, marks));
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?} at {:?}: {:?}, receiver {:?}, {} packets under way",
            self.kind,
            self.now,
            self.sender,
            self.receiver,
            self.under_way.len()
        )
    }
}
