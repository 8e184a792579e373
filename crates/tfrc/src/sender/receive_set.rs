//! The receive rates that limit a sender: X_recv_set (RFC 5348, section 4.3).
//!
//! Reports arrive once per round-trip time, and once more with a loss event. The set is large enough for
//! the reports of two round-trip times. (Three entries would be enough for section 8.2.2.)

use dumbbell_control::units::{Duration, Instant};

/// The largest number of stored rates.
const PLACES: usize = 8;

/// The recent receive rates, in bytes per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiveSet {
    /// The rates, the newest first.
    rates: [Rate; PLACES],
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Rate {
    x_recv: f64,
    at: Instant,
}

impl ReceiveSet {
    /// Makes a set without a limit, starting now.
    pub(crate) const fn unlimited(now: Instant) -> Self {
        Self::single(f64::INFINITY, now)
    }

    const fn single(x_recv: f64, at: Instant) -> Self {
        Self {
            rates: [Rate { x_recv, at }; PLACES],
            count: 1,
        }
    }

    /// Returns the largest rate.
    pub(crate) fn max(&self) -> f64 {
        self.rates[..self.count]
            .iter()
            .fold(0.0, |max, rate| rate.x_recv.max(max))
    }

    /// Adds a rate and drops rates older than two round-trip times.
    pub(crate) fn update(&mut self, x_recv: f64, now: Instant, rtt: Duration) {
        self.rates.rotate_right(1);
        self.rates[0] = Rate { x_recv, at: now };
        self.count = (self.count + 1).min(PLACES);
        let span = rtt + rtt;
        let kept = self.rates[..self.count]
            .iter()
            .take_while(|rate| now.since(rate.at) <= span)
            .count();
        self.count = kept.max(1);
    }

    /// Keeps only the largest rate, dated now, because the sender did not have enough to send.
    pub(crate) fn maximize(&mut self, x_recv: f64, now: Instant) {
        let largest = self.rates[..self.count]
            .iter()
            .map(|rate| rate.x_recv)
            .filter(|rate| rate.is_finite())
            .fold(x_recv, f64::max);
        *self = Self::single(largest, now);
    }

    /// Halves all rates, after a loss while the sender did not have enough to send.
    pub(crate) fn halve(&mut self) {
        for rate in &mut self.rates {
            rate.x_recv /= 2.0;
        }
    }

    /// Replaces all rates by one.
    pub(crate) fn replace(&mut self, x_recv: f64, now: Instant) {
        *self = Self::single(x_recv, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn rates_of_two_round_trips_count() {
        let mut set = ReceiveSet::unlimited(ms(0));
        set.update(10.0, ms(100), RTT);
        set.update(20.0, ms(200), RTT);
        assert_eq!(set.max(), f64::INFINITY);
        set.update(15.0, ms(300), RTT);
        assert_eq!(set.max(), 20.0);
        set.update(5.0, ms(401), RTT);
        assert_eq!(set.max(), 15.0);
        set.update(4.0, ms(900), RTT);
        assert_eq!(set.max(), 4.0);
    }

    #[test]
    fn of_very_many_reports_only_the_newest_count() {
        let mut set = ReceiveSet::unlimited(ms(0));
        for at in 1..=8 {
            set.update(at as f64, ms(at), RTT);
        }
        assert_eq!(set.max(), 8.0);
    }

    #[test]
    fn the_largest_rate_lasts_while_there_is_little_to_send() {
        let mut set = ReceiveSet::unlimited(ms(0));
        set.maximize(10.0, ms(100));
        assert_eq!(set.max(), 10.0);
        set.maximize(4.0, ms(5_000));
        assert_eq!(set.max(), 10.0);
        set.halve();
        set.maximize(4.0, ms(5_100));
        assert_eq!(set.max(), 5.0);
        set.update(1.0, ms(5_200), RTT);
        assert_eq!(set.max(), 5.0);
        set.replace(2.0, ms(5_300));
        assert_eq!(set.max(), 2.0);
    }
}
