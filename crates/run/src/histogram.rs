//! A histogram of times with a bounded relative error, for percentiles of round-trip times.

use std::ops::Range;

use dumbbell_control::units::Duration;
use dumbbell_sim::fetch;

/// Bits of a time after its leading one that a bucket distinguishes: 32 buckets per octave.
const PRECISION: u32 = 5;
/// The buckets of an octave.
const OCTAVE: usize = 1 << PRECISION;

/// Counts of times in buckets, 32 per octave.
///
/// At first there is a list of the few buckets in which there is a time: with many flows, histograms take much memory.
/// When the list is long, every bucket between the first octave and the last has a count of its own, which is found
/// faster.
#[derive(Clone, Debug)]
pub struct Histogram(Counts);

#[derive(Clone, Debug)]
enum Counts {
    /// Entries in any order, those of recent times at the front.
    Few(Box<[Entry]>),
    /// A count for each bucket from the first on, which begins an octave.
    Many { first: u32, counts: Box<[u32]> },
}

// A run has many flows.
const _: () = assert!(size_of::<Histogram>() <= 24);

/// A bucket, and how many of its times this entry counts, from 1 to 32; or [`Entry::FREE`]. A bucket may have several
/// entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u16);

impl Entry {
    const COUNT_BITS: u32 = 5;
    /// The largest count.
    const MOST: u32 = 1 << Self::COUNT_BITS;
    /// There are fewer buckets than this one would need.
    const FREE: Self = Self(u16::MAX);

    /// `times` is from 1 to [`Entry::MOST`].
    #[inline]
    fn new(bucket: usize, times: u32) -> Self {
        Self((bucket << Self::COUNT_BITS) as u16 + (times - 1) as u16)
    }

    #[inline]
    fn bucket(self) -> usize {
        usize::from(self.0 >> Self::COUNT_BITS)
    }

    #[inline]
    fn count(self) -> u32 {
        u32::from(self.0) % Self::MOST + 1
    }

    /// Returns whether it is of this bucket, and has room for `times` more.
    #[inline]
    fn takes(self, bucket: usize, times: u32) -> bool {
        let least = (bucket << Self::COUNT_BITS) as u16;
        u32::from(self.0.wrapping_sub(least)) + times < Self::MOST
    }
}

/// The lengths of the list of entries. Each fills the room that an allocator reserves for it.
const LENGTHS: [usize; 6] = [0, 12, 20, 36, 68, 132];
const LONGEST: usize = 132;

impl Default for Histogram {
    fn default() -> Self {
        Self(Counts::Few(Box::default()))
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
        let (bucket, times) = (bucket(time.as_nanos()), 1 << weight);
        match &mut self.0 {
            Counts::Many { first, counts } => {
                if let Some(count) = counts.get_mut(bucket.wrapping_sub(*first as usize)) {
                    *count = count.saturating_add(times);
                    return;
                }
            }
            // Times that follow each other are often alike.
            Counts::Few(entries) => {
                if let Some(entry) = entries.first_mut()
                    && times < Entry::MOST
                    && entry.takes(bucket, times)
                {
                    entry.0 += times as u16;
                    return;
                }
            }
        }
        self.add_rarely(bucket, times);
    }

    /// Adds to the rest of the list, or to a bucket for which there is no room yet.
    #[inline(never)]
    fn add_rarely(&mut self, bucket: usize, times: u32) {
        if let Counts::Few(entries) = &mut self.0
            && times < Entry::MOST
            && let Some(place) = entries
                .iter()
                .position(|entry| entry.takes(bucket, times) || *entry == Entry::FREE)
        {
            match &mut entries[place] {
                entry if *entry == Entry::FREE => *entry = Entry::new(bucket, times),
                entry => entry.0 += times as u16,
            }
            // What is often added to comes to the front.
            entries.swap(place, place / 4);
            return;
        }
        self.add_with_room(bucket, times);
    }

