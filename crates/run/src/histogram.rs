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
/// At first a count takes a byte, and only octaves in which there is a time take memory: with many flows, histograms take
/// much of it. When a count no longer fits, all take four bytes, of all octaves from the first to the last, which are
/// found faster.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// With bytes: a bit for each octave that has counts. With words: [`WORDS`] and the first bucket.
    range: u64,
    /// Four bytes, or one word, in each element.
    counts: Box<[u32]>,
}

/// In the range of a histogram: its counts are words. There are 60 octaves, so it is none of their bits.
const WORDS: u64 = 1 << 63;
/// The bytes of an element.
const PACKED: usize = size_of::<u32>();

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
        match self.counts.get_mut(place_of_word(self.range, bucket)) {
            Some(count) => *count = count.saturating_add(1 << weight),
            None => self.add_rarely(bucket, 1 << weight),
        }
    }

    /// Adds to a byte, or to a bucket for which there is no room yet.
    #[inline(never)]
    fn add_rarely(&mut self, bucket: usize, times: u32) {
        let octave = 1 << (bucket / OCTAVE);
        if self.range & (WORDS | octave) == octave {
            let (place, shift) = place_of_byte(self.range, bucket);
            if let Some(element) = self.counts.get_mut(place)
                && (*element >> shift & 0xff) + times <= 0xff
            {
                *element += times << shift;
                return;
            }
        }
        self.add_with_room(bucket, times);
    }

    /// Adds where there may be no room yet: neither for the bucket nor in its byte.
    #[cold]
    #[inline(never)]
    fn add_with_room(&mut self, bucket: usize, times: u32) {
        if self.range & WORDS == 0 {
            if self.add_to_byte(bucket, times) {
                return;
            }
            self.widen();
        }
        let octave = bucket / OCTAVE;
        self.cover(octave..octave + 1);
        let place = place_of_word(self.range, bucket);
        self.counts[place] = self.counts[place].saturating_add(times);
    }

    /// Returns false if the sum does not fit.
    fn add_to_byte(&mut self, bucket: usize, times: u32) -> bool {
        if self.range >> (bucket / OCTAVE) & 1 == 0 {
            self.insert(bucket / OCTAVE);
        }
        let (place, shift) = place_of_byte(self.range, bucket);
        let Some(element) = self.counts.get_mut(place) else {
            return false;
        };
        let fits = (*element >> shift & 0xff) + times.min(0x100) <= 0xff;
        if fits {
            *element += times << shift;
        }
        fits
    }

    /// Makes room for the bytes of an octave.
    #[cold]
    fn insert(&mut self, octave: usize) {
        let (at, _) = place_of_byte(self.range, octave * OCTAVE);
        self.range |= 1 << octave;
        let mut counts = std::mem::take(&mut self.counts).into_vec();
        counts.reserve_exact(OCTAVE / PACKED);
        counts.splice(at..at, [0; OCTAVE / PACKED]);
        self.counts = counts.into();
    }

    /// Makes room for the times that are likely to follow many: from now on, counts are words, and the octaves
    /// beside those that are present have room, too.
    #[cold]
    pub(crate) fn settle(&mut self) {
        if self.range & WORDS == 0 {
            self.widen();
        }
        if let Some(octaves) = self.span() {
            self.cover(octaves.start.saturating_sub(1)..octaves.end + 1);
        }
    }

    /// From now on, counts are words.
    #[cold]
    fn widen(&mut self) {
        let first = self.range.trailing_zeros() as usize;
        let last = self.range.checked_ilog2().unwrap_or_default() as usize;
        let mut words = vec![0; (last + 1).saturating_sub(first) * OCTAVE];
        for (octave, counts) in self.octaves() {
            let words = words[(octave - first) * OCTAVE..].iter_mut();
            words
                .zip(counts.iter())
                .for_each(|(word, count)| *word = count);
        }
        self.range = WORDS | (first.min(last) * OCTAVE) as u64;
        self.counts = words.into();
    }

    /// Makes room for the words of these octaves, and of those between them and the others.
    #[cold]
    fn cover(&mut self, octaves: Range<usize>) {
        let first = (self.range & !WORDS) as usize;
        let (low, high) = (octaves.start * OCTAVE, octaves.end * OCTAVE);
        let (start, end) = match self.counts.len() {
            0 => (low, high),
            len => (first.min(low), (first + len).max(high)),
        };
        if end - start > self.counts.len() {
            let mut counts = vec![0; end - start];
            counts[first.max(start) - start..][..self.counts.len()].copy_from_slice(&self.counts);
            self.counts = counts.into();
            self.range = WORDS | start as u64;
        }
    }

    /// Fetches the place where a time near this one will be counted.
    #[inline]
    pub(crate) fn foresee(&self, time: Duration) {
        let bucket = bucket(time.as_nanos());
        let count = match self.range & WORDS {
            0 => self.counts.get(place_of_byte(self.range, bucket).0),
            _ => self.counts.get(place_of_word(self.range, bucket)),
        };
        count.into_iter().for_each(fetch);
    }

    /// The octaves from the first to the last that has room.
    fn span(&self) -> Option<Range<usize>> {
        if self.counts.is_empty() {
            return None;
        }
        Some(match self.range & WORDS {
            0 => self.range.trailing_zeros() as usize..self.range.ilog2() as usize + 1,
            _ => {
                let first = (self.range & !WORDS) as usize / OCTAVE;
                first..first + self.counts.len() / OCTAVE
            }
        })
    }

    /// The octaves that have room, in ascending order, and their counts.
    fn octaves(&self) -> impl Iterator<Item = (usize, Counts<'_>)> {
        let words = self.range & WORDS != 0;
        let present = if words { u64::MAX } else { self.range };
        let octaves = self.span().unwrap_or_default();
        let octaves = octaves.filter(move |octave| present >> octave & 1 == 1);
        let size = if words { OCTAVE } else { OCTAVE / PACKED };
        octaves.zip(self.counts.chunks_exact(size).map(move |elements| {
            if words {
                Counts::Words(elements)
            } else {
                Counts::Bytes(elements)
            }
        }))
    }

    /// How many elements there is room for.
    #[cfg(test)]
    pub(crate) fn room(&self) -> usize {
        self.counts.len()
    }

    /// The time that a fraction `quantile` of the added times do not exceed. The result is the
    /// middle of its bucket, and so accurate to 1.6 %. `None` if nothing was added.
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        self.quantiles([quantile])[0]
    }

    /// The times that these fractions of the added times do not exceed; the fractions must not
    /// decrease.
    pub fn quantiles<const N: usize>(&self, quantiles: [f64; N]) -> [Option<Duration>; N] {
        let total: u64 = self.octaves().map(|(_, counts)| counts.sum()).sum();
        let (mut octaves, mut before) = (self.octaves().peekable(), 0);
        quantiles.map(|quantile| {
            let rank = ((quantile * total as f64).ceil() as u64).max(1);
            loop {
                let &(octave, counts) = octaves.peek()?;
                let inside = counts.sum();
                if before + inside >= rank {
                    let mut seen = before;
                    let place = counts.iter().position(|count| {
                        seen += u64::from(count);
                        seen >= rank
                    })?;
                    return Some(Duration::from_nanos(middle(octave * OCTAVE + place)));
                }
                before += inside;
                octaves.next();
            }
        })
    }

    /// Adds all times of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if other.counts.is_empty() {
            return;
        }
        if self.range & WORDS == 0 {
            self.widen();
        }
        if let Some(octaves) = other.span() {
            self.cover(octaves);
        }
        for (octave, counts) in other.octaves() {
            let place = place_of_word(self.range, octave * OCTAVE);
            counts.add_to(&mut self.counts[place..]);
        }
    }
}

