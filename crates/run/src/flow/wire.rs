//! The data that packets of the simulator carry: 20 bytes. SACK blocks are stored apart.

mod boards;
pub(crate) mod connection;

use dumbbell_control::controller::Controller;
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};
use dumbbell_quic::connection::Packet;
use dumbbell_sim::{Arrived, Kind, Time};
use dumbbell_tcp::ack_control::Feedback;
use dumbbell_tcp::config::Stamping;
use dumbbell_tcp::segment::{AckSegment, Arrival, Echo, Segment};
use dumbbell_tcp::sender::Sender;

use crate::time::instant;
pub(crate) use boards::{Board, Boards, Content};

/// Data of a transport.
pub(crate) const DATA: Kind = Kind::new(0);
/// ACKs, and the segments that open a connection.
pub(crate) const ACK: Kind = Kind::new(1);
/// Packets of a source without a transport.
pub(crate) const DATAGRAM: Kind = Kind::new(2);
/// Data of a media flow.
pub(crate) const MEDIA: Kind = Kind::new(3);

/// A packet's content. Sequence numbers are carried as their low 32 bits, as in TCP itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The segment's number, or the cumulative ACK.
    number: u32,
    /// In an ACK: the number of the segment that triggered it, or the timestamps option's TSecr. In
    /// a segment: its timestamp or, if it carries feedback, the newest receiver time that its sender has
    /// learned of, in microseconds; the timestamp then follows from the time at which it was sent.
    word: u32,
    /// In an ACK: when the segment that triggered it arrived, or the timestamps option's TSval. The
    /// time is in two halves, so that the packet needs no alignment to 8 bytes. In a segment: the
    /// packet with data: its flow and, above it, when it was sent (see [`stamp`]).
    time: [u32; 2],
    /// Flags, and below them either the slot that stores the rest of an ACK, or the number of
    /// segments that the sender of a segment may have outstanding.
    mark: u32,
}

/// Nothing is stored outside the packet.
const PLAIN: u32 = 1 << 31;
/// The segment that opens a connection, or the reply to it.
const OPEN: u32 = PLAIN | 1 << 30;
/// An ACK with ECE.
const ECE: u32 = 1 << 29;
/// A packet of a media flow. An ACK with ECE never has both flags, because it opens no connection.
const KEPT: u32 = OPEN | ECE;
/// A data segment, and its flags.
const SEGMENT: u32 = PLAIN | 1 << 28;
const PROBE: u32 = 1 << 27;
const CWR: u32 = 1 << 26;
const FEEDBACK: u32 = 1 << 25;
const ACK_MARKED: u32 = 1 << 24;
/// The same bit as that of an ACK with ECE.
const PUSH: u32 = 1 << 29;
/// A data packet of QUIC: a segment in all that does not look at its other flags.
const PACKET: u32 = SEGMENT | 1 << 30;
/// An acknowledgement of QUIC, whose content is stored apart.
const FRAME: u32 = KEPT | 1 << 26;
/// The bits below the flags.
const SENDABLE: u32 = (1 << 24) - 1;
const PLACE: u32 = (1 << 29) - 1;
/// A packet of a source without a transport. No ACK has this flag without `SEGMENT`.
const SOURCE: u32 = PLAIN | 1 << 27;
/// The bits of a stamp that hold the flow: a scenario has at most 100,000 flows.
const FLOW_BITS: u32 = 17;
const FLOW: u64 = (1 << FLOW_BITS) - 1;

impl Payload {
    /// The reply to the segment that opens a connection, and that segment where nobody asks when it was sent.
    pub(crate) const OPENING: Self = Self {
        number: 0,
        word: 0,
        time: [0; 2],
        mark: OPEN,
    };

    /// The segment that opens a connection, sent at `now`.
    pub(crate) fn opening(flow: u32, now: Time) -> Self {
        Self {
            time: stamp(flow, now.as_nanos()),
            ..Self::OPENING
        }
    }

    /// A datagram of a flow without content, sent at `now`.
    pub(crate) fn datagram(flow: u32, now: Time) -> Self {
        Self {
            number: 0,
            word: 0,
            time: stamp(flow, now.as_nanos()),
            mark: SOURCE,
        }
    }

    /// The flow of a datagram; `None` for other packets.
    pub(crate) fn source_of(&self) -> Option<usize> {
        (self.mark == SOURCE).then_some(self.flow())
    }

    /// A packet of a media flow, sent at `now`, whose content is stored in a slot.
    pub(crate) fn kept(place: u32, flow: u32, now: Time) -> Self {
        Self {
            number: place,
            word: 0,
            time: stamp(flow, now.as_nanos()),
            mark: KEPT,
        }
    }

    /// The slot of a media packet's content, and its flow; `None` for other packets.
    pub(crate) fn place(&self) -> Option<(u32, usize)> {
        (self.mark == KEPT).then_some((self.number, self.flow()))
    }

