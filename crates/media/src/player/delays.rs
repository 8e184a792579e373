//! The delays of shown frames: a histogram of a fixed size.

use dumbbell_control::units::Duration;

/// Counts of delays: by the microsecond below 64 us, and 32 buckets an octave from there up to 36 minutes.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    buckets: [u32; BUCKETS],
    /// The sum of each bucket's delays in microseconds.
    sums: Box<[u64; BUCKETS]>,
    count: u64,
    sum: u128,
    longest: Duration,
}

/// A summary of delays, in seconds. Percentiles are accurate to 1.6 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelaySummary {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

const LINEAR: u64 = 64;
const OCTAVE: usize = 32;
/// The first octave with buckets of its own begins at 2^6 us, the last one at 2^30 us.
const FIRST: u32 = 6;
const OCTAVES: usize = 25;
const BUCKETS: usize = LINEAR as usize + OCTAVES * OCTAVE;

impl Default for Delays {
    fn default() -> Self {
        Self {
            buckets: [0; BUCKETS],
            sums: Box::new([0; BUCKETS]),
            count: 0,
            sum: 0,
            longest: Duration::ZERO,
        }
    }
}

impl Delays {
    pub(super) fn add(&mut self, delay: Duration) {
        let micros = delay.as_nanos() / 1000;
        let place = bucket(micros);
        self.buckets[place] = self.buckets[place].saturating_add(1);
        self.sums[place] = self.sums[place].saturating_add(micros);
        self.count += 1;
        self.sum += u128::from(delay.as_nanos());
        self.longest = self.longest.max(delay);
    }

    pub(super) fn summary(&self) -> Option<DelaySummary> {
        let max = self.longest.as_secs_f64();
        let at = |part: f64| self.percentile(part).min(max);
        (self.count > 0).then(|| DelaySummary {
            mean: self.sum as f64 / self.count as f64 / 1e9,
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max,
        })
    }

    /// Returns the mean of the bucket in which this part of all delays ends, in seconds: with delays that are all the same, the
    /// middle would be below or above them.
    fn percentile(&self, part: f64) -> f64 {
        let rank = (part * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let found = self.buckets.iter().position(|count| {
            seen += u64::from(*count);
            seen >= rank
        });
        let bucket = found.unwrap_or(BUCKETS - 1);
        let count = f64::from(self.buckets[bucket].max(1));
        self.sums[bucket] as f64 / count / 1e6
    }
}

/// The bucket of a time in microseconds.
fn bucket(micros: u64) -> usize {
    if micros < LINEAR {
        return micros as usize;
    }
    let octave = micros.ilog2();
    let place = (micros >> (octave - 5)) as usize - OCTAVE;
    (LINEAR as usize + (octave - FIRST) as usize * OCTAVE + place).min(BUCKETS - 1)
}

/// The least time of a bucket and its width, in microseconds.
#[cfg(test)]
fn bounds(bucket: usize) -> (u64, u64) {
    let Some(beyond) = bucket.checked_sub(LINEAR as usize) else {
        return (bucket as u64, 1);
    };
    let width = 1 << (beyond / OCTAVE + FIRST as usize - 5);
    ((OCTAVE + beyond % OCTAVE) as u64 * width, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_in_its_bucket() {
        let mut last = 0;
        for micros in (0..200_000).chain([1 << 30, (1 << 31) - 1]) {
            let place = bucket(micros);
            let (low, width) = bounds(place);
            assert!((low..low + width).contains(&micros), "{micros}");
            assert!(place >= last && width * 32 <= micros.max(32));
            last = place;
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    /// Most frames are shown exactly when they are due: no percentile of theirs is below their mean.
    #[test]
    fn delays_that_are_all_the_same_have_one_percentile() {
        let mut delays = Delays::default();
        for _ in 0..1000 {
            delays.add(Duration::from_millis(200));
        }
        let found = delays.summary().unwrap();
        assert_eq!((found.p50, found.p95, found.p99), (0.2, 0.2, 0.2));
        assert_eq!((found.mean, found.max), (0.2, 0.2));
    }

    /// By hand: of 1 ms to 100 ms, the median is 50 ms and the 95th percentile 95 ms.
    #[test]
    fn percentiles_are_accurate_to_their_bucket() {
        let mut delays = Delays::default();
        assert_eq!(delays.summary(), None);
        for ms in 1..=100 {
            delays.add(Duration::from_millis(ms));
        }
        let found = delays.summary().unwrap();
        assert!((found.mean - 0.0505).abs() < 1e-12);
        assert!((found.p50 / 0.05 - 1.0).abs() < 0.016 && (found.p95 / 0.095 - 1.0).abs() < 0.016);
        assert!(found.p99 <= found.max && found.max == 0.1);
    }
}
