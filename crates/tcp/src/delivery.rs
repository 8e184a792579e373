//! The rate at which the path delivers: what is known of each segment when it is sent, and the sample that
//! an ACK gives (draft-ietf-ccwg-bbr, section "Delivery Rate Samples"; Linux' `tcp_rate.c`).
//!
//! | event | rule |
//! |---|---|
//! | a segment is sent | it keeps `C.delivered`, `C.lost`, the times at which they were counted, and what is in flight |
//! | an ACK reports it | the newest segment that it reports decides: the rate is what was delivered since it was sent, over the longer of the times in which that was sent and acknowledged |
//! | the interval is below the least RTT | no sample |
//!
//! Readings: segments count, not bytes, since all but the last have the same size. A segment that is sent
//! again keeps what is known then. The sender is limited by its application while the window is not full,
//! nothing new is there to send, and all that is lost has been sent again.

use dumbbell_control::event::{Delivery, DeliveryRate, LostSegment, Repair};
use dumbbell_control::units::{Duration, Instant};

use crate::records::Record;

/// What was known when a segment was sent last.
#[derive(Clone, Copy, Debug, Default)]
struct Then {
    delivered: u64,
    lost: u64,
    tx_in_flight: u64,
    first_sent: Instant,
    delivered_at: Instant,
    app_limited: bool,
    /// Whether an ACK has reported the segment.
    reported: bool,
}

/// The newest segment that an ACK reports.
#[derive(Clone, Copy, Debug)]
struct Newest {
    seq: u64,
    then: Then,
    sent_at: Instant,
    once: bool,
}

/// The counters of deliveries of a connection. It counts as the draft's `C.` and `RS.` variables.
#[derive(Clone, Debug)]
pub(crate) struct Deliveries {
    delivered: u64,
    lost: u64,
    delivered_at: Instant,
    first_sent: Instant,
    /// The count of deliveries after which the sender is no longer limited by its application; 0 if it is not.
    app_limited_until: u64,
    in_flight: u64,
    prior_in_flight: u64,
    /// Until when the window was full last, and whether that was so in the last round trip.
    filled_until: Option<Instant>,
    filled: bool,
    least_rtt: Duration,
    /// What the current ACK reports.
    newly_delivered: u64,
    newly_lost: u64,
    newest: Option<Newest>,
    /// Whether an ACK is being processed that has not been told to the controller.
    pub open: bool,
    /// In a ring, as [`Records`](crate::records::Records).
    ring: Box<[Then]>,
}

impl Deliveries {
    pub fn new() -> Self {
        Self {
            delivered: 0,
            lost: 0,
            delivered_at: Instant::ZERO,
            first_sent: Instant::ZERO,
            app_limited_until: 0,
            in_flight: 0,
            prior_in_flight: 0,
            filled_until: None,
            filled: false,
            least_rtt: Duration::MAX,
            newly_delivered: 0,
            newly_lost: 0,
            newest: None,
            open: false,
            ring: vec![Then::default(); 16].into_boxed_slice(),
        }
    }

    fn at(&self, seq: u64) -> &Then {
        &self.ring[seq as usize & (self.ring.len() - 1)]
    }

    fn at_mut(&mut self, seq: u64) -> &mut Then {
        let mask = self.ring.len() - 1;
        &mut self.ring[seq as usize & mask]
    }

    fn grow(&mut self, una: u64, seq: u64) {
        let capacity = ((seq - una + 1) as usize).next_power_of_two();
        let mut ring = vec![Then::default(); capacity].into_boxed_slice();
        for seq in una..seq {
            ring[seq as usize & (capacity - 1)] = *self.at(seq);
        }
        self.ring = ring;
    }

    /// A segment is sent, for the first time or again.
    pub fn on_sent(&mut self, una: u64, seq: u64, now: Instant) {
        if seq - una >= self.ring.len() as u64 {
            self.grow(una, seq);
        }
        if self.in_flight == 0 {
            self.first_sent = now;
            self.delivered_at = now;
        }
        self.in_flight += 1;
        *self.at_mut(seq) = Then {
            delivered: self.delivered,
            lost: self.lost,
            tx_in_flight: self.in_flight,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited_until > 0,
            reported: false,
        };
    }

    /// An ACK arrives while the window is `window`.
    pub fn begin(&mut self, window: u64, now: Instant) {
        if self.in_flight >= window {
            // What has filled the window has done so until now.
            self.filled_until = Some(now);
        }
        self.prior_in_flight = self.in_flight;
        self.newly_delivered = 0;
        self.newly_lost = 0;
        self.newest = None;
        self.open = true;
    }