    /// A data packet of a QUIC connection.
    pub(crate) fn packet(packet: &Packet, flow: u32) -> Self {
        Self {
            number: packet.number as u32,
            word: packet.piece as u32,
            time: stamp(flow, packet.sent_at.as_nanos()),
            mark: PACKET,
        }
    }

    /// The number of a QUIC packet and of its piece of data, given what the receiver expects of each; `None` for
    /// other packets.
    pub(crate) fn as_packet(&self, (number, piece): (u64, u64)) -> Option<(u64, u64)> {
        let whole = (widen(number, self.number), widen(piece, self.word));
        (self.mark == PACKET).then_some(whole)
    }

    /// An acknowledgement of a QUIC connection, sent at `now`, whose content is stored in a slot.
    pub(crate) fn of_frame(place: u32, flow: u32, now: Time) -> Self {
        Self {
            number: place,
            word: 0,
            time: stamp(flow, now.as_nanos()),
            mark: FRAME,
        }
    }

    /// The slot of a QUIC acknowledgement; `None` for other packets.
    pub(crate) fn frame(&self) -> Option<u32> {
        (self.mark == FRAME).then_some(self.number)
    }

    /// How long ago a packet that carries a stamp was sent.
    #[inline]
    pub(crate) fn age(&self, now: Time) -> Duration {
        let stamp = u64::from(self.time[1]) << 32 | u64::from(self.time[0]);
        // The bits of the flow never borrow from those of the time.
        let age = (now.as_nanos() << FLOW_BITS | FLOW).wrapping_sub(stamp) >> FLOW_BITS;
        Duration::from_nanos(age)
    }

    /// When a packet that carries a stamp was sent.
    #[inline]
    pub(crate) fn sent_at(&self, now: Time) -> Instant {
        Instant::from_nanos(now.as_nanos() - self.age(now).as_nanos())
    }

    #[inline]
    fn flow(&self) -> usize {
        (u64::from(self.time[0]) & FLOW) as usize
    }

    pub(crate) fn is_opening(&self) -> bool {
        self.mark == OPEN
    }

    /// A data segment of a flow, with the sender's clock in ticks if the timestamps option is in
    /// use.
    #[inline]
    pub(crate) fn data(segment: &Segment, ts_value: u32, flow: u32) -> Self {
        let mut mark = SEGMENT;
        let mut word = ts_value;
        mark |= (u32::from(segment.probe) * PROBE) | (u32::from(segment.cwr) * CWR);
        mark |= u32::from(segment.push) * PUSH;
        if let Some(feedback) = &segment.feedback {
            mark |= FEEDBACK | feedback.sendable.min(SENDABLE);
            if feedback.marked {
                mark |= ACK_MARKED;
            }
            word = feedback.heard.as_nanos().div_ceil(1000) as u32;
        }
        Self {
            number: segment.seq as u32,
            word,
            time: stamp(flow, segment.sent_at.as_nanos()),
            mark,
        }
    }

    /// The segment's number, given that the receiver expects `near`, and its timestamp; only for a
    /// segment without feedback.
    #[inline]
    pub(crate) fn as_data(&self, near: u64) -> (u64, u32) {
        (widen(near, self.number), self.word)
    }

    /// Whether it is a data segment that carries only its number.
    #[inline]
    pub(crate) fn is_plain_segment(&self) -> bool {
        self.mark == SEGMENT
    }

    /// Whether the segment carries an AQT option.
    #[inline]
    pub(crate) fn probes(&self) -> bool {
        self.mark & PROBE != 0 && self.mark & SEGMENT == SEGMENT
    }

    /// Whether the segment reports that the window was reduced.
    #[inline]
    pub(crate) fn cwr(&self) -> bool {
        self.mark & CWR != 0 && self.mark & SEGMENT == SEGMENT
    }

    /// Whether the ACK of the segment is not to be delayed.
    #[inline]
    pub(crate) fn pushes(&self) -> bool {
        self.mark & PUSH != 0 && self.mark & SEGMENT == SEGMENT
    }

    /// The flow of a data segment, and the low half of its number; `None` for other packets.
    pub(crate) fn segment_of(&self) -> Option<(usize, u32)> {
        (self.mark & SEGMENT == SEGMENT && self.mark != OPEN).then_some((self.flow(), self.number))
    }

    /// The feedback in a segment for the receiver's ACK congestion control at `now`.
    #[inline]
    fn feedback(&self, now: Instant) -> Option<Feedback> {
        if self.mark & FEEDBACK == 0 {
            return None;
        }
        let micros = now.as_nanos().div_ceil(1000);
        let age = (micros as u32).wrapping_sub(self.word);
        Some(Feedback {
            marked: self.mark & ACK_MARKED != 0,
            sendable: self.mark & SENDABLE,
            heard: Instant::from_nanos(micros.saturating_sub(u64::from(age)) * 1000),
        })
    }