/// The counts of an octave.
#[derive(Clone, Copy)]
enum Counts<'h> {
    Bytes(&'h [u32]),
    Words(&'h [u32]),
}

impl Counts<'_> {
    fn sum(self) -> u64 {
        match self {
            Self::Bytes(elements) => {
                // Two sums side by side; neither exceeds 8 times 510.
                let pairs = |all: u32| (all & 0x00ff_00ff) + (all >> 8 & 0x00ff_00ff);
                let sums: u32 = elements.iter().map(|&element| pairs(element)).sum();
                u64::from(sums & 0xffff) + u64::from(sums >> 16)
            }
            Self::Words(elements) => elements.iter().map(|&count| u64::from(count)).sum(),
        }
    }

    /// Adds them to the words of the same octave.
    fn add_to(self, words: &mut [u32]) {
        match self {
            Self::Bytes(elements) => {
                let words = words.chunks_exact_mut(PACKED).zip(elements);
                // Most are empty.
                for (words, element) in words.filter(|&(_, &element)| element != 0) {
                    for (word, more) in words.iter_mut().zip(element.to_le_bytes()) {
                        *word = word.saturating_add(more.into());
                    }
                }
            }
            Self::Words(elements) => {
                for (word, &more) in words.iter_mut().zip(elements) {
                    *word = word.saturating_add(more);
                }
            }
        }
    }

    fn iter(self) -> impl Iterator<Item = u32> {
        (0..OCTAVE).map(move |place| match self {
            Self::Bytes(elements) => elements[place / PACKED] >> shift_of_byte(place) & 0xff,
            Self::Words(elements) => elements[place],
        })
    }
}

