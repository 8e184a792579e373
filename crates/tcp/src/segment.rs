//! Segments and ACKs that travel between a sender and a receiver, counted in whole segments.

use dumbbell_control::units::Instant;

use crate::ack_control::Feedback;
use crate::option::Aqt;

/// A data segment on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number, from 0.
    pub seq: u64,
    /// Whether it has been sent before.
    pub retransmission: bool,
    /// When it was sent, by the sender's clock.
    pub sent_at: Instant,
    /// Whether it carries an AQT option, in which routers add up how long it waits.
    pub probe: bool,
    /// Whether routers may mark it instead of dropping it (ECT).
    pub ect: bool,
    /// Whether it is L4S: then that is ECT(1) instead of ECT(0).
    pub l4s: bool,
    /// Whether it signals that the sender has reduced its window (CWR).
    pub cwr: bool,
    /// Whether it is the last that there is to send, or of a piece, and its ACK is not to be delayed (PSH: the receiver's
    /// application reads at once what it ends).
    pub push: bool,
    /// The sender's feedback for ACK congestion control; `None` if that is not in use.
    pub feedback: Option<Feedback>,
}

impl Segment {
    /// A segment without options, ECN bits or feedback.
    #[inline]
    pub fn plain(seq: u64, retransmission: bool, sent_at: Instant) -> Self {
        Self {
            seq,
            retransmission,
            sent_at,
            probe: false,
            ect: false,
            l4s: false,
            cwr: false,
            push: false,
            feedback: None,
        }
    }
}

/// A data segment as it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Its number.
    pub seq: u64,
    /// The sender's clock in ticks (TSval); unused without the timestamps option.
    pub ts_value: u32,
    /// When it was sent, by the sender's clock; unused unless the receiver echoes that
    /// ([`ReceiverConfig::echoes_sending`](crate::config::ReceiverConfig::echoes_sending)).
    pub sent_at: Instant,
    /// The queueing time in its AQT option, in microseconds; `None` without the option.
    pub queueing: Option<u32>,
    /// Whether a router has marked it (CE).
    pub marked: bool,
    /// Whether it signals that the sender has reduced its window (CWR).
    pub cwr: bool,
    /// Whether its ACK is not to be delayed (PSH).
    pub push: bool,
    /// The sender's feedback for ACK congestion control; `None` if that is not in use.
    pub feedback: Option<Feedback>,
}

impl Arrival {
    /// A segment with a timestamp but without an AQT option, ECN bits or feedback.
    pub fn plain(seq: u64, ts_value: u32) -> Self {
        Self {
            seq,
            ts_value,
            ..Self::default()
        }
    }
}

/// A contiguous run of segments that the receiver holds above a hole (RFC 2018).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// The first segment of the run.
    pub start: u64,
    /// The segment after its last.
    pub end: u64,
}

/// The most SACK blocks that fit into an ACK without timestamps (RFC 2018, section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// The time stamps of an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Exact stamps that take no bytes, as only a simulator can have them.
    Exact {
        /// The segment whose arrival triggered the ACK.
        trigger: u64,
        /// When that segment arrived, by the receiver's clock.
        received_at: Instant,
    },
    /// An exact stamp of the sender, which takes no bytes either.
    Sent {
        /// The segment whose arrival triggered the ACK.
        trigger: u64,
        /// When that segment was sent, by the sender's clock.
        sent_at: Instant,
    },
    /// The timestamps option (RFC 7323), in ticks of its granularity.
    Timestamps {
        /// The receiver's clock when the ACK was sent (TSval).
        value: u32,
        /// The echoed clock of the sender (TSecr).
        echo: u32,
    },
}

/// An ACK as it arrives at the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSegment<'a> {
    /// The next segment that the receiver expects.
    pub ack: u64,
    /// Its stamps.
    pub echo: Echo,
    /// SACK blocks, the newest first; empty if SACK is not in use. Before them, a segment that had already
    /// arrived, if the receiver reports such segments (RFC 2883).
    pub blocks: &'a [SackBlock],
    /// ECE: a marked segment has arrived, and the sender has not signalled a reduced window since.
    pub ece: bool,
    /// How many new marked segments have arrived so far; `None` without accurate feedback
    /// ([`EcnMode`](crate::config::EcnMode)).
    pub marks: Option<u64>,
    /// Its AQT option, if a probing segment triggered it. The receiver sends it with a queueing time of
    /// zero.
    pub aqt: Option<Aqt>,
    /// Whether a router has marked the ACK itself (CE). The receiver sends it unmarked.
    pub marked: bool,
}

/// Takes the segments that a sender sends.
pub trait Output {
    /// Sends a data segment.
    fn transmit(&mut self, segment: Segment);
    /// Sends the segment that opens the connection.
    fn open(&mut self);
}
