//! Stalls: times in which the emulator did nothing although it was to be awake.
//!
//! A percentile over packets does not show them, because a stalled connection sends few.

use std::time::Duration;

use serde::Serialize;

/// Adds up the times between one look at the network and the next that were longer than planned.
#[derive(Clone, Debug)]
pub(crate) struct Stalls {
    worst: Duration,
    /// The time spent in gaps, by their length: four buckets for each power of two of nanoseconds.
    spent: [Duration; BUCKETS],
}

const BUCKETS: usize = 4 * 64;

/// The worst stall, and the part of the time that all of them took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stalled {
    /// The longest time in which the emulator did nothing although it was to be awake, in seconds.
    pub worst_s: f64,
    /// The part of the time, 0 to 1, in stalls longer than the tolerable lateness of a packet.
    pub share: f64,
}

impl Default for Stalls {
    fn default() -> Self {
        Self {
            worst: Duration::ZERO,
            spent: [Duration::ZERO; BUCKETS],
        }
    }
}

impl Stalls {
    /// Records a gap between two looks, beyond the sleep that was planned.
    pub(crate) fn add(&mut self, gap: Duration) {
        self.worst = self.worst.max(gap);
        self.spent[bucket(nanos(gap))] += gap;
    }

    /// Returns the worst stall, and the part of `elapsed` in stalls of at least `least`, within a quarter of
    /// it.
    pub(crate) fn summary(&self, least: Duration, elapsed: Duration) -> Stalled {
        let long = self.spent.iter().skip(bucket(nanos(least)));
        let spent: Duration = long.sum();
        Stalled {
            worst_s: self.worst.as_secs_f64(),
            share: spent.as_secs_f64() / elapsed.as_secs_f64().max(f64::MIN_POSITIVE),
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn bucket(nanos: u64) -> usize {
    let Some(power) = nanos.checked_ilog2() else {
        return 0;
    };
    let quarter = (u128::from(nanos) << 2 >> power) & 3;
    4 * power as usize + quarter as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_are_summed_by_time_and_not_by_number() {
        let mut stalls = Stalls::default();
        for _ in 0..1000 {
            stalls.add(Duration::from_micros(20));
        }
        stalls.add(Duration::from_millis(120));
        stalls.add(Duration::from_millis(60));
        let found = stalls.summary(Duration::from_micros(500), Duration::from_secs(2));
        assert!((found.worst_s - 0.120).abs() < 1e-9);
        assert!((found.share - 0.090).abs() < 1e-9);
    }

    #[test]
    fn a_time_is_in_the_bucket_of_its_quarter() {
        // 1024 to 1279 ns, 1280 to 1535 ns, and so on.
        assert_eq!(bucket(1279), bucket(1024));
        assert_eq!(bucket(1280), bucket(1024) + 1);
        assert_eq!(bucket(2047), bucket(1024) + 3);
        assert_eq!(bucket(0), 0);
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }
}
