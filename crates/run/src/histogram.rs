//! A histogram of times with a bounded relative error, for percentiles of round-trip times.

use std::borrow::Cow;

use dumbbell_control::units::Duration;
use dumbbell_sim::fetch;

/// Bits of a time after its leading one that a bucket distinguishes: 32 buckets per octave.
const PRECISION: u32 = 5;
/// The buckets of an octave.
const OCTAVE: usize = 1 << PRECISION;

/// Counts of times in buckets, 32 per octave. It covers only the range of the times that were
/// added. The first few hundred times are listed, which takes less memory.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Counts,
    total: u64,
}

#[derive(Clone, Debug)]
enum Counts {
    /// The bucket of each time and, above it, log2 of its weight.
    Listed(Vec<u16>),
    Counted(Range),
}

/// The counts of consecutive buckets, whole octaves.
#[derive(Clone, Debug, Default)]
struct Range {
    first: usize,
    counts: Vec<u32>,
}

/// No more times than these are listed.
const MOST_LISTED: usize = 256;

/// A list of so many or more grows by `STEP`, because with many flows the lists take much memory.
const LONG: usize = 64;
const STEP: usize = 64;
/// The room of a new list.
const FIRST: usize = 8;

/// The bits of a listed time that hold its bucket: there are 60 octaves.
const BUCKET_BITS: u32 = 11;
const BUCKETS: u16 = (1 << BUCKET_BITS) - 1;

impl Default for Histogram {
    fn default() -> Self {
        Self::NONE
    }
}

impl Histogram {
    /// Without a time.
    pub(crate) const NONE: Self = Self {
        counts: Counts::Listed(Vec::new()),
        total: 0,
    };

    /// Adds a time.
    #[inline]
    pub fn add(&mut self, time: Duration) {
        self.add_times(time, 0);
    }

    /// Adds a time that counts 2^`weight` times; `weight` is below 32.
    #[inline]
    pub(crate) fn add_times(&mut self, time: Duration, weight: u32) {
        let bucket = bucket(time.as_nanos());
        self.total += 1 << weight;
        match &mut self.counts {
            Counts::Counted(range) if range.has(bucket) => range.add(bucket, 1 << weight),
            _ => self.add_rarely(bucket, weight),
        }
    }

    /// Adds a time to the list, or the first time of an octave.
    #[inline(never)]
    fn add_rarely(&mut self, bucket: usize, weight: u32) {
        match &mut self.counts {
            Counts::Listed(list) => {
                if list.len() < list.capacity() || make_room(list) {
                    list.push(bucket as u16 | (weight as u16) << BUCKET_BITS);
                    return;
                }
                let mut range = self.range().into_owned();
                range.add(bucket, 1 << weight);
                self.counts = Counts::Counted(range);
            }
            Counts::Counted(range) => range.add(bucket, 1 << weight),
        }
    }

    fn range(&self) -> Cow<'_, Range> {
        match &self.counts {
            Counts::Counted(range) => Cow::Borrowed(range),
            Counts::Listed(list) => {
                let mut range = Range::default();
                for &time in list {
                    range.add(usize::from(time & BUCKETS), 1 << (time >> BUCKET_BITS));
                }
                Cow::Owned(range)
            }
        }
    }

    /// Fetches the place where a time near this one will be counted.
    #[inline]
    pub(crate) fn foresee(&self, time: Duration) {
        match &self.counts {
            Counts::Listed(list) => list.last().into_iter().for_each(fetch),
            Counts::Counted(range) => range
                .get(bucket(time.as_nanos()))
                .into_iter()
                .for_each(fetch),
        }
    }

    /// The time that a fraction `quantile` of the added times do not exceed. The result is the
    /// middle of its bucket, and so accurate to 1.6 %. `None` if nothing was added.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        self.quantiles([quantile])[0]
    }

    /// The times that these fractions of the added times do not exceed; the fractions must not
    /// decrease.
    pub fn quantiles<const N: usize>(&self, quantiles: [f64; N]) -> [Option<Duration>; N] {
        let range = self.range();
        let (mut chunk, mut before) = (0, 0);
        quantiles.map(|quantile| {
            let rank = ((quantile * self.total as f64).ceil() as u64).max(1);
            loop {
                let octave = range.counts.get(chunk..)?;
                let octave = &octave[..octave.len().min(OCTAVE)];
                let inside: u64 = octave.iter().map(|&count| u64::from(count)).sum();
                if octave.is_empty() {
                    return None;
                }
                if before + inside >= rank {
                    let mut seen = before;
                    let place = octave.iter().position(|&count| {
                        seen += u64::from(count);
                        seen >= rank
                    })?;
                    return Some(Duration::from_nanos(middle(range.first + chunk + place)));
                }
                before += inside;
                chunk += OCTAVE;
            }
        })
    }

    /// Adds all times of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if other.total == 0 {
            return;
        }
        if let Counts::Listed(_) = self.counts {
            self.counts = Counts::Counted(self.range().into_owned());
        }
        if let Counts::Counted(range) = &mut self.counts {
            range.merge(&other.range());
        }
        self.total += other.total;
    }
}

