//! Reno: fast retransmit and fast recovery (RFC 5681, section 3.2).
//!
//! | event | inflation | sends |
//! |---|---|---|
//! | 1st, 2nd duplicate | - | one new segment each (RFC 3042) |
//! | 3rd duplicate | 3 | `una` again |
//! | later duplicates | +1 each | as the window allows |
//! | first new ACK | 0 | as the window allows |
//!
//! Readings: in RFC 5681, three duplicates may begin a second episode at once, for a further loss
//! of the same window. ns-2 (2.35), the simulator of the papers, acts on duplicates only above
//! what was outstanding when the last episode began, so a second loss of a window waits for
//! the timer. [`Reno::careful`] selects one of the two; ns-2's way is the default.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::Instant;

use super::{DUP_THRESHOLD, Recovery};
use crate::connection::{Connection, Phase};
use crate::segment::Output;

/// Reno's recovery.
#[derive(Clone, Copy, Debug)]
pub struct Reno {
    /// Whether, after an episode, duplicates count only above what was outstanding at its beginning.
    /// After a timeout this is always so.
    pub careful: bool,
    /// Whether the ACK that ends an episode also grows the window, as in ns-2. In RFC 5681, section 3.2,
    /// step 6, it does not.
    pub exit_growth: bool,
}

impl Default for Reno {
    fn default() -> Self {
        Self {
            careful: true,
            exit_growth: false,
        }
    }
}

impl Reno {
    /// Whether a third duplicate may begin an episode now.
    pub(super) fn may_enter<C: Controller>(self, tx: &Connection<C>) -> bool {
        match tx.phase {
            Phase::Recovery => false,
            Phase::Open => !self.careful || tx.above_recover(),
            Phase::Loss => tx.above_recover(),
        }
    }

    /// Handles a duplicate ACK in Reno and in NewReno.
    #[inline]
    pub(super) fn duplicate<C: Controller>(
        self,
        tx: &mut Connection<C>,
        burst: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks += 1;
        if tx.phase == Phase::Recovery {
            tx.inflation += 1;
            tx.send_allowed(now, burst, out);
        } else if tx.dup_acks < DUP_THRESHOLD {
            tx.send_limited(now, out);
        } else if tx.dup_acks == DUP_THRESHOLD && self.may_enter(tx) {
            tx.enter_recovery(tx.flight(), now);
            tx.inflation = i64::from(DUP_THRESHOLD);
            tx.transmit_again(tx.una, now, out);
            tx.restart_timer(now);
        }
    }
}

impl Recovery for Reno {
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
        tx.rearm(now);
        let ending = tx.phase == Phase::Recovery;
        if ending {
            tx.leave_recovery();
        }
        if !ending || self.exit_growth {
            tx.grow(acked, now);
        }
        tx.send_allowed(now, u64::MAX, out);
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.duplicate(tx, u64::MAX, now, out);
    }
}
