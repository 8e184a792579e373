//! A histogram of times with a bounded relative error, for percentiles of round-trip times.

use dumbbell_control::units::Duration;
use dumbbell_sim::fetch;

/// Bits of a time after its leading one that a bucket distinguishes: 32 buckets per octave.
const PRECISION: u32 = 5;
/// The buckets of an octave.
const OCTAVE: usize = 1 << PRECISION;

/// Counts of times in buckets, 32 per octave. Only octaves in which there is a time take memory.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Counts,
}

#[derive(Clone, Debug)]
enum Counts {
    /// While no count exceeds a byte: with many flows, histograms take much memory.
    Few(Octaves<u8>),
    Many(Box<Octaves<u32>>),
}

/// The counts of some octaves.
#[derive(Clone, Debug, Default)]
struct Octaves<T> {
    /// A bit for each octave that has counts.
    present: u64,
    /// Their counts, in ascending order.
    counts: Box<[T]>,
}

impl Default for Counts {
    fn default() -> Self {
        Self::Few(Octaves::default())
    }
}

impl Histogram {
    /// Adds a time.
    #[inline]
    pub fn add(&mut self, time: Duration) {
        self.add_times(time, 0);
    }

    /// Adds a time that counts 2^`weight` times; `weight` is below 32.
    #[inline]
    pub(crate) fn add_times(&mut self, time: Duration, weight: u32) {
        let bucket = bucket(time.as_nanos());
        if let Counts::Many(octaves) = &mut self.counts
            && let Some(count) = octaves.get_mut(bucket)
        {
            *count = count.saturating_add(1 << weight);
        } else {
            self.add_rarely(bucket, weight);
        }
    }

    /// Adds a time to small counts, or the first time of an octave.
    #[inline(never)]
    fn add_rarely(&mut self, bucket: usize, weight: u32) {
        if let Counts::Few(octaves) = &mut self.counts {
            let count = octaves.at(bucket);
            if let Some(sum) = u8::try_from(1_u32 << weight)
                .ok()
                .and_then(|times| count.checked_add(times))
            {
                *count = sum;
                return;
            }
        }
        let count = self.many().at(bucket);
        *count = count.saturating_add(1 << weight);
    }

    /// The counts, from now on in four bytes each.
    fn many(&mut self) -> &mut Octaves<u32> {
        if let Counts::Few(few) = &self.counts {
            self.counts = Counts::Many(Box::new(Octaves {
                present: few.present,
                counts: few.counts.iter().copied().map(u32::from).collect(),
            }));
        }
        match &mut self.counts {
            Counts::Many(many) => many,
            Counts::Few(_) => unreachable!("they have just been changed"),
        }
    }

    /// Fetches the place where a time near this one will be counted.
    #[inline]
    pub(crate) fn foresee(&self, time: Duration) {
        let bucket = bucket(time.as_nanos());
        match &self.counts {
            Counts::Few(octaves) => octaves.get(bucket).into_iter().for_each(fetch),
            Counts::Many(octaves) => octaves.get(bucket).into_iter().for_each(fetch),
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
        match &self.counts {
            Counts::Few(octaves) => octaves.quantiles(quantiles),
            Counts::Many(octaves) => octaves.quantiles(quantiles),
        }
    }

    /// Adds all times of another histogram.
    pub fn merge(&mut self, other: &Self) {
        match &other.counts {
            Counts::Few(octaves) if octaves.present == 0 => {}
            Counts::Few(octaves) => self.many().merge(octaves),
            Counts::Many(octaves) => self.many().merge(octaves),
        }
    }
}

impl<T: Copy + Default + Into<u32>> Octaves<T> {
    /// The place of a bucket among the counts, if its octave is present.
    #[inline]
    fn place(&self, bucket: usize) -> Option<usize> {
        let bit = 1 << (bucket / OCTAVE);
        let before = (self.present & (bit - 1)).count_ones() as usize;
        (self.present & bit != 0).then_some(before * OCTAVE + bucket % OCTAVE)
    }

    #[inline]
    fn get(&self, bucket: usize) -> Option<&T> {
        self.counts.get(self.place(bucket)?)
    }

    #[inline]
    fn get_mut(&mut self, bucket: usize) -> Option<&mut T> {
        let place = self.place(bucket)?;
        self.counts.get_mut(place)
    }

