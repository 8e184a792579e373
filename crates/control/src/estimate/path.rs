//! Bandwidths and what fills a path, in integers.
//!
//! A bandwidth is in bytes per second with 16 fraction bits, as a [`Rate`]. Gains are in 256ths, as in
//! Linux, or [`Ratio`]s.

use crate::units::{Duration, Rate, Ratio};

const NANOS: u128 = 1_000_000_000;

/// One, as a gain.
pub(crate) const UNIT: u64 = 256;

/// The rate at which `segments` of `mss` bytes passed in an interval. Above 2^44 segments, as 2^44.
pub(crate) fn rate(segments: u64, mss: u32, interval: Duration) -> Rate {
    // 44 bits of segments, 32 of a segment, 30 of a second and 16 of a fraction fit.
    let bytes = u128::from(segments.min(1 << 44)) * u128::from(mss);
    let raw = (bytes * (NANOS << 16)) / u128::from(interval.as_nanos().max(1));
    Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX)).min(Rate::CAP)
}

/// A rate times a gain: `floor(rate * gain / 256)`.
pub(crate) fn scaled(rate: Rate, gain: u64) -> Rate {
    let raw = u128::from(rate.raw()) * u128::from(gain) / u128::from(UNIT);
    Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX)).min(Rate::CAP)
}

/// A rate times a ratio: `floor(rate * ratio)`.
pub(crate) fn times(rate: Rate, ratio: Ratio) -> Rate {
    let raw = u128::from(rate.raw()) * u128::from(ratio.millionths()) / 1_000_000;
    Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX)).min(Rate::CAP)
}

/// The segments that a rate delivers in a time, times a gain, rounded down.
pub(crate) fn delivered(rate: Rate, time: Duration, gain: u64, mss: u32) -> u64 {
    let (amount, one) = product(rate, time, gain, mss);
    u64::try_from(amount / one).unwrap_or(u64::MAX)
}

/// The same, rounded up: the window of a path.
pub(crate) fn window(rate: Rate, rtt: Duration, gain: u64, mss: u32) -> u64 {
    let (amount, one) = product(rate, rtt, gain, mss);
    u64::try_from(amount.div_ceil(one)).unwrap_or(u64::MAX)
}

/// Segments as a fraction. A time above 2^37 ns counts as that.
fn product(rate: Rate, time: Duration, gain: u64, mss: u32) -> (u128, u128) {
    let time = u128::from(time.as_nanos().min(1 << 37));
    let amount = u128::from(rate.raw()) * time * u128::from(gain);
    (
        amount,
        (u128::from(mss.max(1)) * NANOS * u128::from(UNIT)) << 16,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_and_its_window_agree() {
        // 10 segments of 1000 bytes in 80 ms: 1 Mb/s.
        let rate = rate(10, 1000, Duration::from_millis(80));
        assert!((rate.as_bits_per_second() - 1e6).abs() < 1e-6);
        assert_eq!(window(rate, Duration::from_millis(80), UNIT, 1000), 10);
        assert_eq!(window(rate, Duration::from_millis(81), UNIT, 1000), 11);
        assert_eq!(delivered(rate, Duration::from_millis(87), UNIT, 1000), 10);
        assert_eq!(delivered(rate, Duration::from_millis(88), UNIT, 1000), 11);
        assert_eq!(window(rate, Duration::from_millis(80), 2 * UNIT, 1000), 20);
        assert!((scaled(rate, 3 * UNIT / 4).as_bits_per_second() - 7.5e5).abs() < 1e-6);
        let nine_tenths = times(rate, Ratio::from_millionths(900_000));
        assert_eq!(nine_tenths.as_bits_per_second(), 9e5);
    }

    #[test]
    fn extremes_do_not_overflow() {
        assert_eq!(rate(u64::MAX, u32::MAX, Duration::from_nanos(1)), Rate::CAP);
        assert_eq!(scaled(Rate::CAP, u64::MAX), Rate::CAP);
        assert_eq!(
            times(Rate::CAP, Ratio::from_millionths(u32::MAX)),
            Rate::CAP
        );
        let most = window(Rate::CAP, Duration::MAX, 1 << 10, 1);
        assert!(most > 1 << 40);
    }
}
