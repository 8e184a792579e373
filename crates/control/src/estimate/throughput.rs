//! Throughput as the ratio of the window and the round-trip time, `Th = cwnd / RTT`, and its change
//! since the round before (VenoDB, section 2.2, on Vegas-A and its variants).

use core::cmp::Ordering;
use core::num::NonZeroU64;

use crate::units::{Rate, Segments};

/// The throughput `floor(cwnd * mss / RTT)` in bytes/s << 16, at most [`Rate::CAP`]. The RTT is in
/// eighths of a nanosecond, as from [`Rtt::eighths`](crate::estimate::rtt::Rtt::eighths).
pub fn rate(cwnd: Segments, mss: u32, eighths: NonZeroU64) -> Rate {
    // 52 bits of a window, 32 of a segment and 33 of a second fit.
    let bytes = u128::from(cwnd.min(Segments::CAP).raw()) * u128::from(mss);
    let rate = ((bytes * 8_000_000_000) >> 16) / u128::from(eighths.get());
    Rate::from_raw(u64::try_from(rate).unwrap_or(u64::MAX)).min(Rate::CAP)
}

/// The throughput of the last round, and its change from the round before. 24 bytes.
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

    /// The throughput of the last round; `None` before the first.
    pub fn rate(&self) -> Option<Rate> {
        self.last
    }

    /// How the throughput of the last round compares with that of the round before; equal while that
    /// is unknown.
    pub fn change(&self) -> Ordering {
        self.change
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::assert_near;

    #[test]
    fn the_rate_is_the_window_over_the_rtt() {
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
    fn the_first_round_counts_as_no_change() {
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