    /// Adds where there may be no room yet.
    #[cold]
    #[inline(never)]
    fn add_with_room(&mut self, bucket: usize, times: u32) {
        if let Counts::Few(entries) = &mut self.0
            && times < Entry::MOST
            && let Some(&longer) = LENGTHS.iter().find(|&&length| length > entries.len())
        {
            let mut more = std::mem::take(entries).into_vec();
            let place = more.len();
            more.reserve_exact(longer - place);
            more.resize(longer, Entry::FREE);
            more[place] = Entry::new(bucket, times);
            *entries = more.into();
            return;
        }
        let octave = bucket / OCTAVE;
        let (first, counts) = self.cover(octave..octave + 1);
        let count = &mut counts[bucket - first];
        *count = count.saturating_add(times);
    }

    /// Makes room for the times that are likely to follow many: from now on, buckets have counts of their own, and the
    /// octaves beside those that are present have room, too.
    #[cold]
    pub(crate) fn settle(&mut self) {
        if let Some(octaves) = self.span() {
            self.cover(octaves.start.saturating_sub(1)..octaves.end + 1);
        }
    }

    /// From now on, the buckets of these octaves, and of those between them and the others, have counts of their own.
    /// Returns the first bucket, and all counts.
    #[cold]
    fn cover(&mut self, octaves: Range<usize>) -> (usize, &mut [u32]) {
        let octaves = match self.span() {
            None => octaves,
            Some(own) => own.start.min(octaves.start)..own.end.max(octaves.end),
        };
        let (start, len) = (octaves.start * OCTAVE, octaves.len() * OCTAVE);
        if !matches!(&self.0, Counts::Many { counts, .. } if counts.len() == len) {
            let mut counts = vec![0_u32; len];
            for (bucket, count) in self.counts() {
                let sum = &mut counts[bucket - start];
                *sum = sum.saturating_add(count);
            }
            self.0 = Counts::Many {
                first: start as u32,
                counts: counts.into(),
            };
        }
        match &mut self.0 {
            Counts::Many { counts, .. } => (start, counts),
            Counts::Few(_) => (start, &mut []),
        }
    }

    /// Fetches the place where a time near this one will be counted.
    #[inline]
    pub(crate) fn foresee(&self, time: Duration) {
        match &self.0 {
            // All of it if it is short, and otherwise where the recent ones are.
            Counts::Few(entries) => fetch(entries.get(..LENGTHS[2]).unwrap_or(entries)),
            Counts::Many { first, counts } => {
                let place = bucket(time.as_nanos()).wrapping_sub(*first as usize);
                counts.get(place).into_iter().for_each(fetch);
            }
        }
    }

    /// The octaves from the first to the last that has room; `None` if there is none.
    fn span(&self) -> Option<Range<usize>> {
        match &self.0 {
            Counts::Few(entries) => {
                let octaves = taken(entries).map(|entry| entry.bucket() / OCTAVE);
                let (first, last) = (octaves.clone().min()?, octaves.max()?);
                Some(first..last + 1)
            }
            Counts::Many { first, counts } => {
                let first = *first as usize / OCTAVE;
                Some(first..first + counts.len() / OCTAVE)
            }
        }
    }

    /// Buckets and counts, in no order; a bucket may come several times.
    fn counts(&self) -> impl Iterator<Item = (usize, u32)> {
        let (entries, first, counts) = match &self.0 {
            Counts::Few(entries) => (&**entries, 0, &[][..]),
            Counts::Many { first, counts } => (&[][..], *first as usize, &**counts),
        };
        let listed = taken(entries).map(|entry| (entry.bucket(), entry.count()));
        listed.chain((first..).zip(counts.iter().copied()))
    }

