//! Explicit congestion notification at the sender (RFC 3168, section 6.1.2).
//!
//! | event | reaction |
//! |---|---|
//! | an ACK with ECE, nothing lost, the first of its window | the controller is told, once; CWR goes with the next new segment |
//! | the same, and cwnd is one segment | nothing is sent until the retransmission timer expires |
//! | any ACK with ECE | no growth |
//! | a loss of a segment sent before the reaction | recovery begins, and no further cut |
//! | another reduction (fast retransmit, timeout) | CWR as well |
//!
//! Readings: a window ends with an ACK of what was sent after the reaction. "The congestion window is
//! one" means less than two segments, and the controller is not told then: it could only raise it.

use dumbbell_control::units::{Instant, Segments};

/// The state of the reaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ecn {
    /// ECN is in use.
    pub(crate) enabled: bool,
    /// The ACK at hand has ECE.
    echoed: bool,
    /// A reduction is to be told to the receiver.
    reduced: bool,
    /// The last reaction waits for the timer.
    held: bool,
    /// When the last reaction came, and the segment after the highest sent by then.
    at: Instant,
    above: u64,
    /// Reactions that cut the window.
    pub(crate) cuts: u64,
}

/// What an ACK with ECE asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Nothing but not to grow.
    None,
    /// The controller is to be told.
    Cut,
    /// The window cannot shrink: the timer is to be waited for.
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

    /// An ACK for all below `ack` arrives. `quiet` says that no loss is being dealt with that the mark
    /// may belong to, `high` is the segment after the highest sent.
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

    /// The ACK at hand lets nothing grow.
    #[inline]
    pub(crate) fn forbids_growth(&self) -> bool {
        self.echoed
    }

    /// A segment that was last sent at `sent_at` belongs to a window that a mark has cut already.
    pub(crate) fn covers(&self, seq: u64, sent_at: Instant) -> bool {
        seq < self.above && sent_at <= self.at
    }

    /// The window was reduced for a loss.
    pub(crate) fn on_reduction(&mut self) {
        self.reduced = self.enabled;
    }

    /// Whether a new segment is to say that the window was reduced: the first one after it.
    #[inline]
    pub(crate) fn take_reduced(&mut self) -> bool {
        core::mem::take(&mut self.reduced)
    }

    /// Nothing may be sent.
    #[inline]
    pub(crate) fn holds(&self) -> bool {
        self.held
    }

    /// The timer has expired; answers whether that was what was waited for.
    pub(crate) fn release(&mut self) -> bool {
        core::mem::take(&mut self.held)
    }
}