/// The element of a bucket whose count is a word; none of any histogram if the range is that of bytes.
#[inline]
fn place_of_word(range: u64, bucket: usize) -> usize {
    usize::try_from((WORDS | bucket as u64).wrapping_sub(range)).unwrap_or(usize::MAX)
}

/// The element of a bucket whose count is a byte, and the bits below it there.
#[inline]
fn place_of_byte(range: u64, bucket: usize) -> (usize, u32) {
    // Few octaves are present, and not every processor counts bits in one instruction.
    let mut below = range & ((1_u64 << (bucket / OCTAVE)) - 1);
    let mut place = bucket % OCTAVE;
    while below != 0 {
        below &= below - 1;
        place += OCTAVE;
    }
    (place / PACKED, shift_of_byte(place))
}

#[inline]
fn shift_of_byte(place: usize) -> u32 {
    (place % PACKED) as u32 * u8::BITS
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
        for (octave, found) in histogram.octaves() {
            let counts = counts[octave * OCTAVE..].iter_mut();
            counts
                .zip(found.iter())
                .for_each(|(count, found)| *count = found);
        }
        counts
    }

    /// Bytes become words, and no time is forgotten.
    #[test]
    fn counts_that_no_longer_fit_a_byte_are_kept() {
        let mut histogram = Histogram::default();
        let mut expected = vec![0_u32; 2048];
        let mut words_from = None;
        for root in 1..=3000_u64 {
            // From the last octaves to the first, and back.
            let root = if root < 1000 { 1000 - root } else { root };
            let (time, weight) = (
                Duration::from_micros(root * root),
                3 * u32::from(root > 2000),
            );
            histogram.add_times(time, weight);
            expected[bucket(time.as_nanos())] += 1 << weight;
            if histogram.range & WORDS != 0 {
                words_from = words_from.or(Some(root));
            }
            assert!(counts(&histogram) == expected, "{root}");
        }
        assert!(words_from.is_some_and(|root| root > 2000), "{words_from:?}");
        histogram.add_times(Duration::from_nanos(1), 12);
        expected[bucket(1)] += 1 << 12;
        assert!(counts(&histogram) == expected);
    }

    /// Octaves without a time take no memory: the delays of an idle path, and those of a full queue.
    #[test]
    fn the_first_times_take_little_memory() {
        assert_eq!(size_of::<Histogram>(), 24);
        let mut apart = Histogram::default();
        for number in 0..255_u64 {
            apart.add(Duration::from_nanos(1024));
            apart.add(Duration::from_millis(40 + number % 60));
            assert!(size_of_val(&*apart.counts) <= 3 * OCTAVE);
        }
        assert_eq!(apart.range & WORDS, 0);
        apart.add(Duration::from_nanos(1024));
        assert_eq!(apart.range & WORDS, WORDS);
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