    /// How many counts there is room for.
    #[cfg(test)]
    pub(crate) fn room(&self) -> usize {
        match &self.0 {
            Counts::Few(entries) => entries.len(),
            Counts::Many { counts, .. } => counts.len(),
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
        match &self.0 {
            Counts::Few(entries) => {
                let mut sorted = [Entry::FREE; LONGEST];
                let sorted = &mut sorted[..entries.len()];
                sorted.copy_from_slice(entries);
                sorted.sort_unstable();
                let counts = taken(sorted).map(|entry| (entry.bucket(), entry.count()));
                quantiles_of(counts, quantiles)
            }
            Counts::Many { first, counts } => {
                let counts = (*first as usize..).zip(counts.iter().copied());
                quantiles_of(counts, quantiles)
            }
        }
    }

    /// Adds all times of another histogram.
    pub fn merge(&mut self, other: &Self) {
        let Some(octaves) = other.span() else {
            return;
        };
        let (start, counts) = self.cover(octaves);
        for (bucket, more) in other.counts() {
            let count = &mut counts[bucket - start];
            *count = count.saturating_add(more);
        }
    }
}

/// The entries that count times.
fn taken(entries: &[Entry]) -> impl Iterator<Item = Entry> + Clone {
    let entries = entries.iter().copied();
    entries.filter(|&entry| entry != Entry::FREE)
}

/// The quantiles of times in these buckets, in ascending order, and as often as the counts say.
fn quantiles_of<const N: usize>(
    counts: impl Iterator<Item = (usize, u32)> + Clone,
    quantiles: [f64; N],
) -> [Option<Duration>; N] {
    let total: u64 = counts.clone().map(|(_, count)| u64::from(count)).sum();
    let (mut counts, mut seen, mut last) = (counts, 0, None);
    quantiles.map(|quantile| {
        let rank = ((quantile * total as f64).ceil() as u64).max(1);
        while seen < rank {
            let (bucket, count) = counts.next()?;
            seen += u64::from(count);
            last = Some(bucket);
        }
        last.map(|bucket| Duration::from_nanos(middle(bucket)))
    })
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

    fn counts(histogram: &Histogram) -> Vec<u32> {
        let mut counts = vec![0; 2048];
        for (bucket, count) in histogram.counts() {
            counts[bucket] += count;
        }
        counts
    }

    fn is_listed(histogram: &Histogram) -> bool {
        matches!(histogram.0, Counts::Few(_))
    }

    /// A list becomes an array, and no time is forgotten.
    #[test]
    fn times_that_are_listed_are_kept_when_the_list_is_too_long() {
        let mut histogram = Histogram::default();
        let mut expected = vec![0_u32; 2048];
        let mut listed = 0;
        for number in 1..=3000_u64 {
            // Few buckets often, and then more and more, up and down.
            let root = match number {
                ..1000 => 900 + number % 20 * 5,
                _ if number % 2 == 0 => number,
                _ => 3001 - number,
            };
            let (time, weight) = (
                Duration::from_micros(root * root),
                3 * u32::from(number % 7 == 0),
            );
            histogram.add_times(time, weight);
            expected[bucket(time.as_nanos())] += 1 << weight;
            listed += u64::from(is_listed(&histogram));
            assert!(counts(&histogram) == expected, "{number}");
        }
        assert!((1000..2000).contains(&listed), "{listed}");
        histogram.add_times(Duration::from_nanos(1), 12);
        expected[bucket(1)] += 1 << 12;
        assert!(counts(&histogram) == expected);
    }

    /// 33 times do not fit an entry of 32; four that count eight times do, with none to spare.
    #[test]
    fn a_full_entry_is_followed_by_another() {
        let ms = Duration::from_millis;
        let mut histogram = Histogram::default();
        (0..33).for_each(|_| histogram.add(ms(40)));
        (0..4).for_each(|_| histogram.add_times(ms(80), 3));
        histogram.add(ms(80));
        let entries = || histogram.counts().map(|(_, count)| count);
        assert_eq!((entries().count(), entries().sum::<u32>()), (4, 66));
        assert_eq!(entries().filter(|&count| count == 32).count(), 2);
        // The 33rd of 66 is the last of the short ones.
        let [half, more] = histogram.quantiles([0.5, 0.51]);
        assert!(half.unwrap() < ms(41) && more.unwrap() > ms(78));
    }

    /// 255 times of 1 us have 8 entries, and 255 of 40 to 99 ms at most 60: one for each of the 60, which comes five
    /// times at most.
    #[test]
    fn the_first_times_take_little_memory() {
        let mut histogram = Histogram::default();
        for number in 0..255_u64 {
            histogram.add(Duration::from_nanos(1024));
            histogram.add(Duration::from_millis(40 + number % 60));
        }
        assert!(is_listed(&histogram));
        assert!(histogram.room() <= 68, "{}", histogram.room());
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
