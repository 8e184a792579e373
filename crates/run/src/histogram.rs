//! A histogram of times with a bounded relative error, for percentiles of round-trip times.

use dumbbell_control::units::Duration;

/// Bits of a time after its leading one that a bucket distinguishes: 32 buckets per octave.
const PRECISION: u32 = 5;

/// Counts of times in buckets, 32 per octave. It covers only the range of the times that were
/// added.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    first: usize,
    counts: Vec<u32>,
    total: u64,
}

impl Histogram {
    /// Adds a time.
    #[inline]
    pub fn add(&mut self, time: Duration) {
        let bucket = bucket(time.as_nanos());
        self.total += 1;
        match self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            Some(count) => *count += 1,
            None => self.extend(bucket),
        }
    }

    /// The time that a fraction `quantile` of the added times do not exceed. The result is the
    /// middle of its bucket, and so accurate to 1.6 %. `None` if nothing was added.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        let rank = (quantile * self.total as f64).ceil() as u64;
        let mut seen = 0;
        for (i, &count) in self.counts.iter().enumerate() {
            seen += u64::from(count);
            if seen >= rank.max(1) {
                return Some(Duration::from_nanos(middle(self.first + i)));
            }
        }
        None
    }

    #[cold]
    fn extend(&mut self, bucket: usize) {
        if self.counts.is_empty() {
            self.first = bucket;
        } else if bucket < self.first {
            let missing = self.first - bucket;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = bucket;
        }
        let at = bucket - self.first;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
    }
}

#[inline]
fn bucket(nanos: u64) -> usize {
    let n = nanos.max(1 << PRECISION);
    let octave = n.ilog2() - PRECISION;
    (octave as usize) << PRECISION | ((n >> octave) as usize & ((1 << PRECISION) - 1))
}

fn middle(bucket: usize) -> u64 {
    let octave = bucket >> PRECISION;
    let low = ((1 << PRECISION | (bucket & ((1 << PRECISION) - 1))) as u64) << octave;
    low + (1u64 << octave) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_ramp() {
        let mut histogram = Histogram::default();
        for ms in (1..=1000).rev() {
            histogram.add(Duration::from_millis(ms));
        }
        for (quantile, expected) in [(0.05, 0.050), (0.5, 0.5), (0.95, 0.95), (1.0, 1.0)] {
            let found = histogram.quantile(quantile).unwrap().as_secs_f64();
            assert!(
                (found / expected - 1.0).abs() < 0.03,
                "{found} instead of {expected}"
            );
        }
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn the_quantile_of_a_single_time_is_near_it() {
        for nanos in [0, 31, 32, 33, 1_000, 66_000_000, u64::MAX] {
            let mut histogram = Histogram::default();
            histogram.add(Duration::from_nanos(nanos));
            let found = histogram.quantile(0.95).unwrap().as_nanos();
            assert!(
                found.abs_diff(nanos.max(32)) <= found / 62,
                "{found} instead of {nanos}"
            );
        }
    }
}
