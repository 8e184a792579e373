//! Explicit congestion notification at the sender (RFC 3168, section 6.1.2).
//!
//! | event | reaction |
//! |---|---|
//! | the first ACK with ECE in a window, outside a recovery | one cut is reported to the controller; the next new segment carries CWR |
//! | the same while cwnd is one segment | nothing is sent until the retransmission timer expires |
//! | any ACK with ECE | no growth |
//! | a loss of a segment sent before the reaction | recovery begins without a further cut |
//! | another reduction (fast retransmit, timeout) | the next new segment carries CWR |
//!
//! Readings: a window ends with an ACK of a segment sent after the reaction. "The congestion window is
//! one" means less than two segments. The mark is then not reported to the controller, which could only
//! raise the window.

use dumbbell_control::units::{Instant, Segments};

/// The state of the reaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ecn {
    /// Whether ECN is in use.
    pub(crate) enabled: bool,
    /// Whether the current ACK has ECE.
    echoed: bool,
    /// Whether the next new segment is to carry CWR.
    reduced: bool,
    /// Whether the sender waits for the timer after the last reaction.
    held: bool,
    /// When the last reaction came, and the segment after the highest sent by then.
    at: Instant,
    above: u64,
    /// Reactions that cut the window.
    pub(crate) cuts: u64,
}

/// The reaction to an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// No reaction, except that an ACK with ECE does not grow the window.
    None,
    /// The mark is reported to the controller.
    Cut,
    /// The window cannot shrink: nothing is sent until the timer expires.
    Hold,
}

impl Ecn {
    pub(crate) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            echoed: false,
            reduced: false,
            held: false,
            at: Instant::ZERO,
            above: 0,
            cuts: 0,
        }
    }

    /// An ACK arrives for all segments below `ack`. `quiet` is whether no loss is being repaired whose
    /// window the mark may belong to. `high` is the segment after the highest sent.
    #[inline]
    pub(crate) fn on_ack(
        &mut self,
        now: Instant,
        echo: bool,
        ack: u64,
        quiet: bool,
        cwnd: impl FnOnce() -> Segments,
        high: u64,
    ) -> Reaction {
        self.echoed = self.enabled && echo;
        if !self.echoed || !quiet || ack <= self.above && self.above > 0 {
            return Reaction::None;
        }
        self.at = now;
        self.above = high;
        self.reduced = true;
        if cwnd() < Segments::whole(2) {
            self.held = true;
            return Reaction::Hold;
        }
        self.cuts += 1;
        Reaction::Cut
    }

    /// Whether the current ACK must not grow the window.
    #[inline]
    pub(crate) fn forbids_growth(&self) -> bool {
        self.echoed
    }

    /// Whether a segment that was last sent at `sent_at` belongs to a window that a mark has already cut.
    pub(crate) fn covers(&self, seq: u64, sent_at: Instant) -> bool {
        seq < self.above && sent_at <= self.at
    }

    /// The window was reduced for a loss.
    pub(crate) fn on_reduction(&mut self) {
        self.reduced = self.enabled;
    }

    /// Whether the new segment that is sent now carries CWR: only the first one after a reduction does.
    #[inline]
    pub(crate) fn take_reduced(&mut self) -> bool {
        core::mem::take(&mut self.reduced)
    }

    /// Whether nothing may be sent until the timer expires.
    #[inline]
    pub(crate) fn holds(&self) -> bool {
        self.held
    }

    /// The timer has expired. Returns whether the sender was waiting for it because of a mark.
    pub(crate) fn release(&mut self) -> bool {
        core::mem::take(&mut self.held)
    }
}
