//! How segments leave: in order, again, or ahead of the window; plain, or with options, ECN bits and feedback.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::Sent;
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Instant, Segments};

use super::Connection;
use crate::ack_control::Feedback;
use crate::segment::{Output, Segment};

impl<C: Controller> Connection<C> {
    /// Sends in order while the window allows, at most `burst` segments.
    #[inline]
    pub fn send_allowed(&mut self, now: Instant, burst: u64, out: &mut impl Output) {
        let edge = (self.una + self.usable())
            .min(self.end)
            .min(self.nxt.saturating_add(burst));
        while self.nxt < edge && self.may_send(now) {
            self.send_next(now, out);
        }
    }

    /// Reports a segment that is about to be sent to the controller, and counts it for pacing.
    #[cold]
    #[inline(never)]
    fn on_departure(&mut self, retransmission: bool, now: Instant) {
        let in_flight = Segments::saturating_whole(self.flight());
        let mut sent = Sent::new(now, Segments::ONE, in_flight);
        sent.retransmission = retransmission;
        sent.app_limited = self.nxt.saturating_add(u64::from(!retransmission)) >= self.end;
        let deliveries = self.extra.deliveries.as_ref();
        sent.was_app_limited = deliveries.is_some_and(|deliveries| deliveries.is_limited());
        self.control.on_sent(&sent);
        if let Some(rate) = self.rate() {
            self.count_in_pace(now, rate);
        }
        if let Some(bursts) = self.extra.bursts() {
            bursts.on_sent(now);
        }
    }

    /// The number of retransmissions since the last call.
    #[inline]
    pub(crate) fn take_retransmits(&mut self) -> u64 {
        core::mem::take(&mut self.unreported).into()
    }

    /// Sends segment `nxt`, whatever the window.
    #[inline]
    pub fn send_next(&mut self, now: Instant, out: &mut impl Output) {
        let seq = self.nxt;
        if self.is_special() {
            self.on_departure(seq < self.high, now);
        }
        self.nxt += 1;
        if seq < self.high {
            cold_path();
            self.resend(seq, now, out);
            return;
        }
        self.high = self.nxt;
        if !self.lean {
            self.records.start(self.una, seq, now);
        }
        if self.dressed {
            cold_path();
            self.transmit_dressed(seq, false, now, out);
        } else {
            out.transmit(Segment::plain(seq, false, now));
        }
        self.arm(now);
    }

    /// Sends a segment again, at once even if the controller paces.
    pub fn transmit_again(&mut self, seq: u64, now: Instant, out: &mut impl Output) {
        if self.is_special() {
            self.on_departure(true, now);
        }
        self.resend(seq, now, out);
    }

    fn resend(&mut self, seq: u64, now: Instant, out: &mut impl Output) {
        if self.lean {
            debug_assert!(seq <= self.una.max(self.again_until), "not in order");
            self.again_until = self.again_until.max(seq + 1);
        } else {
            self.records.send_again(self.una, seq, now);
        }
        self.retransmits += 1;
        self.unreported += 1;
        if self.dressed {
            self.transmit_dressed(seq, true, now, out);
        } else {
            out.transmit(Segment::plain(seq, true, now));
        }
        self.arm(now);
    }

    /// Sends a segment with its AQT option, ECN bits and feedback. Retransmissions are not ECT (RFC 3168,
    /// section 6.1.5), unless feedback is accurate (RFC 9331, appendix A.2.1), and carry no CWR (section 6.1.2).
    #[cold]
    #[inline(never)]
    fn transmit_dressed(
        &mut self,
        seq: u64,
        retransmission: bool,
        now: Instant,
        out: &mut impl Output,
    ) {
        if let Some(deliveries) = self.extra.deliveries() {
            deliveries.on_sent(self.una, seq, now);
        }
        let push = self.config.push && seq + 1 == self.end
            || self.config.push_pieces && !retransmission && self.ends_piece();
        out.transmit(Segment {
            probe: self.probes(),
            ect: self.extra.ecn.mode.is_on() && (!retransmission || self.extra.ecn.mode.counts()),
            l4s: self.extra.ecn.mode.is_l4s(),
            cwr: self.notified && !retransmission && self.extra.ecn.take_reduced(),
            push,
            feedback: self.take_feedback(),
            ..Segment::plain(seq, retransmission, now)
        });
    }

    /// Whether the next segment carries an AQT option.
    fn probes(&mut self) -> bool {
        if self.extra.probe_every == 0 {
            return false;
        }
        let probes = self.extra.unprobed == 0;
        self.extra.unprobed = if probes {
            self.extra.probe_every - 1
        } else {
            self.extra.unprobed - 1
        };
        probes
    }

    /// The feedback of the next segment for the receiver. A mark is reported once.
    fn take_feedback(&mut self) -> Option<Feedback> {
        let feedback = self.extra.feedback?;
        if let Some(own) = &mut self.extra.feedback {
            own.marked = false;
        }
        let sendable = self.usable().min(self.end - self.una);
        Some(Feedback {
            sendable: u32::try_from(sendable).unwrap_or(u32::MAX),
            ..feedback
        })
    }

    /// Limited transmit (RFC 3042): a new segment on each of the first two duplicates.
    pub fn send_limited(&mut self, now: Instant, out: &mut impl Output) {
        let edge = self.una + self.usable() + u64::from(self.dup_acks);
        if self.config.limited_transmit
            && self.nxt < edge
            && self.has_new_data()
            && !self.extra.ecn.holds()
        {
            self.send_next(now, out);
        }
    }
}
