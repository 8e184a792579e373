//! Tahoe: fast retransmit without fast recovery (Jacobson 1988). After a loss, the sender goes back to
//! the first missing segment (go-back-N), in slow start.
//!
//! Duplicates count only above what was outstanding at the last loss, as in ns-2: go-back-N sends
//! segments again that the receiver already has, and the duplicates that these cause indicate no loss.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::Instant;

use super::{DUP_THRESHOLD, Recovery};
use crate::connection::{Connection, Phase};
use crate::segment::Output;

/// Tahoe's recovery.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tahoe;

impl Recovery for Tahoe {
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
        tx.grow(acked, now);
        tx.send_allowed(now, u64::MAX, out);
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks += 1;
        if tx.dup_acks < DUP_THRESHOLD {
            tx.send_limited(now, out);
        } else if tx.dup_acks == DUP_THRESHOLD && tx.above_recover() {
            tx.enter_recovery(tx.flight(), now);
            tx.phase = Phase::Loss;
            tx.nxt = tx.una;
            tx.restart_timer(now);
            tx.send_allowed(now, u64::MAX, out);
        }
    }
}
