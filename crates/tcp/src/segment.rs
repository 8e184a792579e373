//! What travels between a sender and a receiver: segments and ACKs, counted in whole segments.

use dumbbell_control::units::Instant;

/// A data segment on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number, from 0.
    pub seq: u64,
    /// It has been sent before.
    pub retransmission: bool,
    /// When it was sent, by the sender's clock.
    pub sent_at: Instant,
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
}

/// Where a sender puts what it sends.
pub trait Output {
    /// Sends a data segment.
    fn transmit(&mut self, segment: Segment);
    /// Sends the segment that opens the connection.
    fn open(&mut self);
}