impl Range {
    fn get(&self, bucket: usize) -> Option<&u32> {
        self.counts.get(bucket.wrapping_sub(self.first))
    }

    #[inline]
    fn has(&self, bucket: usize) -> bool {
        bucket.wrapping_sub(self.first) < self.counts.len()
    }

    #[inline]
    fn add(&mut self, bucket: usize, times: u32) {
        match self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            Some(count) => *count += times,
            None => self.extend(bucket, times),
        }
    }

    #[cold]
    fn extend(&mut self, bucket: usize, times: u32) {
        self.cover(bucket);
        self.counts[bucket - self.first] += times;
    }

    fn merge(&mut self, other: &Self) {
        let Some(last) = other.counts.len().checked_sub(1) else {
            return;
        };
        self.cover(other.first);
        self.cover(other.first + last);
        let counts = &mut self.counts[other.first - self.first..];
        for (count, more) in counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
    }

    /// Makes room for a bucket and for those of its octave.
    fn cover(&mut self, bucket: usize) {
        let low = bucket & !(OCTAVE - 1);
        if self.counts.is_empty() {
            self.first = low;
        } else if low < self.first {
            let missing = self.first - low;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = low;
        }
        let end = low + OCTAVE - self.first;
        if end > self.counts.len() {
            self.counts.resize(end, 0);
        }
    }
}

/// Makes room for more times in a full list; returns false if their counts take no more memory than the list.
fn make_room(list: &mut Vec<u16>) -> bool {
    let more = match list.len() {
        ..LONG => list.len().max(FIRST),
        LONG..MOST_LISTED => STEP,
        MOST_LISTED.. => return false,
    };
    // The counts of two octaves take as much memory as 128 times.
    if list.len() == 2 * LONG {
        let (least, most) = list.iter().fold((BUCKETS, 0), |(least, most), time| {
            let bucket = time & BUCKETS;
            (bucket.min(least), bucket.max(most))
        });
        let octaves = usize::from(most) / OCTAVE - usize::from(least) / OCTAVE + 1;
        if octaves * OCTAVE * size_of::<u32>() <= list.len() * size_of::<u16>() {
            return false;
        }
    }
    list.reserve_exact(more);
    true
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

    /// Times are listed and then counted, and none is forgotten.
    #[test]
    fn listed_times_are_counted_as_the_others() {
        let mut histogram = Histogram::default();
        let mut sums = Range::default();
        let mut counted_from = None;
        for root in 1..=1000_u64 {
            let (time, weight) = (
                Duration::from_micros(root * root),
                3 * u32::from(root > 500),
            );
            histogram.add_times(time, weight);
            sums.add(bucket(time.as_nanos()), 1 << weight);
            match &histogram.counts {
                Counts::Listed(list) => assert!(list.capacity() <= MOST_LISTED),
                Counts::Counted(_) => counted_from = counted_from.or(Some(root)),
            }
            let range = histogram.range();
            assert_eq!((range.first, &range.counts), (sums.first, &sums.counts));
        }
        assert_eq!(histogram.total, 500 + 8 * 500);
        assert_eq!(bucket(u64::MAX) >> BUCKET_BITS, 0, "a bucket fits its bits");
        assert!(
            counted_from.is_some_and(|root| root == MOST_LISTED as u64 + 1),
            "{counted_from:?}"
        );
        // A ninth of the weight is at 250 ms or less.
        let median = histogram.quantile(0.1).unwrap().as_secs_f64();
        assert!((median - 0.2025).abs() < 0.007, "{median}");
    }

    /// Times of few octaves are counted as soon as that takes no more memory.
    #[test]
    fn the_first_times_take_little_memory() {
        let mut near = Histogram::default();
        for number in 0..256_u64 {
            near.add(Duration::from_millis(40 + number % 60));
            let bytes = match &near.counts {
                Counts::Listed(list) => 2 * list.capacity(),
                Counts::Counted(range) => 4 * range.counts.len(),
            };
            let least = 2 * (number as usize + 1);
            assert!(
                bytes <= 2 * least.max(8) && bytes <= 256,
                "{number}: {bytes}"
            );
        }
        assert!(matches!(near.counts, Counts::Counted(_)));
    }

    #[test]
    fn merged_histograms_are_those_of_all_times() {
        let times = |range: std::ops::Range<u64>| {
            let mut histogram = Histogram::default();
            range.for_each(|ms| histogram.add(Duration::from_millis(ms)));
            histogram
        };
        for (one, other) in [(1..400, 400..1001), (400..1001, 1..400), (0..0, 1..1001)] {
            let mut merged = times(one);
            merged.merge(&times(other));
            merged.merge(&Histogram::default());
            let quantiles = [0.05, 0.5, 0.5, 0.95, 1.0];
            let all = times(1..1001);
            assert_eq!(
                merged.quantiles(quantiles),
                quantiles.map(|q| all.quantile(q))
            );
        }
        assert_eq!(Histogram::default().quantiles([0.5, 0.9]), [None; 2]);
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
