//! NewReno: one cut of the window per window of losses (RFC 6582). A partial ACK, which does not cover
//! all that was outstanding when the episode began, causes the next missing segment to be sent.
//!
//! | event | inflation | sends |
//! |---|---|---|
//! | up to the 3rd duplicate | as in Reno | as in Reno |
//! | partial ACK of n segments | -n, +1 | `una` again, then as the window allows |
//! | full ACK | 0 | as the window allows, 4 segments at most |
//!
//! The retransmission timer restarts on the first partial ACK of an episode only (impatient,
//! RFC 6582, section 4) or on each (slow-but-steady). By default episodes begin carefully, as in
//! RFC 6582, section 3.2, step 2, and in ns-2; [`Reno::careful`] describes the alternative.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::{Instant, Segments};

use super::{Recovery, Reno};
use crate::connection::{Connection, Phase};
use crate::segment::Output;

/// Which partial ACKs restart the retransmission timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialAckTimer {
    /// The first of an episode.
    #[default]
    Impatient,
    /// All of them.
    SlowButSteady,
}

/// NewReno's recovery.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewReno {
    /// When an episode may begin.
    pub entry: Reno,
    /// Which partial ACKs restart the timer.
    pub timer: PartialAckTimer,
    /// Whether an episode ends with a window of `min(ssthresh, max(flight, 1) + 1)` (RFC 6582, section
    /// 3.2, step 3, option 1) instead of `ssthresh` (option 2).
    pub small_exit: bool,
    seen_partial: bool,
}

/// The most segments sent on the ACK that ends an episode (RFC 6582, section 3.2, step 3).
const EXIT_BURST: u64 = 4;

impl NewReno {
    /// A recovery with the given choices.
    pub fn new(entry: Reno, timer: PartialAckTimer, small_exit: bool) -> Self {
        Self {
            entry,
            timer,
            small_exit,
            seen_partial: false,
        }
    }

    fn partial_ack<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.inflation = tx.inflation - acked as i64 + 1;
        if !self.seen_partial || self.timer == PartialAckTimer::SlowButSteady {
            tx.restart_timer(now);
        }
        self.seen_partial = true;
        tx.transmit_again(tx.una, now, out);
        tx.send_allowed(now, u64::MAX, out);
    }
}

impl Recovery for NewReno {
    fn needs_records(&self) -> bool {
        false
    }

    #[inline]
    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks = 0;
        if tx.phase != Phase::Recovery {
            tx.rearm(now);
            tx.grow(acked, now);
            tx.send_allowed(now, u64::MAX, out);
        } else if tx.recover().is_some_and(|recover| tx.una <= recover) {
            self.partial_ack(tx, acked, now, out);
        } else {
            tx.rearm(now);
            tx.leave_recovery();
            if self.entry.exit_growth {
                tx.grow(acked, now);
            }
            if self.small_exit {
                let flight = u32::try_from(tx.flight()).unwrap_or(u32::MAX).max(1);
                tx.control
                    .restrict(Segments::whole(flight.saturating_add(1)));
            }
            tx.send_allowed(now, EXIT_BURST, out);
        }
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        if tx.phase != Phase::Recovery {
            self.seen_partial = false;
        }
        self.entry.duplicate(tx, u64::MAX, now, out);
    }
}
