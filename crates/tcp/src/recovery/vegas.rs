//! Vegas' recovery: a fine-grained timer, checked on ACKs (Brakmo and Peterson 1995, section 3.1).
//!
//! | event | sends | window |
//! |---|---|---|
//! | a duplicate, and `una` is older than the fine timeout | `una` again at once | the controller decides |
//! | 3rd duplicate | `una` again | the controller decides |
//! | later duplicates | as the window allows | +1 each |
//! | 1st and 2nd new ACK after a retransmission, and `una` is older than the fine timeout | `una` again | - |
//! | new ACK | as the window allows | inflation 0 |
//!
//! Every retransmission that duplicates cause is reported to the controller. It cuts only for a
//! segment sent after its last cut, so one window of losses causes one cut.
//!
//! The fine timeout is `17/16 (SRTT + 2 MDEV)`, where MDEV is the smoothed mean deviation, from
//! samples of every segment sent once. Until the next sample, it grows by 1/8 with the first
//! retransmission of a segment and doubles with a further one; the retransmission timer backs off as
//! well. These numbers and the backoff were measured in ns-2 (2.35); the paper gives none.
//!
//! A sample is the age of the newest segment that an ACK covers, including its wait for a hole below
//! to be filled, as the paper describes it. So the fine timeout is longer for a while after a loss.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::LossSignal;
use dumbbell_control::units::{Duration, Instant};

use super::{DUP_THRESHOLD, Recovery};
use crate::connection::{Connection, Phase};
use crate::segment::Output;

/// Vegas' recovery.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vegas {
    srtt8: u64,
    mdev4: u64,
    /// The fine timeout in nanoseconds; 0 before the first sample.
    timeout: u64,
    /// The number of new ACKs on which the age of `una` is still checked.
    worried: u64,
}

impl Vegas {
    fn expired<C: Controller>(&self, tx: &Connection<C>, now: Instant) -> bool {
        self.timeout > 0
            && tx.una < tx.high
            && now.since(tx.records.at(tx.una).sent_at()).as_nanos() > self.timeout
    }

    /// Whether duplicates may cause a retransmission. Those of segments that a timeout sent again do not.
    fn may_retransmit<C: Controller>(tx: &Connection<C>) -> bool {
        tx.phase != Phase::Loss || tx.above_recover()
    }

    fn retransmit<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        by: LossSignal,
        now: Instant,
        out: &mut impl Output,
    ) {
        let repeated = tx.records.at(tx.una).transmissions() > 1;
        if tx.phase == Phase::Recovery {
            tx.tell_loss(by, tx.flight(), now);
        } else {
            tx.fast_recoveries += 1;
            tx.tell_loss(by, tx.flight(), now);
            tx.begin_recovery();
            tx.phase = Phase::Recovery;
            tx.inflation = i64::from(tx.dup_acks);
        }
        self.worried = tx.flight().min(2);
        self.timeout += if repeated {
            self.timeout
        } else {
            self.timeout / 8
        };
        if !repeated {
            tx.dup_acks = tx.dup_acks.max(DUP_THRESHOLD);
        }
        tx.transmit_again(tx.una, now, out);
        tx.back_off();
        tx.restart_timer(now);
    }
}

impl Recovery for Vegas {
    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks = 0;
        tx.rearm(now);
        if tx.phase == Phase::Recovery {
            tx.leave_recovery();
        }
        tx.grow(acked, now);
        if self.worried > 0 {
            self.worried -= 1;
            if self.expired(tx, now) {
                tx.transmit_again(tx.una, now, out);
                // The duplicates that follow belong to this loss.
                tx.dup_acks = DUP_THRESHOLD;
                tx.phase = Phase::Recovery;
            } else {
                self.worried = 0;
            }
        }
        tx.send_allowed(now, u64::MAX, out);
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks += 1;
        let third = tx.dup_acks == DUP_THRESHOLD;
        if (third || self.expired(tx, now)) && Self::may_retransmit(tx) {
            let by = if third {
                LossSignal::DupAcks
            } else {
                LossSignal::FineTimer
            };
            self.retransmit(tx, by, now, out);
        } else if tx.phase == Phase::Recovery && tx.dup_acks > DUP_THRESHOLD {
            tx.inflation += 1;
        }
        if tx.dup_acks >= DUP_THRESHOLD {
            tx.send_allowed(now, u64::MAX, out);
        }
    }

    #[inline]
    fn on_rtt(&mut self, rtt: Duration) {
        let rtt = rtt.as_nanos();
        if self.srtt8 == 0 {
            self.srtt8 = rtt << 3;
            self.mdev4 = rtt;
        } else {
            let srtt = self.srtt8 >> 3;
            self.mdev4 = self.mdev4 - (self.mdev4 >> 2) + srtt.abs_diff(rtt);
            self.srtt8 = self.srtt8 - srtt + rtt;
        }
        let fine = (self.srtt8 >> 3) + (self.mdev4 >> 1);
        self.timeout = fine + fine / 16;
    }

    /// "Using this time and the timestamp recorded for the relevant segment" (section 3.1).
    fn times_covered(&self) -> bool {
        true
    }

    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.worried = 0;
        tx.send_allowed(now, u64::MAX, out);
    }
}
