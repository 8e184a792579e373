//! Schedules of delivery opportunities: links whose rate varies as it was recorded.
//!
//! At each opportunity a link may send a fixed number of bytes, all at once. The part of an opportunity
//! for which no bytes are waiting is wasted. Several small packets share an opportunity, and a packet
//! that does not fit into the rest of one continues in the next. The schedule restarts at its last time
//! and repeats for ever. This is what Mahimahi replays (Netravali et al., "Mahimahi: Accurate
//! Record-and-Replay for HTTP", 2015, section 4; traces as in Winstein, Sivaraman and Balakrishnan,
//! "Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks", 2013, section
//! 4).
//!
//! *Readings.* A packet that arrives exactly at the time of an opportunity is too late for it, as in
//! Mahimahi. Therefore an opportunity at time zero is wasted in the first round. A packet departs at the
//! opportunity that takes its last byte; its transmission starts at the one that takes its first byte.

mod transmitter;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::time::Time;

pub(crate) use self::transmitter::Transmitter;

/// When a link may send, and how much each time. Clones share the schedule.
#[derive(Clone, PartialEq, Eq)]
pub struct Opportunities {
    /// In nanoseconds, in non-decreasing order. The last one is the period and is above zero.
    times: Arc<[u64]>,
    /// How many of them are zero.
    zeros: usize,
    bytes: u32,
}

/// Why a list of times is not a schedule of opportunities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpportunitiesError {
    /// There is no opportunity.
    Empty,
    /// A time is earlier than the one before it.
    Backwards {
        /// The position of the earlier time, counted from zero.
        index: usize,
    },
    /// The last time, at which the schedule restarts, is zero.
    NoPeriod,
    /// The last time is nine years (2^58 ns) or later.
    TooLong,
    /// An opportunity has zero bytes.
    NoBytes,
}

impl Opportunities {
    /// Makes a schedule with opportunities at these times of each round, for `bytes` bytes each (at
    /// least 1). Several opportunities may be at the same time. The last time is the period: above zero
    /// and below 2^58 ns.
    ///
    /// # Errors
    ///
    /// If there is no opportunity, times decrease, the period is out of range, or `bytes` is zero.
    pub fn new(
        times: impl IntoIterator<Item = Time>,
        bytes: u32,
    ) -> Result<Self, OpportunitiesError> {
        let times: Arc<[u64]> = times.into_iter().map(Time::as_nanos).collect();
        if let Some(index) = (1..times.len()).find(|&index| times[index] < times[index - 1]) {
            return Err(OpportunitiesError::Backwards { index });
        }
        match times.last() {
            None => Err(OpportunitiesError::Empty),
            Some(0) => Err(OpportunitiesError::NoPeriod),
            Some(&period) if period >= 1 << 58 => Err(OpportunitiesError::TooLong),
            Some(_) if bytes == 0 => Err(OpportunitiesError::NoBytes),
            Some(_) => Ok(Self {
                zeros: times.partition_point(|&time| time == 0),
                times,
                bytes,
            }),
        }
    }

    /// Returns the times of one round.
    pub fn times(&self) -> impl ExactSizeIterator<Item = Time> {
        self.times.iter().copied().map(Time::from_nanos)
    }

    /// Returns the time after which the schedule restarts.
    pub fn period(&self) -> Time {
        Time::from_nanos(self.period_nanos())
    }

    /// Returns the bytes of each opportunity.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Returns the mean rate of the opportunities in bits per second, rounded to the nearest integer; at
    /// least 1.
    pub fn mean_rate(&self) -> u64 {
        let bits = self.times.len() as u128 * u128::from(self.bytes) * 8_000_000_000;
        let period = u128::from(self.period_nanos());
        let rate = (bits + period / 2) / period;
        u64::try_from(rate).unwrap_or(u64::MAX).max(1)
    }

    /// Returns the bytes of all opportunities after time zero and up to `until`.
    pub fn offered(&self, until: Time) -> u64 {
        let until = until.as_nanos();
        let (rounds, offset) = (until / self.period_nanos(), until % self.period_nanos());
        let in_round = self.times.partition_point(|&time| time <= offset) - self.zeros;
        let count = rounds
            .saturating_mul(self.times.len() as u64)
            .saturating_add(in_round as u64);
        count.saturating_mul(u64::from(self.bytes))
    }

    fn period_nanos(&self) -> u64 {
        self.times[self.times.len() - 1]
    }
}

impl fmt::Debug for Opportunities {
    /// Leaves out the times, of which there may be a million.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opportunities")
            .field("count", &self.times.len())
            .field("period", &self.period())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for OpportunitiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a schedule needs at least one delivery opportunity"),
            Self::Backwards { index } => write!(
                f,
                "delivery opportunity {index}, counted from zero, is earlier than the one before it; \
                 times must not go back"
            ),
            Self::NoPeriod => f.write_str(
                "the last delivery opportunity, at which the schedule starts over, is at time zero; it \
                 must be later",
            ),
            Self::TooLong => {
                f.write_str("a schedule must be shorter than 2^58 nanoseconds (nine years)")
            }
            Self::NoBytes => f.write_str("a delivery opportunity must be for at least 1 byte"),
        }
    }
}

impl Error for OpportunitiesError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: &[u64]) -> Result<Opportunities, OpportunitiesError> {
        Opportunities::new(ms.iter().copied().map(Time::from_millis), 1500)
    }

    #[test]
    fn faults_are_found() {
        assert_eq!(at(&[]), Err(OpportunitiesError::Empty));
        assert_eq!(at(&[0, 0]), Err(OpportunitiesError::NoPeriod));
        assert_eq!(
            at(&[3, 3, 2, 9]),
            Err(OpportunitiesError::Backwards { index: 2 })
        );
        assert_eq!(
            Opportunities::new([Time::MAX], 1),
            Err(OpportunitiesError::TooLong)
        );
        assert_eq!(
            Opportunities::new([Time::from_millis(1)], 0),
            Err(OpportunitiesError::NoBytes)
        );
    }

    /// Two opportunities of 1500 bytes per period of 12 ms: 2 Mb/s. One in 30 days: 12,000 bits in
    /// 2,592,000 s.
    #[test]
    fn the_mean_rate() {
        assert_eq!(at(&[5, 12]).unwrap().mean_rate(), 2_000_000);
        assert_eq!(at(&[2_592_000_000]).unwrap().mean_rate(), 1);
    }

    /// Opportunities at time zero count from the second round on; those at the period count in the round
    /// that they end.
    #[test]
    fn what_is_offered() {
        let all = at(&[0, 0, 4, 10]).unwrap();
        for (ms, count) in [
            (0, 0),
            (3, 0),
            (4, 1),
            (9, 1),
            (10, 4),
            (14, 5),
            (20, 8),
            (25, 9),
        ] {
            assert_eq!(all.offered(Time::from_millis(ms)), count * 1500, "{ms}");
        }
        assert_eq!(all.offered(Time::from_nanos(3_999_999)), 0);
    }
}
