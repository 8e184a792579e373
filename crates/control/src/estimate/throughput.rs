//! Throughput as the ratio of the window and the round-trip time, `Th = cwnd / RTT`, and how it
//! compares with that of the round before (VenoDB, section 2.2, on Vegas-A and its kin).

use core::cmp::Ordering;
use core::num::NonZeroU64;

use crate::units::{Rate, Segments};

/// `floor(cwnd * mss / RTT)` in bytes/s << 16, at most [`Rate::CAP`]; the RTT in eighths of a
/// nanosecond, as [`Rtt::eighths`](crate::estimate::rtt::Rtt::eighths) has it.
pub fn rate(cwnd: Segments, mss: u32, eighths: NonZeroU64) -> Rate {
    // 52 bits of a window, 32 of a segment and 33 of a second fit.
    let bytes = u128::from(cwnd.min(Segments::CAP).raw()) * u128::from(mss);
    let rate = ((bytes * 8_000_000_000) >> 16) / u128::from(eighths.get());
    Rate::from_raw(u64::try_from(rate).unwrap_or(u64::MAX)).min(Rate::CAP)
}

/// The throughput of the last round, against that of the one before. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throughput {
    last: Option<Rate>,
    change: Ordering,
}

impl Default for Throughput {
    fn default() -> Self {
        Self {
            last: None,
            change: Ordering::Equal,
        }
    }
}

impl Throughput {
    /// Takes a round's throughput.
    pub fn observe(&mut self, rate: Rate) {
        self.change = self.last.map_or(Ordering::Equal, |last| rate.cmp(&last));
        self.last = Some(rate);
    }

    /// The last round's; `None` before the first.
    pub fn rate(&self) -> Option<Rate> {
        self.last
    }

    /// The last round's against that of the round before; equal while that is unknown.
    pub fn change(&self) -> Ordering {
        self.change
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::assert_near;

    #[test]
    fn ten_segments_in_a_tenth_of_a_second() {
        let eighths = NonZeroU64::new(800_000_000).expect("not zero");
        let th = rate(Segments::whole(10), 1000, eighths);
        assert_near(th.as_bits_per_second(), 800_000.0);
    }

    #[test]
    fn the_extremes_fit() {
        assert_eq!(rate(Segments::MAX, u32::MAX, NonZeroU64::MIN), Rate::CAP);
        assert_eq!(rate(Segments::ZERO, 1, NonZeroU64::MAX), Rate::ZERO);
    }

    #[test]
    fn the_first_round_is_compared_with_nothing() {
        let mut throughput = Throughput::default();
        let changes = [
            (5, Ordering::Equal),
            (6, Ordering::Greater),
            (6, Ordering::Equal),
        ];
        for (raw, change) in changes.into_iter().chain([(4, Ordering::Less)]) {
            throughput.observe(Rate::from_raw(raw));
            assert_eq!(throughput.change(), change);
        }
    }
}
