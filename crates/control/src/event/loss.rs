//! Losses and timeouts.

use crate::units::{Instant, Segments};

/// How a loss was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossSignal {
    /// Three duplicate ACKs, or their equivalent in a SACK scoreboard.
    DupAcks,
    /// Vegas' fine-grained timer, which is checked on a duplicate or partial ACK.
    FineTimer,
    /// An ECN mark.
    Ecn,
}

impl LossSignal {
    /// `dup_acks`, `fine_timer` or `ecn`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DupAcks => "dup_acks",
            Self::FineTimer => "fine_timer",
            Self::Ecn => "ecn",
        }
    }
}

/// A loss episode begins. The host reports it once per episode, not once per packet. Only Vegas'
/// recovery, which has no episodes, reports every retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// When the loss was detected.
    pub now: Instant,
    /// Segments outstanding.
    pub in_flight: Segments,
    /// When the lost segment was last sent. Unless set, the time of detection, for hosts that do not
    /// know when the segment was sent.
    pub lost_sent_at: Instant,
    /// How often the lost segment has been sent so far, at least 1; 1 unless set.
    pub transmissions: u32,
    /// How the loss was detected; by duplicate ACKs unless set.
    pub by: LossSignal,
}

impl Loss {
    /// A loss that was detected at `now` while `in_flight` segments were outstanding.
    #[inline]
    pub const fn new(now: Instant, in_flight: Segments) -> Self {
        Self {
            now,
            in_flight,
            lost_sent_at: now,
            transmissions: 1,
            by: LossSignal::DupAcks,
        }
    }

    /// Sets when the lost segment was last sent.
    #[inline]
    pub const fn with_lost_sent_at(mut self, sent_at: Instant) -> Self {
        self.lost_sent_at = sent_at;
        self
    }

    /// Sets how often the lost segment has been sent so far.
    #[inline]
    pub const fn with_transmissions(mut self, transmissions: u32) -> Self {
        self.transmissions = transmissions;
        self
    }

    /// Sets how the loss was detected.
    #[inline]
    pub const fn with_signal(mut self, by: LossSignal) -> Self {
        self.by = by;
        self
    }
}

/// The retransmission timer fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeout {
    /// When the timer fired.
    pub now: Instant,
    /// Segments outstanding.
    pub in_flight: Segments,
    /// 1 for the first timeout of a segment, 2 for the next of the same segment, and so on; 1
    /// unless set. From 2 on, an algorithm may leave the slow-start threshold unchanged (RFC 5681,
    /// section 3.1). A host with persistent congestion instead of a retransmission timer (RFC 9002,
    /// section 7.6) counts how often it occurred in the same loss episode.
    pub consecutive: u32,
}

impl Timeout {
    /// The first timeout of a segment, at `now`, while `in_flight` segments were outstanding.
    #[inline]
    pub const fn new(now: Instant, in_flight: Segments) -> Self {
        Self {
            now,
            in_flight,
            consecutive: 1,
        }
    }

    /// Sets which timeout of the same segment this is, counted from 1.
    #[inline]
    pub const fn with_consecutive(mut self, consecutive: u32) -> Self {
        self.consecutive = consecutive;
        self
    }
}
