//! Recovery by selective acknowledgements (RFC 6675).
//!
//! | event | cwnd | sends |
//! |---|---|---|
//! | 1st, 2nd duplicate | - | one new segment each (RFC 3042) |
//! | 3rd duplicate, or `una` is lost | `ssthresh` | `una` again, then loop C |
//! | every ACK in recovery | - | loop C: while `cwnd - pipe >= 1`, the segment that NextSeg returns |
//! | ACK above the recovery point | - | as the window allows |
//!
//! All segments have the same size, so a segment is lost (IsLost) as soon as three above it are SACKed.
//! All holes below the third-highest SACKed segment are then lost, and `pipe` is a sum of four counters.
//! Processing an ACK visits only the segments in its own blocks, and in the first block only those that are new.
//!
//! With proportional rate reduction (RFC 6937, [`Bound`]), the inflation is what the window that an ACK of
//! an episode allows exceeds that of the controller; it may be negative.
//!
//! Readings: after a timeout the scoreboard is kept (RFC 2018 allows a sender to drop it), SACKed
//! segments are not sent again, and no new episode begins until all that was outstanding is
//! acknowledged. A duplicate counts only if it reports something new (RFC 6675, section 2).

use core::ops::Range;
use dumbbell_control::hint::cold_path;

use dumbbell_control::controller::Controller;
use dumbbell_control::units::Instant;

use super::prr::{Bound, Prr, Report};
use super::reported::Reported;
use super::{DUP_THRESHOLD, Recovery};
use crate::connection::{Connection, Phase};
use crate::segment::{Output, SackBlock};

/// The scoreboard and the rules on it.
#[derive(Clone, Debug, Default)]
pub struct Sack {
    /// SACKed segments at or above `una`.
    sacked: u64,
    /// The three highest segments that were ever SACKed, the highest first.
    top: [u64; 3],
    /// The segment after the highest retransmitted in this episode (HighRxt + 1).
    retransmitted: u64,
    /// SACKed segments from `una` up to `retransmitted`.
    sacked_below: u64,
    reported: Reported,
    /// RescueRxt: no rescue retransmission while `una` is at or below it.
    rescue: Option<u64>,
    /// Proportional rate reduction; `None` if it is not in use.
    reduction: Option<Box<Reduction>>,
}

/// Proportional rate reduction, and what it needs to know of an ACK.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    prr: Prr,
    /// Segments that the ACK newly acknowledges or SACKs.
    delivered: u64,
    /// The segment below which all un-SACKed segments were lost before the ACK.
    lost_below: u64,
    /// Segments outstanding and not SACKed before the ACK.
    flight: u64,
}

impl Sack {
    /// A recovery with proportional rate reduction (RFC 6937), or without.
    pub fn new(reduction: Option<Bound>) -> Self {
        Self {
            reduction: reduction.map(|bound| {
                Box::new(Reduction {
                    prr: Prr::new(bound),
                    delivered: 0,
                    lost_below: 0,
                    flight: 0,
                })
            }),
            ..Self::default()
        }
    }

    /// The segment below which all un-SACKed segments are lost.
    fn lost_below(&self) -> u64 {
        if self.sacked >= u64::from(DUP_THRESHOLD) {
            self.top[2]
        } else {
            0
        }
    }

