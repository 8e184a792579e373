//! The number of parallel connections: the rule of MULTFRC ("TFRC Veno", equation 1; Chen and Zakhor).
//!
//! | once per control period | rule |
//! |---|---|
//! | the mean round-trip time exceeds rtt_min by more than gamma rtt_min | n = max(1, n - beta) |
//! | otherwise | n = n + alpha/n |
//! | rtt_min | the smallest mean of any period, including this one |
//!
//! Defaults: alpha = beta = 1, gamma = .2.
//!
//! *Readings.* The paper gives neither the length of a control period nor the largest number of
//! connections. Here they are a second or ten round-trip times, whichever is longer, and 16 connections.
//! The mean of a period is the mean of all its round-trip samples.
//!
//! ```
//! use dumbbell_control::units::Instant;
//! use dumbbell_tfrc::parallel::{Parallel, ParallelConfig};
//!
//! // Control periods of a second, and no queue in any: one connection, then two, then two and a half.
//! let mut parallel = Parallel::new(ParallelConfig::default());
//! for ms in (0..=2_100).step_by(100) {
//!     parallel.on_sample(Instant::from_nanos(ms * 1_000_000), 0.08, 0.08);
//! }
//! assert_eq!(parallel.n(), 2.5);
//! ```

use dumbbell_control::units::{Duration, Instant};

use crate::seconds::span;

/// The largest number of connections.
pub const MAX_CONNECTIONS: usize = 16;

/// The constants of the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParallelConfig {
    /// The increase per period, divided by n.
    pub alpha: f64,
    /// The decrease per period.
    pub beta: f64,
    /// The queueing delay above which n decreases, as a share of rtt_min.
    pub gamma: f64,
    /// The shortest control period.
    pub period: Duration,
    /// The shortest control period in round-trip times.
    pub period_rtts: f64,
    /// The largest n, at most [`MAX_CONNECTIONS`].
    pub limit: f64,
}

impl Default for ParallelConfig {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 1.0,
            gamma: 0.2,
            period: Duration::from_secs(1),
            period_rtts: 10.0,
            limit: MAX_CONNECTIONS as f64,
        }
    }
}

/// The state of the rule: n, and the round-trip times on which it depends.
#[derive(Clone, Copy, Debug)]
pub struct Parallel {
    config: ParallelConfig,
    n: f64,
    rtt_min: Option<f64>,
    sum: f64,
    samples: u64,
    end: Option<Instant>,
}

impl Parallel {
    /// Makes a rule that starts with one connection.
    pub fn new(config: ParallelConfig) -> Self {
        Self {
            config,
            n: 1.0,
            rtt_min: None,
            sum: 0.0,
            samples: 0,
            end: None,
        }
    }

    /// Returns the number of connections, from 1 to the limit. MULTFRC uses its integer part.
    pub fn n(&self) -> f64 {
        self.n
    }

    /// Returns the smallest mean round-trip time of any period, in seconds.
    pub fn rtt_min(&self) -> Option<f64> {
        self.rtt_min
    }

    /// Handles a round-trip sample, given with the mean round-trip time, both in seconds. Returns
    /// whether a control period has ended.
    pub fn on_sample(&mut self, now: Instant, sample: f64, rtt: f64) -> bool {
        let end = *self
            .end
            .get_or_insert_with(|| now + self.config.length(rtt));
        self.sum += sample;
        self.samples += 1;
        if now < end {
            return false;
        }
        self.on_period(self.sum / self.samples as f64);
        self.sum = 0.0;
        self.samples = 0;
        self.end = Some(now + self.config.length(rtt));
        true
    }

    /// Updates n at the end of a period with this mean round-trip time.
    fn on_period(&mut self, mean: f64) {
        let least = self.rtt_min.map_or(mean, |least| least.min(mean));
        self.rtt_min = Some(least);
        let limit = self.config.limit.clamp(1.0, MAX_CONNECTIONS as f64);
        let next = if mean - least > self.config.gamma * least {
            self.n - self.config.beta
        } else {
            self.n + self.config.alpha / self.n
        };
        self.n = if next.is_nan() {
            1.0
        } else {
            next.clamp(1.0, limit)
        };
    }
}

impl ParallelConfig {
    fn length(&self, rtt: f64) -> Duration {
        self.period.max(span(self.period_rtts * rtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_follows_the_mean_round_trip_time() {
        let mut parallel = Parallel::new(ParallelConfig::default());
        let periods = [
            (0.17, 2.0),
            (0.171, 2.5),
            (0.18, 2.9),
            (0.19, 3.2448),
            (0.21, 2.2448),
            (0.205, 1.2448),
            (0.2, 2.0482),
            (0.18, 2.5364),
        ];
        for (mean, n) in periods {
            parallel.on_period(mean);
            assert!((parallel.n() - n).abs() < 5e-5, "{}", parallel.n());
        }
        assert_eq!(parallel.rtt_min(), Some(0.17));
    }

    #[test]
    fn the_smallest_mean_includes_the_current_period() {
        let mut parallel = Parallel::new(ParallelConfig::default());
        for (mean, n) in [(0.2, 2.0), (0.1, 2.5), (0.13, 1.5)] {
            parallel.on_period(mean);
            assert_eq!(parallel.n(), n);
        }
    }

    #[test]
    fn a_period_is_a_second_or_ten_round_trips() {
        let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
        let mut parallel = Parallel::new(ParallelConfig::default());
        assert!(!parallel.on_sample(at(0), 0.05, 0.05));
        assert!(!parallel.on_sample(at(999), 0.05, 0.05));
        assert!(parallel.on_sample(at(1_000), 0.2, 0.2));
        assert!((parallel.rtt_min().unwrap() - 0.1).abs() < 1e-12);
        assert!(!parallel.on_sample(at(2_999), 0.2, 0.2));
        assert!(parallel.on_sample(at(3_000), 0.2, 0.2));
    }

    #[test]
    fn n_stays_within_one_and_the_limit() {
        let mut parallel = Parallel::new(ParallelConfig::default());
        for _ in 0..1_000 {
            parallel.on_period(0.1);
        }
        assert_eq!(parallel.n(), 16.0);
        for _ in 0..100 {
            parallel.on_period(0.2);
        }
        assert_eq!(parallel.n(), 1.0);
    }
}
