//! What travels between a sender and a receiver: segments and ACKs, counted in whole segments.

use dumbbell_control::units::Instant;

use crate::ack_control::Feedback;
use crate::option::Aqt;

/// A data segment on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number, from 0.
    pub seq: u64,
    /// It has been sent before.
    pub retransmission: bool,
    /// When it was sent, by the sender's clock.
    pub sent_at: Instant,
    /// It carries an AQT option, in which routers add up how long it waits.
    pub probe: bool,
    /// Routers may mark it instead of dropping it (ECT).
    pub ect: bool,
    /// The sender has reduced its window (CWR).
    pub cwr: bool,
    /// What it tells of the sender, where ACK congestion control is in use.
    pub feedback: Option<Feedback>,
}

impl Segment {
    /// A segment that says nothing but its number.
    #[inline]
    pub fn plain(seq: u64, retransmission: bool, sent_at: Instant) -> Self {
        Self {
            seq,
            retransmission,
            sent_at,
            probe: false,
            ect: false,
            cwr: false,
            feedback: None,
        }
    }
}

/// A data segment as it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Its number.
    pub seq: u64,
    /// The sender's clock in ticks, where the timestamps option is in use.
    pub ts_value: u32,
    /// What its AQT option says that it has waited, in microseconds; `None` without the option.
    pub queueing: Option<u32>,
    /// A router has marked it (CE).
    pub marked: bool,
    /// The sender has reduced its window (CWR).
    pub cwr: bool,
    /// What it tells of the sender, where ACK congestion control is in use.
    pub feedback: Option<Feedback>,
}

impl Arrival {
    /// A segment without anything that needs an option or a mark.
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

/// The most blocks that fit into an ACK without timestamps (RFC 2018, section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// What an ACK says about time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Exact stamps that cost no bytes: a simulator's privilege.
    Exact {
        /// The segment whose arrival triggered the ACK.
        trigger: u64,
        /// When it arrived, by the receiver's clock.
        received_at: Instant,
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
    /// SACK blocks, the newest first; empty where SACK is not in use.
    pub blocks: &'a [SackBlock],
    /// A marked segment has arrived, and no word yet of a reduced window (ECE).
    pub ece: bool,
    /// Its AQT option, if it answers a probing segment. As it leaves the receiver it has waited nowhere.
    pub aqt: Option<Aqt>,
    /// A router has marked the ACK itself (CE); never so as it leaves.
    pub marked: bool,
}

/// Where a sender puts what it sends.
pub trait Output {
    /// Sends a data segment.
    fn transmit(&mut self, segment: Segment);
    /// Sends the segment that opens the connection.
    fn open(&mut self);
}