    #[inline]
    fn ack(ack: &AckSegment<'_>, mark: u32) -> Self {
        let (word, time) = match ack.echo {
            Echo::Exact {
                trigger,
                received_at,
            } => (trigger as u32, halves(received_at.as_nanos())),
            Echo::Sent { trigger, sent_at } => (trigger as u32, halves(sent_at.as_nanos())),
            Echo::Timestamps { value, echo } => (echo, [value, 0]),
        };
        Self {
            number: ack.ack as u32,
            word,
            time,
            mark,
        }
    }

    /// The cumulative ACK and its echo, given that the sender's oldest segment in flight is `una`.
    #[inline]
    pub(crate) fn as_ack(&self, una: u64, stamp: Stamp) -> (u64, Echo) {
        let time = Instant::from_nanos(u64::from(self.time[1]) << 32 | u64::from(self.time[0]));
        let trigger = widen(una, self.word);
        let echo = match stamp {
            Stamp::Received => Echo::Exact {
                trigger,
                received_at: time,
            },
            Stamp::Sent => Echo::Sent {
                trigger,
                sent_at: time,
            },
            Stamp::Clocks => Echo::Timestamps {
                value: self.time[0],
                echo: self.word,
            },
        };
        (widen(una, self.number), echo)
    }

    /// Whether an ACK reports a mark.
    #[inline]
    pub(crate) fn ece(&self) -> bool {
        self.mark & ECE != 0
    }

    /// The slot that stores the rest of an ACK, if there is more than its number.
    #[inline]
    pub(crate) fn board(&self) -> Option<u32> {
        (self.mark < PLAIN).then_some(self.mark & PLACE)
    }

    /// The same ACK or media packet, with the rest of it in this slot.
    pub(crate) fn at(mut self, place: u32) -> Self {
        if self.board().is_some() {
            self.mark = self.mark & !PLACE | place;
        } else {
            self.number = place;
        }
        self
    }
}

/// What the stamps of ACKs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// When the segment arrived that triggered the ACK.
    Received,
    /// When it was sent.
    Sent,
    /// The timestamps option.
    Clocks,
}

impl Stamp {
    /// The stamps of the ACKs to this sender.
    #[inline]
    pub(crate) fn of<C: Controller>(sender: &Sender<C>) -> Self {
        if sender.reads_sending() {
            return Self::Sent;
        }
        match sender.stamping() {
            Stamping::Option { .. } => Self::Clocks,
            Stamping::Exact => Self::Received,
        }
    }
}

/// A flow and a time in 64 bits. The time has 47 bits of nanoseconds, 39 hours, so it is exact for packets
/// that are not under way for longer.
#[inline]
fn stamp(flow: u32, nanos: u64) -> [u32; 2] {
    halves(nanos << FLOW_BITS | u64::from(flow))
}

/// The timestamp of a segment that is sent at this time.
#[inline]
pub(crate) fn timestamp(stamping: Stamping, nanos: u64) -> u32 {
    match stamping {
        Stamping::Exact => 0,
        Stamping::Option { granularity } => {
            cold_path();
            (nanos / granularity.as_nanos().max(1)) as u32
        }
    }
}

/// The segment in a packet that arrives at `now` from a sender with this stamping, given that the
/// receiver expects `near`.
#[inline]
pub(crate) fn arrival(
    packet: &Arrived<Payload>,
    near: u64,
    now: Time,
    stamping: Stamping,
) -> Arrival {
    let (seq, mut ts_value) = packet.payload.as_data(near);
    let feedback = packet.payload.feedback(instant(now));
    if feedback.is_some() {
        let age = packet.payload.age(now).as_nanos();
        ts_value = timestamp(stamping, now.as_nanos().saturating_sub(age));
    }
    let sent_at = packet.payload.sent_at(now);
    if packet.payload.mark == SEGMENT {
        // Only the number, as in nearly all segments.
        return Arrival {
            seq,
            ts_value,
            sent_at,
            queueing: None,
            marked: packet.marked,
            cwr: false,
            push: false,
            feedback: None,
        };
    }
    Arrival {
        seq,
        ts_value,
        sent_at,
        // Routers that do not record queueing delays leave the option unchanged.
        queueing: packet
            .payload
            .probes()
            .then(|| packet.queueing.unwrap_or_default()),
        marked: packet.marked,
        cwr: packet.payload.cwr(),
        push: packet.payload.pushes(),
        feedback,
    }
}

/// The number of a segment near `near` whose low half is `low`.
pub(crate) fn segment_near(near: u64, low: u32) -> u64 {
    widen(near, low)
}

/// The number nearest to `near` whose low 32 bits are `low`.
#[inline]
fn widen(near: u64, low: u32) -> u64 {
    let step = low.wrapping_sub(near as u32) as i32;
    near.saturating_add_signed(i64::from(step))
}

fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

#[cfg(test)]
mod tests;