    /// The count of a bucket; makes room for its octave.
    fn at(&mut self, bucket: usize) -> &mut T {
        if self.place(bucket).is_none() {
            self.insert(bucket / OCTAVE);
        }
        let place = self.place(bucket).unwrap_or_default();
        &mut self.counts[place]
    }

    #[cold]
    fn insert(&mut self, octave: usize) {
        self.present |= 1 << octave;
        let at = self.place(octave * OCTAVE).unwrap_or_default();
        let mut counts = std::mem::take(&mut self.counts).into_vec();
        counts.reserve_exact(OCTAVE);
        counts.splice(at..at, [T::default(); OCTAVE]);
        self.counts = counts.into();
    }

    /// The octaves that are present, and their counts.
    fn iter(&self) -> impl Iterator<Item = (usize, &[T])> {
        let octaves = (0..u64::BITS as usize).filter(|octave| self.present >> octave & 1 == 1);
        octaves.zip(self.counts.chunks_exact(OCTAVE))
    }

    fn quantiles<const N: usize>(&self, quantiles: [f64; N]) -> [Option<Duration>; N] {
        let sum =
            |counts: &[T]| -> u64 { counts.iter().map(|&count| u64::from(count.into())).sum() };
        let total = sum(&self.counts);
        let (mut octaves, mut before) = (self.iter().peekable(), 0);
        quantiles.map(|quantile| {
            let rank = ((quantile * total as f64).ceil() as u64).max(1);
            loop {
                let &(octave, counts) = octaves.peek()?;
                let inside = sum(counts);
                if before + inside >= rank {
                    let mut seen = before;
                    let place = counts.iter().position(|&count| {
                        seen += u64::from(count.into());
                        seen >= rank
                    })?;
                    return Some(Duration::from_nanos(middle(octave * OCTAVE + place)));
                }
                before += inside;
                octaves.next();
            }
        })
    }
}

impl Octaves<u32> {
    fn merge<T: Copy + Default + Into<u32>>(&mut self, other: &Octaves<T>) {
        for (octave, counts) in other.iter() {
            let first = octave * OCTAVE;
            for (bucket, &more) in (first..).zip(counts) {
                let count = self.at(bucket);
                *count = count.saturating_add(more.into());
            }
        }
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
        // Without an end to the octaves, an empty histogram would be searched for ever.
        assert_eq!(Histogram::default().quantiles([0.0, 1.0]), [None; 2]);
    }

    /// Small counts become large ones, and none is forgotten.
    #[test]
    fn counts_that_no_longer_fit_a_byte_are_kept() {
        let mut histogram = Histogram::default();
        let mut counts = [0_u32; 2048];
        let mut counted_from = None;
        for root in 1..=3000_u64 {
            let (time, weight) = (
                Duration::from_micros(root * root),
                3 * u32::from(root > 2000),
            );
            histogram.add_times(time, weight);
            counts[bucket(time.as_nanos())] += 1 << weight;
            if let Counts::Many(_) = &histogram.counts {
                counted_from = counted_from.or(Some(root));
            }
            for (number, &count) in counts.iter().enumerate() {
                let found = match &histogram.counts {
                    Counts::Few(few) => few.get(number).copied().map(u32::from),
                    Counts::Many(many) => many.get(number).copied(),
                };
                assert_eq!(found.unwrap_or_default(), count, "{root}");
            }
        }
        assert!(
            counted_from.is_some_and(|root| root > 2000),
            "{counted_from:?}"
        );
        // A fifth of the weight is at 4 s or less.
        let fifth = histogram.quantile(0.2).unwrap().as_secs_f64();
        assert!((fifth - 4.0).abs() < 0.07, "{fifth}");
    }

    /// Octaves without a time take no memory: the delays of an idle path, and those of a full queue.
    #[test]
    fn the_first_times_take_little_memory() {
        assert_eq!(size_of::<Histogram>(), 24);
        let mut apart = Histogram::default();
        for number in 0..256_u64 {
            apart.add(Duration::from_nanos(1024));
            apart.add(Duration::from_millis(40 + number % 60));
            let octaves = 3.min(2 + usize::from(number > 27));
            match &apart.counts {
                Counts::Few(few) => assert!(few.counts.len() <= octaves * OCTAVE),
                Counts::Many(many) => assert_eq!((number, many.counts.len()), (255, 3 * OCTAVE)),
            }
        }
        assert!(matches!(apart.counts, Counts::Many(_)));
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