    /// The ACK reports a segment that no ACK has reported before.
    pub fn deliver(&mut self, seq: u64, record: Record, now: Instant) {
        let then = *self.at(seq);
        if then.reported {
            return;
        }
        self.at_mut(seq).reported = true;
        self.delivered += 1;
        self.newly_delivered += 1;
        self.delivered_at = now;
        let sent_at = record.sent_at();
        let is_newest = self
            .newest
            .is_none_or(|newest| (sent_at, seq) > (newest.sent_at, newest.seq));
        if is_newest {
            self.newest = Some(Newest {
                seq,
                then,
                sent_at,
                once: record.transmissions() == 1,
            });
            self.first_sent = self.first_sent.max(sent_at);
        }
    }

    /// A segment is declared lost. Returns what the controller is told.
    pub fn lose(&mut self, seq: u64, now: Instant) -> LostSegment {
        self.lost += 1;
        self.newly_lost += 1;
        let then = self.at(seq);
        let mut lost = LostSegment::new(now, then.tx_in_flight, self.lost - then.lost);
        lost.delivered = self.delivered;
        lost.app_limited = then.app_limited;
        lost.seq = seq;
        lost
    }

    /// Whether the application has limited the sender, by what has been delivered since.
    pub fn is_limited(&self) -> bool {
        self.app_limited_until > 0
    }

    /// Returns what is in the network.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Sets what is in the network, as the recovery estimates it.
    pub fn set_in_flight(&mut self, in_flight: u64) {
        self.in_flight = in_flight;
    }

    /// Notes that the sender sends less than the path may carry until what is in the network is delivered.
    pub fn limit(&mut self) {
        self.app_limited_until = (self.delivered + self.in_flight).max(1);
    }

    /// The ACK has been processed. Returns what it says.
    pub fn end(&mut self, now: Instant, repair: Repair) -> Delivery {
        self.open = false;
        if self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let mut delivery = Delivery::new(now, self.delivered, self.in_flight);
        delivery.lost = self.lost;
        delivery.newly_delivered = self.newly_delivered;
        delivery.newly_lost = self.newly_lost;
        delivery.prior_in_flight = self.prior_in_flight;
        delivery.repair = repair;
        if let Some(newest) = self.newest {
            if newest.once {
                let rtt = now.since(newest.sent_at);
                delivery.rtt = Some(rtt);
                self.least_rtt = self.least_rtt.min(rtt);
            }
            delivery.rate = self.rate(now, &newest);
            self.filled = self
                .filled_until
                .is_some_and(|until| until > newest.sent_at);
        }
        delivery.cwnd_limited = self.filled;
        delivery
    }

