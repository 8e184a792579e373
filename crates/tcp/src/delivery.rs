//! What is known of each segment when it is sent, in a ring beside the records of segments, for the samples of the
//! rate of delivery ([`dumbbell_control::delivery`]).

use dumbbell_control::delivery::{Departure, Sampler};
use dumbbell_control::event::{Delivery, LostSegment, Repair};
use dumbbell_control::units::{Duration, Instant};

use crate::records::Record;

/// The deliveries of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Deliveries {
    sampler: Sampler,
    /// Whether an ACK is being processed that has not been told to the controller.
    pub open: bool,
    /// In a ring, as [`Records`](crate::records::Records).
    ring: Box<[Departure]>,
}

impl Deliveries {
    pub fn new() -> Self {
        Self {
            sampler: Sampler::default(),
            open: false,
            ring: vec![Departure::default(); 16].into_boxed_slice(),
        }
    }

    fn at(&self, seq: u64) -> &Departure {
        &self.ring[seq as usize & (self.ring.len() - 1)]
    }

    fn grow(&mut self, una: u64, seq: u64) {
        let capacity = ((seq - una + 1) as usize).next_power_of_two();
        let mut ring = vec![Departure::default(); capacity].into_boxed_slice();
        for seq in una..seq {
            ring[seq as usize & (capacity - 1)] = *self.at(seq);
        }
        self.ring = ring;
    }

    /// The handshake's round-trip time counts for the least one.
    pub fn on_handshake(&mut self, rtt: Duration) {
        self.sampler.on_handshake(rtt);
    }

    /// A segment is sent, for the first time or again.
    pub fn on_sent(&mut self, una: u64, seq: u64, now: Instant) {
        if seq - una >= self.ring.len() as u64 {
            self.grow(una, seq);
        }
        let mask = self.ring.len() - 1;
        self.ring[seq as usize & mask] = self.sampler.on_sent(now);
    }

    /// An ACK arrives while the window is `window`.
    pub fn begin(&mut self, window: u64, now: Instant) {
        if self.sampler.in_flight() >= window {
            // What has filled the window has done so until now.
            self.sampler.fill(now);
        }
        self.sampler.begin();
        self.open = true;
    }

    /// The ACK reports a segment that no ACK has reported before.
    pub fn deliver(&mut self, seq: u64, record: Record, now: Instant) {
        let mask = self.ring.len() - 1;
        let departure = &mut self.ring[seq as usize & mask];
        let once = record.transmissions() == 1;
        self.sampler
            .deliver(departure, seq, record.sent_at(), once, now);
    }

    /// A segment is declared lost. Returns what the controller is told.
    pub fn lose(&mut self, seq: u64, now: Instant) -> LostSegment {
        let departure = *self.at(seq);
        self.sampler.lose(&departure, seq, now)
    }

    /// Whether the application has limited the sender, by what has been delivered since.
    pub fn is_limited(&self) -> bool {
        self.sampler.is_limited()
    }

    /// Returns what is in the network.
    pub fn in_flight(&self) -> u64 {
        self.sampler.in_flight()
    }

    /// Sets what is in the network, as the recovery estimates it.
    pub fn set_in_flight(&mut self, in_flight: u64) {
        self.sampler.set_in_flight(in_flight);
    }

    /// Notes that the sender sends less than the path may carry until what is in the network is delivered.
    pub fn limit(&mut self) {
        self.sampler.limit();
    }

    /// The ACK has been processed. Returns what it says.
    pub fn end(&mut self, now: Instant, repair: Repair) -> Delivery {
        self.open = false;
        self.sampler.end(now, repair)
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
            deliveries.deliver(*seq, records.at(*seq), ms(at));
        }
        let left = deliveries.in_flight() - segments.len() as u64;
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
        sender.1.send_again(0, 1, ms(105));
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
            sender.0.deliver(seq, sender.1.at(seq), ms(at));
            let left = sender.0.in_flight() - 1;
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
