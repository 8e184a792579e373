//! The rate at which the path delivers, for hosts of controls whose [`Signals::delivery`] is set: what is known of
//! each segment when it is sent, and the sample that an ACK gives (draft-ietf-ccwg-bbr, section "Delivery Rate
//! Samples"; Linux' `tcp_rate.c`).
//!
//! | event | rule |
//! |---|---|
//! | a segment is sent | it keeps `C.delivered`, `C.lost`, the times at which they were counted, and what is in flight |
//! | an ACK reports it | the newest segment that it reports decides: the rate is what was delivered since it was sent, over the longer of the times in which that was sent and acknowledged |
//! | the interval is below the least RTT | no sample |
//!
//! Readings: segments count, not bytes, since all but the last have the same size. A segment that is sent again
//! keeps what is known then. The sender is limited by its application while the window is not full, nothing new is
//! there to send, and all that is lost has been sent again.
//!
//! A host keeps a [`Departure`] for each segment, in whatever it keeps for each segment anyway.
//!
//! ```
//! use dumbbell_control::delivery::Sampler;
//! use dumbbell_control::event::Repair;
//! use dumbbell_control::units::{Duration, Instant};
//!
//! let ms = |n| Instant::ZERO + Duration::from_millis(n);
//! let mut sampler = Sampler::default();
//! let mut departures = [(); 4].map(|()| sampler.on_sent(ms(0)));
//!
//! // An ACK after 100 ms reports two of the four segments.
//! sampler.begin();
//! for seq in [0, 1] {
//!     sampler.deliver(&mut departures[seq], seq as u64, ms(0), true, ms(100));
//! }
//! sampler.set_in_flight(2);
//! let delivery = sampler.end(ms(100), Repair::None);
//! let rate = delivery.rate.expect("a sample");
//! assert_eq!((rate.delivered, rate.interval), (2, Duration::from_millis(100)));
//! ```
//!
//! [`Signals::delivery`]: crate::controller::Signals::delivery

use crate::event::{Delivery, DeliveryRate, LostSegment, Repair};
use crate::units::{Duration, Instant};

/// What was known when a segment was sent last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Departure {
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
    departure: Departure,
    sent_at: Instant,
    once: bool,
}

/// The counters of deliveries of a connection: the draft's `C.` and `RS.` variables.
#[derive(Clone, Debug)]
pub struct Sampler {
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
}

impl Default for Sampler {
    fn default() -> Self {
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
        }
    }
}

impl Sampler {
    /// A round-trip time that was measured without data, by a handshake, counts for the least one.
    pub fn on_handshake(&mut self, rtt: Duration) {
        self.least_rtt = self.least_rtt.min(rtt);
    }

    /// A segment is sent at `now`, for the first time or again. Returns what the host keeps of it.
    #[inline]
    pub fn on_sent(&mut self, now: Instant) -> Departure {
        if self.in_flight == 0 {
            self.first_sent = now;
            self.delivered_at = now;
        }
        self.in_flight += 1;
        Departure {
            delivered: self.delivered,
            lost: self.lost,
            tx_in_flight: self.in_flight,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited_until > 0,
            reported: false,
        }
    }

    /// As much is in the network at `now` as the window allows.
    #[inline]
    pub fn fill(&mut self, now: Instant) {
        self.filled_until = Some(now);
    }

    /// An ACK arrives.
    #[inline]
    pub fn begin(&mut self) {
        self.prior_in_flight = self.in_flight;
        self.newly_delivered = 0;
        self.newly_lost = 0;
        self.newest = None;
    }

    /// The ACK, which arrived at `now`, reports a segment that was sent last at `sent_at`, and `once` in all. A
    /// segment counts once, however often it is reported. `seq` is its place in the order of segments, which decides
    /// between segments that were sent at one time.
    pub fn deliver(
        &mut self,
        departure: &mut Departure,
        seq: u64,
        sent_at: Instant,
        once: bool,
        now: Instant,
    ) {
        if departure.reported {
            return;
        }
        departure.reported = true;
        self.delivered += 1;
        self.newly_delivered += 1;
        self.delivered_at = now;
        let is_newest = self
            .newest
            .is_none_or(|newest| (sent_at, seq) > (newest.sent_at, newest.seq));
        if is_newest {
            self.newest = Some(Newest {
                seq,
                departure: *departure,
                sent_at,
                once,
            });
            self.first_sent = self.first_sent.max(sent_at);
        }
    }

    /// A segment is declared lost. Returns what the controller is told.
    pub fn lose(&mut self, departure: &Departure, seq: u64, now: Instant) -> LostSegment {
        self.lost += 1;
        self.newly_lost += 1;
        let since = self.lost.saturating_sub(departure.lost);
        let mut lost = LostSegment::new(now, departure.tx_in_flight, since);
        lost.delivered = self.delivered;
        lost.app_limited = departure.app_limited;
        lost.seq = seq;
        lost
    }

    /// Whether the application has limited the sender, by what has been delivered since.
    #[inline]
    pub fn is_limited(&self) -> bool {
        self.app_limited_until > 0
    }

    /// Returns what is in the network.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Sets what is in the network, as the host estimates it.
    #[inline]
    pub fn set_in_flight(&mut self, in_flight: u64) {
        self.in_flight = in_flight;
    }

    /// Notes that the sender sends less than the path may carry until what is in the network is delivered.
    pub fn limit(&mut self) {
        self.app_limited_until = (self.delivered + self.in_flight).max(1);
    }

    /// The ACK has been processed. Returns what it says.
    pub fn end(&mut self, now: Instant, repair: Repair) -> Delivery {
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
        let Newest {
            departure, sent_at, ..
        } = newest;
        let send_elapsed = sent_at.since(departure.first_sent);
        let ack_elapsed = now.since(departure.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        let reliable = interval > Duration::ZERO
            && (self.least_rtt == Duration::MAX || interval >= self.least_rtt);
        reliable.then(|| DeliveryRate {
            delivered: self.delivered - departure.delivered,
            interval,
            prior_delivered: departure.delivered,
            tx_in_flight: departure.tx_in_flight,
            lost: self.lost.saturating_sub(departure.lost),
            app_limited: departure.app_limited,
        })
    }
}
