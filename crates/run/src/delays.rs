//! Times that are measured at every packet: exact means and maxima, and percentiles.

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::Duration;

use crate::histogram::Histogram;

/// The first so many delays all count for the percentiles; of later ones, one in 2^3, which counts
/// 2^3 times.
const FIRST: u64 = 64;
const LOG_ONE_OF: u32 = 3;

/// After so many delays, the next ones take no more memory: one of those that count.
const MANY: u64 = FIRST + (120 << LOG_ONE_OF);

/// Shorter delays are one bucket of the histogram, which would cover twice the range otherwise, and
/// are reported as none.
const LEAST: Duration = Duration::from_nanos(1024);
const LEAST_BUCKET: Duration = Duration::from_nanos(1024 + 32);

/// The delays of packets.
#[derive(Debug)]
pub(crate) struct Delays {
    /// The packets until the next one that counts for the percentiles, that one included.
    skip: u64,
    /// The packets until then, and all before.
    count: u64,
    sum: u64,
    max: Duration,
    histogram: Histogram,
}

/// Times of several flows together.
#[derive(Debug, Default)]
pub(crate) struct Times {
    count: u64,
    /// In nanoseconds.
    sum: u128,
    max: Duration,
    histogram: Histogram,
}

/// A number of times: their sum and maximum, and a histogram of some of them.
pub(crate) struct Sample<'h> {
    count: u64,
    sum: u128,
    max: Duration,
    /// `None` without a time.
    histogram: Option<&'h Histogram>,
}

/// What results say of times, in seconds; `None` without a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) mean: Option<f64>,
    pub(crate) p50: Option<f64>,
    pub(crate) p95: Option<f64>,
    pub(crate) p99: Option<f64>,
    pub(crate) max: Option<f64>,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            skip: 1,
            count: 1,
            sum: 0,
            max: Duration::ZERO,
            histogram: Histogram::default(),
        }
    }
}

impl Delays {
    #[inline]
    pub(crate) fn add(&mut self, delay: Duration) {
        self.sum += delay.as_nanos();
        if delay > self.max {
            cold_path();
            self.max = delay;
        }
        self.skip -= 1;
        if self.skip == 0 {
            cold_path();
            let log_times = |first: bool| if first { 0 } else { LOG_ONE_OF };
            self.histogram
                .add_times(delay.max(LEAST), log_times(self.count <= FIRST));
            if self.count == MANY {
                cold_path();
                self.histogram.settle();
            }
            self.skip = 1 << log_times(self.count < FIRST);
            self.count += self.skip;
        }
    }

    /// Fetches what adding a delay near the last one will need, if that delay counts for the percentiles.
    #[inline]
    pub(crate) fn foresee(&self) {
        if self.skip == 1 {
            self.histogram.foresee(self.max);
        }
    }

    pub(crate) fn summary(&self) -> Summary {
        self.sample().summary().of_delays()
    }

    pub(crate) fn sample(&self) -> Sample<'_> {
        let count = self.count - self.skip;
        Sample::of(count, self.sum, self.max, Some(&self.histogram))
    }
}

impl Times {
    pub(crate) fn add(&mut self, more: &Sample<'_>) {
        self.count += more.count;
        self.sum += more.sum;
        self.max = self.max.max(more.max);
        if let Some(histogram) = more.histogram {
            self.histogram.merge(histogram);
        }
    }

    pub(crate) fn sample(&self) -> Sample<'_> {
        Sample {
            count: self.count,
            sum: self.sum,
            max: self.max,
            histogram: Some(&self.histogram),
        }
    }
}

impl<'h> Sample<'h> {
    pub(crate) fn of(
        count: u64,
        sum: u64,
        max: Duration,
        histogram: Option<&'h Histogram>,
    ) -> Self {
        Self {
            count,
            sum: u128::from(sum),
            max,
            histogram,
        }
    }

    pub(crate) fn summary(&self) -> Summary {
        // The middle of the last bucket may be above the largest time.
        let quantiles = self
            .histogram
            .map(|histogram| histogram.quantiles([0.5, 0.95, 0.99]));
        let [p50, p95, p99] = quantiles
            .unwrap_or_default()
            .map(|time| time.map(|time| time.min(self.max)));
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let any = self.count > 0;
        Summary {
            mean: any.then(|| self.sum as f64 / self.count as f64 / 1e9),
            p50: seconds(p50),
            p95: seconds(p95),
            p99: seconds(p99),
            max: any.then(|| self.max.as_secs_f64()),
        }
    }
}

impl Summary {
    /// The same for times that [`Delays`] added.
    pub(crate) fn of_delays(self) -> Self {
        let or_none = |time: f64| {
            if time < LEAST_BUCKET.as_secs_f64() {
                0.0
            } else {
                time
            }
        };
        Self {
            p50: self.p50.map(or_none),
            p95: self.p95.map(or_none),
            p99: self.p99.map(or_none),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_packets_do_not_wait_and_one_waits_long() {
        let mut delays = Delays::default();
        assert_eq!(delays.summary(), Summary::default());
        for _ in 0..299 {
            delays.add(Duration::ZERO);
        }
        delays.add(Duration::from_millis(30));
        let found = delays.summary();
        assert_eq!((found.mean, found.max), (Some(1e-4), Some(0.03)));
        assert_eq!(
            (found.p50, found.p95, found.p99),
            (Some(0.0), Some(0.0), Some(0.0))
        );
        // The 300th is none of those that count for the percentiles.
        let mut both = Times::default();
        both.add(&delays.sample());
        both.add(&delays.sample());
        let pooled = both.sample().summary().of_delays();
        assert_eq!(pooled, found);
        assert_eq!(both.count, 600);
    }
}
