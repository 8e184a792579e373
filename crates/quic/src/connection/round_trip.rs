//! The round-trip time (RFC 9002, section 5).

use dumbbell_control::units::Duration;

/// `kGranularity`.
pub(super) const GRANULARITY: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug)]
pub(super) struct RoundTrip {
    pub latest: Duration,
    pub least: Duration,
    pub smoothed: Duration,
    pub variation: Duration,
    pub samples: u64,
}

impl RoundTrip {
    pub fn new(initial: Duration) -> Self {
        Self {
            latest: initial,
            least: Duration::MAX,
            smoothed: initial,
            variation: Duration::from_nanos(initial.as_nanos() / 2),
            samples: 0,
        }
    }

    /// A sample, and how long the receiver says to have waited.
    pub fn add(&mut self, latest: Duration, ack_delay: Duration, max_ack_delay: Duration) {
        self.latest = latest;
        self.least = self.least.min(latest);
        self.samples += 1;
        if self.samples == 1 {
            self.smoothed = latest;
            self.variation = Duration::from_nanos(latest.as_nanos() / 2);
            return;
        }
        let delay = ack_delay.min(max_ack_delay);
        let adjusted = match latest >= self.least + delay {
            true => latest.saturating_sub(delay),
            false => latest,
        };
        let (smoothed, adjusted) = (self.smoothed.as_nanos(), adjusted.as_nanos());
        let mix = |before: u64, weight: u64, sample: u64| {
            let sum = u128::from(before) * u128::from(weight - 1) + u128::from(sample);
            Duration::from_nanos((sum / u128::from(weight)) as u64)
        };
        let distance = smoothed.abs_diff(adjusted);
        self.variation = mix(self.variation.as_nanos(), 4, distance);
        self.smoothed = mix(smoothed, 8, adjusted);
    }

    /// The span without news after which the sender probes, without the peer's delay.
    pub fn probe_after(&self) -> Duration {
        let variation = Duration::from_nanos(self.variation.as_nanos().saturating_mul(4));
        self.smoothed + variation.max(GRANULARITY)
    }

    /// How far behind the largest reported packet, in time, a packet is lost: 9/8 of a round trip.
    pub fn loss_delay(&self) -> Duration {
        let rtt = u128::from(self.latest.max(self.smoothed).as_nanos());
        let delay = Duration::from_nanos(u64::try_from(rtt * 9 / 8).unwrap_or(u64::MAX));
        delay.max(GRANULARITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn samples_change_the_estimates_by_the_rules_of_rfc_9002() {
        let mut rtt = RoundTrip::new(ms(333));
        // PTO before the first sample: 333 + 4 * 166.5.
        assert_eq!(rtt.probe_after(), ms(999));
        rtt.add(ms(80), ms(0), ms(25));
        assert_eq!((rtt.smoothed, rtt.variation), (ms(80), ms(40)));
        // 96 less the delay of 8, which stays above the least: 88.
        rtt.add(ms(96), ms(8), ms(25));
        assert_eq!((rtt.smoothed, rtt.variation), (ms(81), ms(32)));
        // A delay is at most the peer's promise, and never takes a sample below the least.
        rtt.add(ms(81), ms(900), ms(25));
        assert_eq!(rtt.smoothed, ms(81));
        assert_eq!(rtt.loss_delay(), Duration::from_micros(91_125));
        rtt.add(Duration::ZERO, ms(0), ms(25));
        assert_eq!(rtt.least, Duration::ZERO);
    }

    #[test]
    fn short_round_trips_wait_for_the_granularity() {
        let mut rtt = RoundTrip::new(ms(333));
        for _ in 0..100 {
            rtt.add(Duration::from_micros(100), ms(0), ms(25));
        }
        assert_eq!(rtt.loss_delay(), ms(1));
        assert_eq!(rtt.probe_after(), Duration::from_micros(1_100));
    }
}
