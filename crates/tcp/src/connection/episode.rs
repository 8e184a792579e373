//! The beginning and end of a loss episode, and what belongs to it.

use std::num::NonZeroU64;

use dumbbell_control::controller::Controller;
use dumbbell_control::event::LossSignal;
use dumbbell_control::units::Instant;

use super::{Connection, Phase};

impl<C: Controller> Connection<C> {
    /// The highest segment sent when the last recovery or timeout began.
    #[inline]
    pub fn recover(&self) -> Option<u64> {
        self.recover_end.map(|end| end.get() - 1)
    }

    /// A recovery or a timeout begins.
    pub(crate) fn begin_recovery(&mut self) {
        self.recover_end = NonZeroU64::new(self.high);
    }

    /// Begins a loss episode, with one reduction of the window whatever else is lost until it ends.
    pub fn enter_recovery(&mut self, in_flight: u64, now: Instant) {
        self.fast_recoveries += 1;
        self.tell_loss(LossSignal::DupAcks, in_flight, now);
        self.continue_in_recovery();
    }

    /// Begins a loss episode whose loss the controller knows.
    pub fn continue_in_recovery(&mut self) {
        self.begin_recovery();
        self.phase = Phase::Recovery;
    }

    /// Ends a loss episode.
    pub fn leave_recovery(&mut self) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.trim();
    }

    /// Returns memory after the first loss episodes: the flight of the overshooting slow start is the largest for
    /// long. Later ones do not, so that a long run allocates no more than a short one.
    pub(super) fn trim(&mut self) {
        if self.lean {
            return;
        }
        let flight = self.una..self.high;
        if self.fast_recoveries + self.timeouts <= 1 {
            self.records.trim(flight.clone());
        }
        self.records.settle(flight);
    }

    /// Whether a segment first sent after the last episode began has been acknowledged. Duplicates
    /// before that may come from retransmissions of segments that the receiver already had.
    #[inline]
    pub fn above_recover(&self) -> bool {
        self.recover_end.is_none_or(|end| self.una > end.get())
    }
}
