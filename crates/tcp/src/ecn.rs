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
//! With accurate feedback, an ACK has the number of marked segments that have arrived so far.
//!
//! | event | reaction |
//! |---|---|
//! | the number is higher than before | as many of the segments that the ACK credits are marked, at most all; the others later |
//! | the first ACK with marks in a window, outside a recovery | one cut is reported, no CWR |
//! | any ACK with marks | growth for the other segments that it covers |
//! | the number is lower than before | an old ACK: no marks |
//!
//! A scalable control, one that cuts by the extent of marking, decides more itself (RFC 8257, section 3.5; RFC 9331,
//! section 4.3): each ACK with marks outside a recovery is reported to it, and it says which of them cut; a loss after
//! a mark is reported as well; and at a window of one segment nothing waits.
//!
//! Readings: a window ends with an ACK of a segment sent after the reaction. "The congestion window is
//! one" means less than two segments. The mark is then not reported to the controller, which could only
//! raise the window.

use dumbbell_control::event::Marks;
use dumbbell_control::units::{Instant, Segments};

use crate::config::EcnMode;

/// The state of the reaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ecn {
    /// How ECN is used.
    pub(crate) mode: EcnMode,
    /// Whether the control cuts by the extent of marking.
    scalable: bool,
    /// Marks that the current ACK reports of what it credits; with ECE, more than that.
    counted: u32,
    /// The highest number of marks in an ACK, and how many of them have been counted. At most 2^32 - 1.
    reported: u32,
    taken: u32,
    /// Whether the next new segment is to carry CWR.
    reduced: bool,
    /// Whether the sender waits for the timer after the last reaction.
    held: bool,
    /// When the last reaction came, and the segment after the highest sent by then.
    at: Instant,
    above: u64,
}

// A host has many senders.
const _: () = assert!(size_of::<Ecn>() <= 32);

/// The reaction to an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// No reaction, except that an ACK with ECE does not grow the window.
    None,
    /// The mark is reported to the controller, which cuts.
    Cut,
    /// The mark is reported to the controller, which decides whether it cuts.
    Ask,
    /// The window cannot shrink: nothing is sent until the timer expires.
    Hold,
}

impl Ecn {
    pub(crate) const fn new(mode: EcnMode, scalable: bool) -> Self {
        Self {
            mode,
            scalable,
            counted: 0,
            reported: 0,
            taken: 0,
            reduced: false,
            held: false,
            at: Instant::ZERO,
            above: 0,
        }
    }

    /// An ACK arrives with this number of marked segments so far, and credits `credited`. Returns how many of those
    /// were marked.
    pub(crate) fn count(&mut self, marks: Option<u64>, credited: u64) -> Marks {
        let Some(marks) = marks.filter(|_| self.mode.counts()) else {
            self.counted = 0;
            return Marks::None;
        };
        let [marks, credited] = [marks, credited].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        self.reported = self.reported.max(marks);
        self.counted = (self.reported - self.taken).min(credited);
        self.taken += self.counted;
        match self.counted {
            0 => Marks::None,
            counted => Marks::Counted(Segments::whole(counted)),
        }
    }

    /// Of `acked` segments, those that may grow the window: the unmarked ones, and none with ECE.
    #[inline]
    pub(crate) fn unmarked(&self, acked: u64) -> u64 {
        acked.saturating_sub(self.counted.into())
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
        if !self.mode.counts() {
            self.counted = if self.mode.is_on() && echo {
                u32::MAX
            } else {
                0
            };
        }
        if self.scalable && self.counted > 0 && quiet {
            return Reaction::Ask;
        }
        if self.counted == 0 || !quiet || ack <= self.above && self.above > 0 {
            return Reaction::None;
        }
        self.at = now;
        self.above = high;
        self.reduced = true;
        if cwnd() < Segments::whole(2) {
            self.held = true;
            return Reaction::Hold;
        }
        Reaction::Cut
    }

    /// The controller has cut its window for a mark that it was asked about; the next new segment says so.
    pub(crate) fn note_cut(&mut self) {
        self.reduced = true;
    }

    /// Whether a segment that was last sent at `sent_at` belongs to a window that a mark has already cut as a loss
    /// would.
    pub(crate) fn covers(&self, seq: u64, sent_at: Instant) -> bool {
        !self.scalable && seq < self.above && sent_at <= self.at
    }

    /// The window was reduced for a loss.
    pub(crate) fn on_reduction(&mut self) {
        self.reduced = self.mode.is_on();
    }

    /// Whether the new segment that is sent now carries CWR: only the first one after a reduction does.
    #[inline]
    pub(crate) fn take_reduced(&mut self) -> bool {
        core::mem::take(&mut self.reduced) && !self.mode.counts()
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
