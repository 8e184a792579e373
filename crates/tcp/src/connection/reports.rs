//! What is reported to the controller of acknowledged data, losses and marks.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{Ack, Handshake, Loss, LossSignal};
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant, Segments};

use super::{Connection, Phase};
use crate::ecn::Reaction;

impl<C: Controller> Connection<C> {
    /// The handshake's round-trip time counts as one of the path: for rates of delivery, the size of pieces and the
    /// controller.
    #[cold]
    pub(crate) fn count_handshake(&mut self, now: Instant, rtt: Duration) {
        if let Some(deliveries) = self.extra.deliveries() {
            deliveries.on_handshake(rtt);
        }
        if let Some(bursts) = self.extra.bursts() {
            bursts.on_rtt(rtt);
        }
        self.control.on_handshake(&Handshake::new(now, rtt));
    }

    /// Reports new data acknowledged outside recovery to the controller.
    #[inline(always)]
    pub fn grow(&mut self, acked: u64, now: Instant) {
        let in_flight = Segments::saturating_whole(self.flight());
        let mut ack = Ack::new(now, Segments::saturating_whole(acked), in_flight);
        ack.app_limited = self.nxt >= self.end;
        if self.plain {
            self.control.on_ack(&ack);
        } else if !self.grow_with_care(acked, ack) {
            return;
        }
        if self.receiver_window < Segments::CAP {
            cold_path();
            if self.control.window().cwnd > self.receiver_window {
                self.control.restrict(self.receiver_window);
            }
        }
    }

    /// The same with validation, marks or sender adaptation. Returns whether there was something to report: marked
    /// segments do not grow the window.
    #[cold]
    #[inline(never)]
    fn grow_with_care(&mut self, mut acked: u64, mut ack: Ack) -> bool {
        if self.notified {
            acked = self.extra.ecn.unmarked(acked);
            if acked == 0 {
                return false;
            }
            ack.acked = Segments::saturating_whole(acked);
        }
        if let Some(validation) = &self.extra.validation {
            ack.app_limited = !validation.is_limited_by(&self.control.window());
        }
        if self.notified && self.extra.pacing.enabled && acked > 1 {
            self.grow_by_each(acked, ack);
        } else {
            self.control.on_ack(&ack);
        }
        true
    }

    /// Reports each segment as if it had its own ACK.
    fn grow_by_each(&mut self, acked: u64, ack: Ack) {
        let each =
            Ack::new(ack.now, Segments::ONE, ack.in_flight).with_app_limited(ack.app_limited);
        for _ in 0..acked {
            self.control.on_ack(&each);
        }
    }

    /// Whether a mark has already cut the window that segment `una` belongs to.
    pub(crate) fn is_cut_for_mark(&self) -> bool {
        let sent_at = self.records.at(self.una).sent_at();
        self.extra.ecn.covers(self.una, sent_at)
    }

    /// Reports the loss of segment `una` to the controller, unless a mark has already cut its window.
    pub fn tell_loss(&mut self, by: LossSignal, in_flight: u64, now: Instant) {
        if self.is_cut_for_mark() {
            return;
        }
        if let Some(extra) = self.extra.get_mut() {
            extra.ecn.on_reduction();
        }
        self.cut(self.una, by, in_flight, now);
    }

    pub(super) fn cut(&mut self, seq: u64, by: LossSignal, in_flight: u64, now: Instant) {
        let mut loss = Loss::new(now, Segments::saturating_whole(in_flight)).with_signal(by);
        if !self.lean {
            let lost = self.records.at(seq);
            loss.lost_sent_at = lost.sent_at();
            loss.transmissions = lost.transmissions();
        }
        self.control.on_loss(&loss);
    }

    /// Reacts to the marks that an ACK reports (RFC 3168, section 6.1.2). Returns whether the window was cut as for a
    /// loss, once in a window.
    #[inline]
    pub(crate) fn on_echo(
        &mut self,
        ack: u64,
        ece: bool,
        now: Instant,
        in_flight: impl FnOnce(&Self) -> u64,
    ) -> bool {
        let recovered = self.recover_end.is_none_or(|end| ack > end.get());
        let quiet = self.phase == Phase::Open && recovered;
        let control = &self.control;
        let cwnd = || control.window().cwnd;
        let reaction = self.extra.ecn.on_ack(now, ece, ack, quiet, cwnd, self.high);
        if matches!(reaction, Reaction::Cut | Reaction::Ask) {
            // The newest segment that the ACK covers or, for a duplicate, the oldest outstanding.
            let newest = self.una.max(ack.saturating_sub(1));
            let in_flight = in_flight(self);
            let before = self.control.window().cwnd;
            self.cut(newest, LossSignal::Ecn, in_flight, now);
            if reaction == Reaction::Cut || self.control.window().cwnd < before {
                self.extra.ecn_cuts = self.extra.ecn_cuts.saturating_add(1);
                self.extra.ecn.note_cut();
            }
        }
        reaction == Reaction::Cut
    }
}
