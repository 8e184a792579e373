//! What leaves, and when.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::Sent as SentEvent;
use dumbbell_control::units::{Instant, Segments};

use super::super::frame::{Output, Packet};
use super::super::sent::{Fate, Record};
use super::Sender;
use crate::pacer::Speed;

/// The least window (RFC 9002, section 7.2).
const LEAST_WINDOW: Segments = Segments::whole(2);

impl<C: Controller> Sender<C> {
    /// The window in packets.
    fn window_packets(&self) -> u64 {
        self.control.window().cwnd.max(LEAST_WINDOW).floor()
    }

    /// Whether the window allows another packet.
    pub(super) fn has_room(&self) -> bool {
        let next = Segments::saturating_whole(self.in_flight + 1);
        let window = self.control.window().cwnd.max(LEAST_WINDOW);
        next < window || (next == window && !self.config.below_window)
    }

    pub(super) fn has_data(&self) -> bool {
        !self.again.is_empty() || self.next_piece < self.end
    }

    /// Sends what window, data and pacer allow.
    pub(super) fn send(&mut self, now: Instant, out: &mut impl Output) {
        self.waits_for_pacer = false;
        self.drop_arrived();
        while self.due_probes > 0 && (self.has_data() || self.in_flight > 0) {
            self.due_probes -= 1;
            self.send_next(now, out);
        }
        while self.has_data() && self.has_room() {
            if self.pacer.due().is_some_and(|due| due > now) {
                self.waits_for_pacer = true;
                return;
            }
            self.send_next(now, out);
        }
    }

    /// What was lost may have come after all, in a probe.
    fn drop_arrived(&mut self) {
        while let Some(piece) = self.again.front()
            && self.acked.contains(*piece)
        {
            self.again.pop_front();
        }
    }

    /// The data of the next packet: what was lost, what is new, or, for a probe, what is in flight.
    fn next_data(&mut self) -> (u64, bool) {
        if let Some(piece) = self.again.pop_front() {
            self.drop_arrived();
            return (piece, true);
        }
        if self.next_piece < self.end {
            self.next_piece += 1;
            return (self.next_piece - 1, false);
        }
        let open = (self.sent.first()..self.sent.next())
            .map(|number| self.sent.at(number))
            .find(|record| record.fate == Fate::Open);
        (open.map_or(0, |record| record.piece), true)
    }

    fn send_next(&mut self, now: Instant, out: &mut impl Output) {
        let (piece, again) = self.next_data();
        self.in_flight += 1;
        let app_limited = !self.has_data() && self.has_room();
        let mut event = SentEvent::new(
            now,
            Segments::ONE,
            Segments::saturating_whole(self.in_flight - 1),
        )
        .with_retransmission(again)
        .with_app_limited(app_limited);
        let mut record = Record {
            piece,
            sent_at: now,
            fate: Fate::Open,
            app_limited,
            ..Record::default()
        };
        if let Some(deliveries) = &mut self.deliveries {
            event.was_app_limited = deliveries.is_limited();
            record.departure = deliveries.on_sent(now);
        }
        let number = self.sent.push(record);
        self.counters.sent += 1;
        self.counters.again += u64::from(again);
        self.last_sent = now;
        self.control.on_sent(&event);
        self.pace(now);
        out.transmit(Packet {
            number,
            piece,
            again,
            sent_at: now,
            ect: self.config.ect,
            l4s: self.config.l4s,
        });
    }

    fn pace(&mut self, now: Instant) {
        let rate = self.control.pacing();
        if rate.is_none() && !self.config.pacing {
            return;
        }
        let speed = Speed {
            rate,
            quantum: u64::from(self.control.send_quantum()),
            window: self.window_packets() * self.config.payload.0,
            slow_start: false,
            srtt: (self.rtt.samples > 0).then_some(self.rtt.smoothed),
            mtu: self.config.payload.0,
        };
        self.pacer.on_sent(now, self.config.payload.0, &speed);
    }
}
