//! What travels between a sender and a receiver.

use dumbbell_control::units::{Duration, Instant};

/// A packet on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its number. No two packets of a connection have the same.
    pub number: u64,
    /// Which of the pieces of data it carries, from 0.
    pub piece: u64,
    /// Whether an earlier packet carried the same piece.
    pub again: bool,
    /// When it left, by the sender's clock.
    pub sent_at: Instant,
    /// Whether routers may mark it (ECT), and whether it is L4S.
    pub ect: bool,
    /// See [`ect`](Self::ect).
    pub l4s: bool,
}

/// Where packets go.
pub trait Output {
    /// A packet leaves.
    fn transmit(&mut self, packet: Packet);
    /// The exchange that opens a connection begins.
    fn open(&mut self);
}

/// Packet numbers from `start` up to `end`, without `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first number.
    pub start: u64,
    /// The number after the last.
    pub end: u64,
}

/// An acknowledgement has at most this many ranges, the newest (RFC 9000, section 13.2.3).
pub const MOST_RANGES: usize = 32;

/// An acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct AckFrame {
    ranges: [Range; MOST_RANGES],
    len: u8,
    /// How long the receiver has waited since the largest packet came.
    pub delay: Duration,
    /// When the largest packet came, by the receiver's clock.
    pub received_at: Instant,
    /// Packets that came with a mark so far.
    pub marked: u64,
}

impl AckFrame {
    /// An acknowledgement of these ranges, the newest first; those beyond [`MOST_RANGES`] are left out.
    pub fn new(newest_first: &[Range]) -> Self {
        let mut ranges = [Range::default(); MOST_RANGES];
        let len = newest_first.len().min(MOST_RANGES);
        ranges[..len].copy_from_slice(&newest_first[..len]);
        Self {
            ranges,
            len: len as u8,
            delay: Duration::ZERO,
            received_at: Instant::ZERO,
            marked: 0,
        }
    }

    /// The ranges, the newest first.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges[..usize::from(self.len)]
    }

    /// The largest packet number that it reports.
    pub fn largest(&self) -> Option<u64> {
        self.ranges().first()?.end.checked_sub(1)
    }
}
