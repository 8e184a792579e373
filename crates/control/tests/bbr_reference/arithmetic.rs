//! The arithmetic of the reference: exact products in 128 bits, rounded once where a value is stored.

use std::collections::BTreeMap;

/// "Infinity" of the draft, for windows, rates and times.
pub const INFINITY: u64 = u64::MAX;
/// The largest rate and the largest window of the crate.
const RATE_CAP: u128 = 1 << 60;
pub const CWND_CAP: u64 = 1 << 20;
const NANOS: u128 = 1_000_000_000;
/// The longest time that a product takes, 2^37 ns.
const TIME_CAP: u64 = 1 << 37;

/// A constant of the draft as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain(pub u64, pub u64);

/// `floor(bytes / interval)`, in bytes per second with 16 fraction bits.
pub fn rate(segments: u64, mss: u64, interval: u64) -> u64 {
    let raw = ((u128::from(segments) * u128::from(mss) * NANOS) << 16) / u128::from(interval);
    raw.min(RATE_CAP) as u64
}

/// `floor(value * gain)`.
pub fn times(value: u64, gain: Gain) -> u64 {
    (u128::from(value) * u128::from(gain.0) / u128::from(gain.1)) as u64
}

/// `rate * time * gain` in segments, as numerator and denominator.
fn product(rate: u64, time: u64, gain: Gain, mss: u64) -> (u128, u128) {
    let time = u128::from(time.min(TIME_CAP));
    let amount = u128::from(rate) * time * u128::from(gain.0);
    (amount, (u128::from(gain.1) * u128::from(mss) * NANOS) << 16)
}

/// The segments of `rate * time * gain`, rounded down: what a path delivers in a time.
pub fn delivered_in(rate: u64, time: u64, mss: u64) -> u64 {
    let (amount, one) = product(rate, time, Gain(1, 1), mss);
    (amount / one) as u64
}

/// The segments of `rate * time * gain`, rounded up: what fills a path.
pub fn volume(rate: u64, time: u64, gain: Gain, mss: u64) -> u64 {
    let (amount, one) = product(rate, time, gain, mss);
    amount.div_ceil(one) as u64
}

/// The random number of a time: its digits in microseconds, mixed, as the crate's controls have it.
pub fn random_digits(now: u64) -> u64 {
    (now / 1_000).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The windowed maximum filter of the draft, exact: it keeps the maximum of each time in the window.
#[derive(Clone, Debug, Default)]
pub struct WindowedMaxFilter {
    maxima: BTreeMap<u64, u64>,
}

impl WindowedMaxFilter {
    /// `UpdateWindowedMaxFilter`: a sample counts at its own time and for `window_length - 1` units after it.
    pub fn update(&mut self, value: u64, time: u64, window_length: u64) -> u64 {
        let maximum = self.maxima.entry(time).or_default();
        *maximum = value.max(*maximum);
        self.maxima.retain(|at, _| time - at < window_length);
        self.maxima.values().copied().max().unwrap_or(0)
    }
}
