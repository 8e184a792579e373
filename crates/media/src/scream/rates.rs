//! SCReAM's measured rates and the bytes in flight (RFC 8298, sections 4.1.1.2 and 4.1.3).

use dumbbell_control::units::Instant;

/// The number of rates of the encoder of which the median counts: more than 10 s of them.
const MEDIAN: usize = 51;
/// For how many seconds the largest number of bytes in flight counts (section 4.1.2.2).
const FLIGHT: usize = 5;
const SECOND: u64 = 1_000_000_000;

/// Rates in bit/s over the last interval.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    sent: u64,
    acked: u64,
    waiting: u64,
    since: Option<Instant>,
    pub(super) transmit: f64,
    pub(super) ack: f64,
    pub(super) media: f64,
    medians: [f64; MEDIAN],
    count: usize,
    next: usize,
}

impl Rates {
    pub(super) fn new() -> Self {
        Self {
            sent: 0,
            acked: 0,
            waiting: 0,
            since: None,
            transmit: 0.0,
            ack: 0.0,
            media: 0.0,
            medians: [0.0; MEDIAN],
            count: 0,
            next: 0,
        }
    }

    pub(super) fn on_sent(&mut self, bytes: u32) {
        self.sent += u64::from(bytes);
    }

    pub(super) fn on_acked(&mut self, bytes: u64) {
        self.acked += bytes;
    }

    /// Ends an interval, with so many bytes that wait.
    pub(super) fn measure(&mut self, now: Instant, waiting: u64) {
        let span = self
            .since
            .map_or(0.0, |since| now.since(since).as_secs_f64());
        let made = (self.sent + waiting).saturating_sub(self.waiting);
        if span > 0.0 {
            let rate = |bytes: u64| bytes as f64 * 8.0 / span;
            (self.transmit, self.ack, self.media) = (rate(self.sent), rate(self.acked), rate(made));
            self.medians[self.next] = self.media;
            self.next = (self.next + 1) % MEDIAN;
            self.count = (self.count + 1).min(MEDIAN);
        }
        (self.sent, self.acked, self.waiting) = (0, 0, waiting);
        self.since = Some(now);
    }

    /// current_rate.
    pub(super) fn current(&self) -> f64 {
        self.transmit.max(self.ack)
    }

    /// rate_media_median.
    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.medians;
        let sorted = &mut sorted[..self.count];
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.get(self.count / 2).copied().unwrap_or(0.0)
    }
}

/// The largest number of bytes in flight of the last seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flight {
    seconds: [(u64, u64); FLIGHT],
}

impl Flight {
    pub(super) fn add(&mut self, now: Instant, bytes: u64) {
        let second = now.as_nanos() / SECOND;
        let place = &mut self.seconds[(second % FLIGHT as u64) as usize];
        *place = if place.0 == second {
            (second, place.1.max(bytes))
        } else {
            (second, bytes)
        };
    }

    pub(super) fn largest(&self, now: Instant) -> u64 {
        let second = now.as_nanos() / SECOND;
        let recent = self
            .seconds
            .iter()
            .filter(|(of, _)| of + (FLIGHT as u64) > second);
        recent.map(|&(_, bytes)| bytes).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// By hand: 25 kB sent, 20 kB acknowledged and 5 kB more that wait in 200 ms.
    #[test]
    fn rates_are_those_of_the_last_interval() {
        let mut rates = Rates::new();
        rates.measure(ms(0), 10_000);
        rates.on_sent(25_000);
        rates.on_acked(20_000);
        rates.measure(ms(200), 15_000);
        assert_eq!(
            (rates.transmit, rates.ack, rates.media),
            (1e6, 800e3, 1.2e6)
        );
        assert_eq!((rates.current(), rates.median()), (1e6, 1.2e6));
        rates.measure(ms(400), 0);
        assert_eq!((rates.current(), rates.media), (0.0, 0.0));
    }

    #[test]
    fn the_largest_flight_counts_for_five_seconds() {
        let mut flight = Flight::default();
        flight.add(ms(100), 9000);
        flight.add(ms(900), 5000);
        flight.add(ms(2000), 7000);
        assert_eq!(flight.largest(ms(4900)), 9000);
        assert_eq!(flight.largest(ms(5000)), 7000);
        assert_eq!(flight.largest(ms(60_000)), 0);
    }
}
