//! The receiving end that reports on each packet.

use dumbbell_control::units::Instant;
use dumbbell_media::control::Ecn;
use dumbbell_media::feedback::{Feedback, Interval, Receiver};
use dumbbell_tfrc::receiver::Counters;

use crate::packet;

/// The receiver of numbered packets, and what it has counted.
pub(super) struct Reporting {
    receiver: Receiver,
    /// Room for a report, and for its bytes.
    report: Feedback,
    bytes: Vec<u8>,
    /// The number after the highest one so far.
    end: u64,
    loss_events: u64,
}

impl Reporting {
    pub(super) fn new(interval: Interval) -> Self {
        Self {
            receiver: Receiver::new(interval),
            report: Feedback::with_room(),
            bytes: Vec::new(),
            end: 0,
            loss_events: 0,
        }
    }

    /// Notes a packet. A socket does not say how its packets were marked.
    pub(super) fn on_packet(&mut self, now: Instant, number: u16, bytes: u16) {
        let number = self
            .receiver
            .on_packet(now, number, u32::from(bytes), Ecn::NotEct);
        if let Some(number) = number
            && number >= self.end
        {
            // Losses one after the other are one event.
            self.loss_events += u64::from(number > self.end);
            self.end = number + 1;
        }
    }

    /// Sends the report that is due, if one is.
    pub(super) fn report(&mut self, now: Instant, session: u64, out: &mut dyn FnMut(&[u8])) {
        if self.receiver.report(now, &mut self.report) {
            packet::encode_report(&self.report, session, &mut self.bytes);
            out(&self.bytes);
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.receiver.deadline()
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            received: self.receiver.received(),
            loss_events: self.loss_events,
            ..Counters::default()
        }
    }
}
