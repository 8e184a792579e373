//! How long packets wait in a queue that holds them.

use crate::time::Time;

/// How long packets waited in the queue of a link: from their arrival until their transmission started.
/// Packets that were dropped or removed do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sojourn {
    /// The number of packets that were transmitted.
    pub packets: u64,
    /// The mean, in seconds.
    pub mean: f64,
    /// The time that half of the packets did not exceed, within 0.8 %.
    pub p50: Time,
    /// The time that 95 % of the packets did not exceed, within 0.8 %.
    pub p95: Time,
    /// The time that 99 % of the packets did not exceed, within 0.8 %.
    pub p99: Time,
    /// The longest.
    pub max: Time,
}

/// The times that packets have waited, and apart from them those since a reading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sojourns {
    times: Times,
    /// Those of packets that start after the moment of an expected reading.
    later: Option<(u64, Box<Times>)>,
    /// Whether that moment is over.
    passed: bool,
    /// Those of packets with ECT(1) or CE, if these have a queue of their own.
    l4s: Option<Box<Self>>,
}

/// Times in buckets of 1/64 of an octave.
#[derive(Clone, Debug, Default)]
struct Times {
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    max: u64,
}

/// Bits of a time after its leading one that buckets distinguish.
const PRECISION: u32 = 6;

impl Sojourns {
    /// Nothing yet; `separate` is whether packets with ECT(1) or CE are also measured apart.
    pub fn new(separate: bool) -> Self {
        Self {
            l4s: separate.then(Box::default),
            ..Self::default()
        }
    }

    /// Adds a packet that arrived at one moment and starts at another; `l4s` is whether it carries ECT(1) or CE.
    #[inline(always)]
    pub fn add(&mut self, arrived: u64, start: u64, l4s: bool) {
        if let Some(apart) = &mut self.l4s
            && l4s
        {
            apart.times_at(start).add(start - arrived);
        }
        self.times_at(start).add(start - arrived);
    }

    /// Returns where what starts at this moment is counted.
    #[inline]
    fn times_at(&mut self, start: u64) -> &mut Times {
        match &mut self.later {
            Some((moment, later)) if start > *moment => later,
            _ => &mut self.times,
        }
    }

    /// Counts apart what starts after this moment, which is ahead.
    pub fn expect_reading(&mut self, moment: u64) {
        if let Some(apart) = &mut self.l4s {
            apart.expect_reading(moment);
        }
        if let Some((_, later)) = self.later.take() {
            self.times.add_all(&later);
        }
        self.later = Some((moment, Box::default()));
        self.passed = false;
    }

    /// The moment of the reading is over.
    pub fn pass_reading(&mut self) {
        if let Some(apart) = &mut self.l4s {
            apart.pass_reading();
        }
        self.passed = true;
    }

    /// Returns the times of packets with ECT(1) or CE, if these have a queue of their own.
    pub fn l4s(&self) -> Option<&Self> {
        self.l4s.as_deref()
    }

    /// Returns the summary up to the present; `None` if no packet has started.
    pub fn summary(&self) -> Option<Sojourn> {
        match &self.later {
            Some((_, later)) if self.passed => {
                let mut all = self.times.clone();
                all.add_all(later);
                all.summary()
            }
            _ => self.times.summary(),
        }
    }

    /// Returns the summary since the reading; `None` if there was no reading, or no packet has started.
    pub fn since_reading(&self) -> Option<Sojourn> {
        let (_, later) = self.later.as_ref()?;
        later.summary()
    }
}

impl Times {
    #[inline(always)]
    fn add(&mut self, time: u64) {
        let bucket = bucket(time);
        match self.counts.get_mut(bucket) {
            Some(count) => *count += 1,
            None => self.add_first(bucket),
        }
        self.total += 1;
        self.sum += u128::from(time);
        self.max = self.max.max(time);
    }

    /// Adds the first time in a bucket beyond all others.
    #[cold]
    #[inline(never)]
    fn add_first(&mut self, bucket: usize) {
        self.counts.resize(bucket + 1, 0);
        self.counts[bucket] = 1;
    }