    /// Segments in the network: those neither SACKed nor lost, plus those sent again.
    fn pipe<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        let outstanding = tx.high - tx.una - self.sacked;
        let lost_below = self.lost_below();
        let lost = if lost_below > tx.una {
            lost_below - tx.una - (self.sacked - u64::from(DUP_THRESHOLD))
        } else {
            0
        };
        outstanding - lost + self.resent(tx)
    }

    /// Un-SACKed segments sent again in this episode.
    fn resent<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        self.retransmitted.saturating_sub(tx.una) - self.sacked_below
    }

    /// Records segments as SACKed. Returns whether any was new.
    fn mark<C: Controller>(&mut self, tx: &mut Connection<C>, segments: Range<u64>) -> bool {
        let mut news = false;
        for seq in segments {
            if tx.records.at(seq).sacked() {
                continue;
            }
            tx.records.set_sacked(seq, true);
            news = true;
            self.sacked += 1;
            self.sacked_below += u64::from(seq < self.retransmitted);
            if seq > self.top[0] {
                self.top = [seq, self.top[0], self.top[1]];
            } else if seq > self.top[1] {
                self.top = [self.top[0], seq, self.top[1]];
            } else if seq > self.top[2] {
                self.top[2] = seq;
            }
        }
        news
    }

    /// The first hole above the retransmitted segments and below `end`.
    fn next_hole<C: Controller>(&self, tx: &Connection<C>, end: u64) -> Option<u64> {
        let start = self.retransmitted.max(tx.una);
        (start..end).find(|&seq| !tx.records.at(seq).sacked())
    }

    fn resend<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        seq: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.transmit_again(seq, now, out);
        // All segments between the last retransmission and this one are SACKed.
        self.sacked_below += seq - self.retransmitted.max(tx.una);
        self.retransmitted = seq + 1;
    }

    /// Loop C of RFC 6675, section 5, with NextSeg of section 4.
    fn fill<C: Controller>(&mut self, tx: &mut Connection<C>, now: Instant, out: &mut impl Output) {
        let window = tx.usable();
        let mut pipe = self.pipe(tx);
        while pipe < window && tx.may_send(now) {
            if let Some(lost) = self.next_hole(tx, self.lost_below()) {
                self.resend(tx, lost, now, out);
            } else if tx.has_new_data() {
                tx.send_next(now, out);
            } else if let Some(hole) = self.next_hole(tx, self.highest_sacked(tx)) {
                self.resend(tx, hole, now, out);
            } else {
                self.send_rescue(tx, now, out);
                return;
            }
            pipe += 1;
        }
    }

    fn highest_sacked<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        if self.sacked > 0 { self.top[0] } else { tx.una }
    }

    /// Sends the last un-SACKed segment, once per episode, to find out whether the end of the window was
    /// lost.
    fn send_rescue<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        if self.rescue.is_some_and(|rescue| tx.una <= rescue) {
            return;
        }
        let last = (tx.una..tx.high)
            .rev()
            .find(|&seq| !tx.records.at(seq).sacked());
        if let Some(seq) = last {
            tx.transmit_again(seq, now, out);
            self.rescue = tx.recover();
        }
    }

    fn enter<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.retransmitted = tx.una;
        self.sacked_below = 0;
        let in_flight = self.pipe(tx);
        tx.enter_recovery(in_flight, now);
        if let Some(reduction) = &mut self.reduction {
            reduction.prr.begin(reduction.flight, tx.counters().sent);
            self.reduce(tx, false);
        }
        self.resend(tx, tx.una, now, out);
        self.rescue = Some(tx.una);
        tx.restart_timer(now);
        self.fill(tx, now, out);
    }

    /// With proportional rate reduction, sets the inflation so that the window is what this ACK allows.
    fn reduce<C: Controller>(&mut self, tx: &mut Connection<C>, advanced: bool) {
        if self.reduction.is_none() {
            return;
        }
        let (pipe, lost_below) = (self.pipe(tx), self.lost_below());
        let Some(reduction) = &mut self.reduction else {
            return;
        };
        let mut unseen = reduction.lost_below.max(tx.una)..lost_below;
        let target = tx.control.window().cwnd.floor();
        let allowed = reduction.prr.allowance(&Report {
            delivered: reduction.delivered,
            pipe,
            target,
            sent: tx.counters().sent,
            safe: advanced && unseen.all(|seq| tx.records.at(seq).sacked()),
        });
        tx.inflation = (pipe + allowed) as i64 - target as i64;
    }

    /// After a timeout: sends the next segments as the window allows, without those that are SACKed.
    fn send_after_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.retransmitted = self.retransmitted.max(tx.una);
        while self.resent(tx) < tx.usable() && tx.may_send(now) {
            if let Some(hole) = self.next_hole(tx, tx.high) {
                self.resend(tx, hole, now, out);
                tx.nxt = hole + 1;
                continue;
            }
            tx.nxt = tx.high;
            if !tx.has_new_data() {
                return;
            }
            tx.send_next(now, out);
            self.retransmitted = tx.high;
            self.sacked_below = self.sacked;
        }
    }
}

impl Recovery for Sack {
    fn on_blocks<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
        _: Instant,
    ) -> bool {
        let (sacked, lost_below) = (self.sacked, self.lost_below());
        if self.sacked > 0 {
            // Segment `ack` itself is missing, even if a block reported it before.
            for seq in tx.una..tx.high.min(ack + 1) {
                if tx.records.at(seq).sacked() {
                    tx.records.set_sacked(seq, false);
                    self.sacked -= 1;
                    self.sacked_below -= u64::from(seq < self.retransmitted);
                }
            }
        }
        let mut news = false;
        for (place, block) in blocks.iter().enumerate() {
            let mut segments = block.start.max(ack + 1)..block.end.min(tx.high);
            if place == 0 {
                segments = self.reported.unseen(segments);
            }
            news |= self.mark(tx, segments);
        }
        if let Some(reduction) = &mut self.reduction {
            cold_path();
            reduction.flight = tx.high - tx.una - sacked;
            reduction.lost_below = lost_below;
            // A segment that was SACKed and is missing again would count twice.
            reduction.delivered = (ack - tx.una + self.sacked).saturating_sub(sacked);
        }
        news
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
        if tx.phase == Phase::Recovery {
            cold_path();
            if tx.recover().is_some_and(|recover| tx.una <= recover) {
                self.reduce(tx, true);
                self.fill(tx, now, out);
                return;
            }
            tx.leave_recovery();
        } else {
            tx.grow(acked, now);
        }
        if tx.phase == Phase::Loss {
            cold_path();
            self.send_after_timeout(tx, now, out);
        } else {
            tx.nxt = tx.high;
            tx.send_allowed(now, u64::MAX, out);
        }
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks += 1;
        match tx.phase {
            Phase::Recovery => {
                self.reduce(tx, false);
                self.fill(tx, now, out);
            }
            Phase::Loss => self.send_after_timeout(tx, now, out),
            Phase::Open => {
                if tx.dup_acks >= DUP_THRESHOLD || self.lost_below() > tx.una {
                    self.enter(tx, now, out);
                } else {
                    tx.send_limited(now, out);
                }
            }
        }
    }

    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.retransmitted = tx.una;
        self.sacked_below = 0;
        self.send_after_timeout(tx, now, out);
    }

    fn on_turn<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        match tx.phase {
            Phase::Recovery => self.fill(tx, now, out),
            Phase::Loss => self.send_after_timeout(tx, now, out),
            Phase::Open => tx.send_allowed(now, u64::MAX, out),
        }
    }

    fn in_flight<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        match tx.phase {
            Phase::Loss => self.resent(tx),
            _ => self.pipe(tx),
        }
    }
}

#[cfg(test)]
mod tests;
