//! A sender and a receiver joined by a path, checked at every event.

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
    queueing: Option<u32>,
    marked: bool,
    cwr: bool,
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
        Self {
            sender: Sender::new(
                &setup.sender(&pair.control),
                control,
                setup.recovery(pair.kind),
            ),
            receiver: Receiver::new(setup.receiver(pair.kind)),
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
            feedback,
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

    /// Checks that an RTT is at least twice the propagation delay and at most the age of the connection.
    fn check_rtt(&self) {
        let tick = match self.setup.stamping {
            Stamping::Exact => Duration::ZERO,
            Stamping::Option { granularity } => granularity,
        };
        let rtt = self.sender.last_rtt();
        let least = Duration::from_micros(2 * self.setup.channel.delay);
        assert!(rtt + tick >= least, "{rtt:?} {self:?}");
        assert!(rtt <= self.now.since(self.start) + tick, "{rtt:?} {self:?}");
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
                queueing: segment.probe.then_some(segment.seq as u32 * 7),
                marked: self.path.marks(self.now, segment.ect),
                cwr: segment.cwr,
                feedback: segment.feedback.map(|f| (f.marked, f.sendable, f.heard)),
            };
            for at in self.path.data(self.now).into_iter().flatten() {
                self.put(at, Packet::Data(data));
            }
        }
    }

    fn check_sent(&mut self, before: &Before, out: &Sent) {
        let mut high = before.high;
        for segment in &out.segments {
            let Segment {
                seq,
                retransmission,
                sent_at,
                probe,
                ect,
                l4s,
                cwr,
                feedback,
            } = *segment;
            assert_eq!(sent_at, self.now);
            assert!(seq >= self.sender.una(), "{seq} is acknowledged: {self:?}");
            assert!(self.setup.size.is_none_or(|size| seq < size));
            assert!(self.setup.supply.is_none() || seq < self.supplied);
            assert_eq!(retransmission, seq < high);
            assert!(!self.sacked.contains(&seq), "{seq} is SACKed: {self:?}");
            if !retransmission {
                assert_eq!(seq, high, "new segments go out in order");
                high += 1;
            }
            let ecn = self.setup.ecn;
            assert_eq!(ect, ecn.is_on() && (!retransmission || ecn.counts()));
            assert_eq!(l4s, ecn == EcnMode::L4s);
            assert!(!cwr || !ecn.counts());
            assert!(!cwr || ect, "{seq} is not new: {self:?}");
            assert_eq!(feedback.is_some(), self.setup.ack_control.is_some());
            let every = u64::from(self.setup.probe_every);
            assert_eq!(probe, every > 0 && self.sent.is_multiple_of(every));
            self.sent += 1;
            self.retransmits += u64::from(retransmission);
        }
        assert_eq!(self.sender.high(), high);
    }

    /// Checks that a sender that adapts to fewer ACKs sends no long bursts. A recovery may add a segment.
    fn check_burst(&self, before: &Before, out: &Sent) {
        let new = out.segments.iter().filter(|s| s.seq >= before.high).count();
        let known = self.sender.srtt().is_some();
        assert!(!self.setup.adaptation || !known || new <= 5, "{self:?}");
    }

    fn check_sender(&self, before: &Before) {
        let sender = &self.sender;
        let (una, high) = (sender.una(), sender.high());
        assert!(before.una <= una && una <= high);
        let room = self.setup.receiver_window.floor();
        assert!(high - una <= room, "beyond the receiver's window: {self:?}");
        let (window, inflation) = sender.window();
        assert!(window.cwnd >= Segments::ONE && window.cwnd <= Segments::CAP);
        assert!(sender.phase() == Phase::Recovery || inflation == 0);
        let outstanding = una < high || !self.opened;
        let paces = self.setup.pacing || self.setup.rate.is_some() || self.setup.deliveries;
        let waits = self.setup.ecn.is_on() || self.setup.adaptation || paces;
        assert!(sender.deadline().is_some() || !outstanding, "{self:?}");
        // With nothing outstanding, only pacing and the wait after a mark keep a timer running.
        assert!(
            outstanding || waits || sender.deadline().is_none(),
            "{self:?}"
        );
        let counters = sender.counters();
        assert_eq!(counters.sent, self.sent);
        assert_eq!(counters.retransmits, self.retransmits);
        let control = sender.control();
        assert_eq!(counters.timeouts, control.timeouts);
        assert_eq!(
            (counters.sent, counters.retransmits),
            (control.sent, control.resent)
        );
        // The latest retransmissions are reported with the next ACK.
        assert!(control.lost <= control.resent);
    }

    /// Checks that there is at most one reduction per episode. Vegas has no episodes: there, the loss of
    /// a segment sent before the last cut must not cut again.
    fn check_reductions(&mut self, before: &Before) {
        let control = self.sender.control();
        let losses = control.losses - before.losses;
        let marks = control.marks - before.marks;
        let counters = self.sender.counters();
        assert_eq!(counters.ecn_cuts, control.marks);
        assert_eq!(counters.undone, control.restored);
        assert!(counters.undone <= counters.fast_recoveries + counters.timeouts);
        if counters.undone > before.undone {
            self.cut_high = 0; // There was no cut.
        }
        assert!(marks == 0 || self.setup.ecn.is_on() && before.phase == Phase::Open);
        if self.kind == Kind::Vegas {
            assert_eq!(control.late_cuts, 0, "{self:?}");
            return;
        }
        let episodes = counters.fast_recoveries - before.fast_recoveries;
        // A mark cuts less than a loss if it cuts by the extent of marking: then both are reported.
        let once = self.setup.ecn.is_on() && !self.scalable;
        assert!(losses == episodes || once && losses < episodes);
        assert!(losses <= 1 && marks <= 1);
        if marks == 1 {
            // The ACK must cover a segment sent after the last cut.
            assert!(
                // A control that is asked goes by when segments were sent, last if they were sent again.
                self.cut_high == 0 || self.sender.una() > self.cut_high || self.scalable,
                "{self:?}"
            );
        }
        if losses == 1 {
            // One window of segments must not be cut twice. By times, the ACK that ends an episode may
            // begin another one; and a loss probe reports a loss that others of its window may follow.
            let una = match self.by_times() {
                true => self.sender.una(),
                false => before.una,
            };
            let careless = matches!(self.kind, Kind::Reno | Kind::NewReno) && !self.setup.careful
                || self.by_times() && self.setup.rack == Some(true);
            assert!(
                careless || una >= self.cut_high || self.scalable,
                "{self:?}"
            );
            let over = self.by_times() && una >= self.cut_high;
            assert!(over || before.phase != Phase::Recovery, "{self:?}");
        }
        if episodes == 1 || marks == 1 || control.timeouts > before.timeouts {
            self.cut_high = before.high;
        }
    }

    /// Whether losses are found by times (RACK).
    fn by_times(&self) -> bool {
        self.kind == Kind::Sack && self.setup.rack.is_some()
    }

    /// Checks that an episode ends when all that was outstanding at its beginning is acknowledged. In Reno
    /// and Vegas it ends on any new ACK, unless Vegas sends the next segment again.
    fn check_end_of_episode(&self, before: &Before, out: &Sent) {
        let una = self.sender.una();
        if una == before.una {
            return;
        }
        let again = out.segments.iter().any(|segment| segment.retransmission);
        let over = match self.kind {
            Kind::Reno => true,
            Kind::Vegas => !again,
            Kind::Tahoe | Kind::NewReno | Kind::Sack => una >= self.cut_high,
        };
        if self.by_times() && self.sender.counters().fast_recoveries > before.fast_recoveries {
            return; // The ACK that ends an episode has begun another one.
        }
        assert!(!over || self.sender.phase() != Phase::Recovery, "{self:?}");
        let all = una >= self.cut_high && self.kind != Kind::Vegas;
        assert!(!all || self.sender.phase() == Phase::Open, "{self:?}");
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

    /// Checks that an ACK reports what has arrived: the first missing segment, and the runs above it,
    /// that of the newest arrival first (RFC 2018, section 4).
    fn check_ack(&mut self, ack: u64, seq: Option<u64>, blocks: &[(u64, u64)]) {
        while self.arrived.first().is_some_and(|&first| first < ack) {
            self.arrived.pop_first();
        }
        assert_eq!(ack, self.receiver.delivered());
        let mut blocks = blocks;
        if let (true, Some(seq)) = (self.again, seq) {
            // RFC 2883, section 4: the copy first, and then what contains it.
            let [first, others @ ..] = blocks else {
                panic!("{seq} has arrived twice: {self:?}");
            };
            assert_eq!(*first, (seq, seq + 1));
            blocks = others;
        }
        assert!(!self.arrived.contains(&ack), "{ack} has arrived");
        assert!(ack <= self.sender.high());
        for (i, &(start, end)) in blocks.iter().enumerate() {
            assert!(ack < start && start < end);
            assert!((start..end).all(|seq| self.arrived.contains(&seq)));
            assert!(!self.arrived.contains(&(start - 1)) && !self.arrived.contains(&end));
            assert!(!blocks[..i].contains(&(start, end)));
        }
        if let (Kind::Sack, Some(seq)) = (self.kind, seq.filter(|&seq| seq > ack)) {
            assert!(blocks[0].0 <= seq && seq < blocks[0].1, "{blocks:?} {seq}");
        }
        if self.kind != Kind::Sack {
            assert!(blocks.is_empty());
        }
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