    fn add_all(&mut self, other: &Self) {
        let buckets = self.counts.len().max(other.counts.len());
        self.counts.resize(buckets, 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    fn summary(&self) -> Option<Sojourn> {
        (self.total > 0).then(|| Sojourn {
            packets: self.total,
            mean: self.sum as f64 / self.total as f64 / 1e9,
            p50: self.percentile(50),
            p95: self.percentile(95),
            p99: self.percentile(99),
            max: Time::from_nanos(self.max),
        })
    }

    /// Returns the middle of the bucket of the time that so many percent do not exceed.
    fn percentile(&self, percent: u128) -> Time {
        let rank = (u128::from(self.total) * percent).div_ceil(100);
        let mut below = 0;
        let reaches = |&count: &u64| {
            below += u128::from(count);
            below >= rank
        };
        let bucket = self.counts.iter().position(reaches).unwrap_or(0);
        Time::from_nanos(middle(bucket).min(self.max))
    }
}

/// Returns the number of the bucket of a time.
#[inline]
fn bucket(time: u64) -> usize {
    let octave = (time | 1 << PRECISION).ilog2() - PRECISION;
    ((octave as usize) << PRECISION) + (time >> octave) as usize
}

/// Returns the middle of a bucket.
fn middle(bucket: usize) -> u64 {
    let octave = (bucket >> PRECISION).saturating_sub(1) as u32;
    let first = (bucket as u64 - (u64::from(octave) << PRECISION)) << octave;
    first + (1_u64 << octave) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_one_another_and_contain_their_middles() {
        let times = (0..5_000).chain([1 << 20, (1 << 20) + 1, u64::MAX - 1, u64::MAX]);
        let mut last = 0;
        for time in times {
            let bucket = bucket(time);
            assert!(bucket == last || bucket == last + 1 || time > 5_000);
            last = bucket;
            let off = middle(bucket).abs_diff(time);
            assert!(off <= time / 128 + 1, "{time}: {off}");
        }
    }

    /// The times 1 to 100 ms: half are up to 50 ms; the nearest rank.
    #[test]
    fn percentiles_of_a_hundred_times() {
        let mut sojourns = Sojourns::default();
        assert_eq!(sojourns.summary(), None);
        for ms in (1..=100).rev() {
            sojourns.add(7, 7 + ms * 1_000_000, false);
        }
        let found = sojourns.summary().unwrap();
        assert_eq!((found.packets, found.max), (100, Time::from_millis(100)));
        assert!((found.mean - 0.0505).abs() < 1e-12);
        for (found, ms) in [(found.p50, 50), (found.p95, 95), (found.p99, 99)] {
            let off = found.as_nanos().abs_diff(ms * 1_000_000);
            assert!(off <= ms * 8_000, "{ms}: {found:?}");
        }
    }

    #[test]
    fn packets_with_a_queue_of_their_own_are_measured_apart() {
        let mut sojourns = Sojourns::new(true);
        sojourns.add(0, 500, false);
        sojourns.add(0, 20, true);
        sojourns.expect_reading(1_000);
        sojourns.add(1_000, 1_030, true);
        sojourns.pass_reading();
        assert_eq!(sojourns.summary().map(|all| all.packets), Some(3));
        let l4s = sojourns.l4s().unwrap();
        assert_eq!(l4s.summary().map(|all| all.packets), Some(2));
        assert_eq!(
            l4s.since_reading().map(|all| all.max),
            Some(Time::from_nanos(30))
        );
        assert!(Sojourns::new(false).l4s().is_none());
    }

    #[test]
    fn what_starts_after_a_reading_is_also_counted_apart() {
        let mut sojourns = Sojourns::default();
        let (packets, max) = (|s: Sojourn| s.packets, |s: Sojourn| s.max.as_nanos());
        sojourns.add(0, 500, false);
        sojourns.expect_reading(1_000);
        sojourns.add(900, 1_000, false);
        sojourns.add(1_000, 1_020, false);
        assert_eq!(sojourns.summary().map(packets), Some(2));
        sojourns.pass_reading();
        sojourns.add(1_000, 1_040, false);
        assert_eq!(sojourns.summary().map(packets), Some(4));
        assert_eq!(sojourns.summary().map(max), Some(500));
        let since = sojourns.since_reading().unwrap();
        assert_eq!((packets(since), max(since)), (2, 40));
        assert_eq!(since.p50, Time::from_nanos(20));
    }
}