    fn rate(&self, now: Instant, newest: &Newest) -> Option<DeliveryRate> {
        let Newest { then, sent_at, .. } = newest;
        let send_elapsed = sent_at.since(then.first_sent);
        let ack_elapsed = now.since(then.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        let reliable = interval > Duration::ZERO
            && (self.least_rtt == Duration::MAX || interval >= self.least_rtt);
        reliable.then(|| DeliveryRate {
            delivered: self.delivered - then.delivered,
            interval,
            prior_delivered: then.delivered,
            tx_in_flight: then.tx_in_flight,
            lost: self.lost - then.lost,
            app_limited: then.app_limited,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Records;

    fn ms(n: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(n)
    }

    /// Segments sent at these times, in milliseconds.
    fn sent(times: &[u64]) -> (Deliveries, Records) {
        let (mut deliveries, mut records) = (Deliveries::new(), Records::new());
        for (seq, at) in times.iter().enumerate() {
            records.start(0, seq as u64, ms(*at));
            deliveries.on_sent(0, seq as u64, ms(*at));
        }
        (deliveries, records)
    }

    /// An ACK of these segments, after which `in_flight` are in the network.
    fn ack(
        (deliveries, records): &mut (Deliveries, Records),
        at: u64,
        segments: &[u64],
    ) -> Delivery {
        deliveries.begin(u64::MAX, ms(at));
        for seq in segments {
            deliveries.deliver(*seq, *records.at(*seq), ms(at));
        }
        let left = deliveries.in_flight - segments.len() as u64;
        deliveries.set_in_flight(left);
        deliveries.end(ms(at), Repair::None)
    }

    /// Four segments leave in a burst and arrive 10 ms apart: one segment in 10 ms once the first ACK is there.
    #[test]
    fn the_rate_is_that_of_the_acks_if_the_segments_left_in_a_burst() {
        let mut sender = sent(&[0, 0, 0, 0]);
        let first = ack(&mut sender, 100, &[0]);
        let rate = first.rate.expect("a sample");
        assert_eq!(
            (rate.delivered, rate.interval),
            (1, Duration::from_millis(100))
        );
        let fourth = ack(&mut sender, 130, &[1, 2, 3]);
        let rate = fourth.rate.expect("a sample");
        assert_eq!(
            (rate.delivered, rate.interval),
            (4, Duration::from_millis(130))
        );
        assert_eq!((rate.prior_delivered, rate.tx_in_flight), (0, 4));
        assert_eq!((fourth.newly_delivered, fourth.prior_in_flight), (3, 3));
    }

    /// Ten segments leave 10 ms apart, and one ACK, delayed for long, reports all: the ACKs alone would give
    /// any rate.
    #[test]
    fn the_rate_is_not_above_that_of_sending() {
        let times: Vec<u64> = (0..10).map(|i| 10 * i).collect();
        let mut sender = sent(&times);
        assert!(ack(&mut sender, 50, &[0]).rate.is_some());
        sender.1.start(1, 10, ms(100));
        sender.0.on_sent(1, 10, ms(100));
        let all: Vec<u64> = (1..11).collect();
        let rate = ack(&mut sender, 150, &all).rate.expect("a sample");
        // Since the ACK at 50 ms: what was delivered with and after it, over 100 ms.
        assert_eq!(
            (rate.delivered, rate.interval),
            (10, Duration::from_millis(100))
        );
    }

    #[test]
    fn a_segment_counts_once_and_an_ack_without_news_gives_no_rate() {
        let mut sender = sent(&[0, 0]);
        let _ = ack(&mut sender, 100, &[1]);
        sender.0.set_in_flight(2);
        let again = ack(&mut sender, 110, &[1]);
        assert_eq!(
            (again.delivered, again.newly_delivered, again.rate),
            (1, 0, None)
        );
    }

    /// The ACK of a retransmission that arrives at once was caused by the original: the interval is too short.
    #[test]
    fn an_interval_below_the_least_round_trip_gives_no_rate() {
        let mut sender = sent(&[0, 0, 0]);
        let _ = ack(&mut sender, 100, &[0]);
        let told = sender.0.lose(1, ms(100));
        assert_eq!((told.tx_in_flight, told.lost), (2, 1));
        sender.0.set_in_flight(0);
        sender.1.at_mut(1).send_again(ms(105));
        sender.0.on_sent(1, 1, ms(105));
        let late = ack(&mut sender, 110, &[1]);
        assert_eq!((late.rate, late.rtt, late.newly_delivered), (None, None, 1));
    }

    #[test]
    fn rates_are_limited_by_the_application_until_its_last_segments_are_delivered() {
        let mut sender = sent(&[0, 0]);
        sender.0.limit();
        for seq in [2, 3] {
            sender.1.start(0, seq, ms(10));
            sender.0.on_sent(0, seq, ms(10));
        }
        assert!(
            !ack(&mut sender, 100, &[0])
                .rate
                .expect("a sample")
                .app_limited
        );
        assert!(
            ack(&mut sender, 110, &[1, 2])
                .rate
                .expect("a sample")
                .app_limited
        );
        sender.1.start(3, 4, ms(110));
        sender.0.on_sent(3, 4, ms(110));
        let _ = ack(&mut sender, 120, &[3]);
        assert!(
            !ack(&mut sender, 210, &[4])
                .rate
                .expect("a sample")
                .app_limited
        );
    }

    /// Two segments fill the window until 100 ms. The third, of 50 ms, has seen that; the fourth leaves at 100 ms,
    /// when the window is no longer full.
    #[test]
    fn a_window_is_full_for_a_round_trip_after_it_was() {
        let mut sender = sent(&[0, 0]);
        let mut report = |seq: u64, at, window| {
            sender.0.begin(window, ms(at));
            sender.0.deliver(seq, *sender.1.at(seq), ms(at));
            let left = sender.0.in_flight - 1;
            sender.0.set_in_flight(left);
            let limited = sender.0.end(ms(at), Repair::None).cwnd_limited;
            let next = seq + 2;
            sender.1.start(seq, next, ms(at));
            sender.0.on_sent(seq, next, ms(at));
            limited
        };
        assert!(!report(0, 50, 3));
        assert!(report(1, 100, 2));
        assert!(report(2, 150, 3));
        assert!(!report(3, 200, 3));
    }

    #[test]
    fn a_lost_segment_has_its_place_and_a_limit_its_end() {
        let mut sender = sent(&[0, 0, 0]);
        assert_eq!(sender.0.lose(1, ms(100)).seq, 1);
        assert!(!sender.0.is_limited());
        sender.0.limit();
        assert!(sender.0.is_limited());
        let _ = ack(&mut sender, 100, &[0, 1, 2]);
        assert!(sender.0.is_limited());
        sender.1.start(3, 3, ms(100));
        sender.0.on_sent(3, 3, ms(100));
        let _ = ack(&mut sender, 200, &[3]);
        assert!(!sender.0.is_limited());
    }

    #[test]
    fn the_ring_grows_with_the_flight() {
        let mut sender = sent(&[0; 100]);
        let last = ack(&mut sender, 100, &[99]).rate.expect("a sample");
        assert_eq!(last.tx_in_flight, 100);
        assert_eq!(sender.0.lose(50, ms(100)).tx_in_flight, 51);
    }
}
