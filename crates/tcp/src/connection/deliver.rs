//! What a controller that measures deliveries hears of them.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::Repair;
use dumbbell_control::units::Instant;

use super::{Connection, Phase};
use crate::pacing;

impl<C: Controller> Connection<C> {
    /// An ACK is about to be processed. `repaired` is whether all that is lost has been sent again.
    #[inline]
    pub(crate) fn begin_delivery(&mut self, repaired: bool, now: Instant) {
        if self.extra.deliveries.is_some() {
            if repaired {
                self.note_limit();
            }
            let window = self.control.window().cwnd.floor();
            if let Some(deliveries) = self.extra.deliveries() {
                deliveries.begin(window, now);
            }
        }
    }

    /// Notes if the application limits the sender: something could be sent, but nothing is there.
    #[cold]
    pub(crate) fn note_limit(&mut self) {
        let usable = self.usable();
        if let Some(deliveries) = self.extra.deliveries()
            && self.nxt >= self.end
            && deliveries.in_flight() < usable
        {
            deliveries.limit();
        }
    }

    /// Tells the controller that a segment is lost, if it needs deliveries.
    #[inline]
    pub(crate) fn note_lost(&mut self, seq: u64, now: Instant) {
        if let Some(deliveries) = self.extra.deliveries() {
            let lost = deliveries.lose(seq, now);
            self.control.on_lost_segment(&lost);
        }
    }

    /// Tells the controller what has been delivered, once an ACK has been processed as far as to know what is
    /// lost. `in_flight` is what is in the network then.
    #[inline]
    pub(crate) fn report_delivery(&mut self, in_flight: u64, now: Instant) {
        if self.extra.deliveries.is_some() {
            self.tell_delivery(in_flight, now);
        }
    }

    #[cold]
    fn tell_delivery(&mut self, in_flight: u64, now: Instant) {
        let repair = match self.phase {
            Phase::Open => Repair::None,
            Phase::Recovery => Repair::Episode,
            Phase::Loss => Repair::Timeout,
        };
        let rate = self.control.pacing();
        let next_send = rate.map_or(now, |rate| {
            self.extra
                .pacing
                .due(pacing::spacing(self.config.mss, rate))
                .max(now)
        });
        let srtt = self.srtt();
        let Some(deliveries) = self.extra.deliveries() else {
            return;
        };
        deliveries.set_in_flight(in_flight);
        if !deliveries.open {
            return;
        }
        let mut delivery = deliveries.end(now, repair);
        delivery.srtt = srtt;
        delivery.next_send = next_send;
        self.control.on_delivery(&delivery);
        if self.control.holds_back() {
            deliveries.limit();
        }
    }
}
