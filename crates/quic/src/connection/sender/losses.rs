//! Which packets are lost, and what the control hears of losses and marks.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{Loss, LossSignal, Repair, Timeout};
use dumbbell_control::units::{Duration, Instant, Segments};

use super::super::sent::Fate;
use super::Sender;

/// `kPersistentCongestionThreshold`.
const PERSISTENT: u64 = 3;

/// Packets that were declared lost at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lost {
    pub packets: u64,
    pub newest_sent: Instant,
    /// The longest span in which all packets were lost.
    span: Duration,
}

impl<C: Controller> Sender<C> {
    /// Declares packets lost (RFC 9002, section 6.1).
    pub(super) fn find_lost(&mut self, now: Instant) -> Lost {
        self.loss_time = None;
        let mut lost = Lost::default();
        let Some(largest) = self.largest_acked else {
            return lost;
        };
        let delay = self.rtt.loss_delay();
        // The first packet of a span in which all were lost.
        let mut span: Option<Instant> = None;
        for number in self.sent.first()..largest {
            let record = *self.sent.at(number);
            let is_old = record.sent_at + delay <= now;
            let is_lost = record.fate == Fate::Open
                && (is_old || largest - number >= self.config.packet_threshold);
            if record.fate == Fate::Open && !is_lost {
                let due = record.sent_at + delay;
                self.loss_time = Some(self.loss_time.map_or(due, |time| time.min(due)));
            }
            if !is_lost {
                span = None;
                continue;
            }
            self.lose(number, now);
            lost.packets += 1;
            lost.newest_sent = record.sent_at;
            // Before the first sample nobody knows how long a round trip is (section 7.6.2).
            if self
                .first_sample
                .is_some_and(|first| record.sent_at > first)
            {
                let start = *span.get_or_insert(record.sent_at);
                lost.span = lost.span.max(record.sent_at.since(start));
            }
        }
        self.sent.settle();
        lost
    }

    fn lose(&mut self, number: u64, now: Instant) {
        let record = self.sent.at_mut(number);
        record.fate = Fate::Lost;
        let record = *record;
        self.in_flight -= 1;
        self.counters.lost += 1;
        self.again.push_back(record.piece);
        if let Some(deliveries) = &mut self.deliveries {
            let told = deliveries.lose(&record.departure, number, now);
            self.control.on_lost_segment(&told);
        }
    }

    /// Tells the control of losses. Returns whether it was told.
    pub(super) fn reduce_for_losses(&mut self, now: Instant, before: u64, lost: &Lost) -> bool {
        if lost.packets == 0 {
            return false;
        }
        let in_flight = Segments::saturating_whole(before);
        let threshold = (self.rtt.probe_after() + self.config.max_ack_delay).as_nanos();
        if lost.span.as_nanos() > threshold.saturating_mul(PERSISTENT) {
            let again = u32::from(!self.is_fresh(lost.newest_sent));
            self.counters.timeouts += 1;
            (self.reduced, self.by_mark, self.repair) = (Some(now), false, Repair::Timeout);
            let timeout = Timeout::new(now, in_flight).with_consecutive(1 + again);
            self.control.on_timeout(&timeout);
            return true;
        }
        if !self.is_fresh(lost.newest_sent) && !self.by_mark {
            return false; // The episode has been reported.
        }
        self.counters.episodes += 1;
        (self.reduced, self.by_mark, self.repair) = (Some(now), false, Repair::Episode);
        let loss = Loss::new(now, in_flight).with_lost_sent_at(lost.newest_sent);
        self.control.on_loss(&loss);
        true
    }

    pub(super) fn reduce_for_mark(&mut self, now: Instant, before: u64, sent: Instant) -> bool {
        if !self.is_fresh(sent) {
            return false;
        }
        self.counters.ecn_cuts += 1;
        (self.reduced, self.by_mark) = (Some(now), true);
        let loss = Loss::new(now, Segments::saturating_whole(before)).with_lost_sent_at(sent);
        self.control.on_loss(&loss.with_signal(LossSignal::Ecn));
        true
    }
}
