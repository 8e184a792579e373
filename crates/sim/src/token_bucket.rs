//! A token bucket, exact in whole bit-nanoseconds: a rate of r bits per second brings r of them, in units of
//! 1e-9 bits, each nanosecond.

/// Units in a byte.
const BYTE: u128 = 8_000_000_000;

/// The state of a token bucket.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    rate: u128,
    size: u128,
    /// What it held at `since`; below zero after a packet larger than the bucket.
    tokens: i128,
    since: u64,
}

impl Bucket {
    /// A full bucket of `burst` bytes, which fills at `rate` bits per second, at least 1.
    pub fn new(rate: u64, burst: u64) -> Self {
        let size = u128::from(burst) * BYTE;
        Self {
            rate: u128::from(rate),
            size,
            tokens: size as i128,
            since: 0,
        }
    }

    /// Returns the first moment at which a packet of this size may start, given the packets before it.
    pub fn filled(&self, bytes: u32) -> u64 {
        let needed = (u128::from(bytes) * BYTE).min(self.size) as i128;
        let lacking = u128::try_from(needed - self.tokens).unwrap_or(0);
        let wait = lacking.div_ceil(self.rate);
        self.since
            .saturating_add(u64::try_from(wait).unwrap_or(u64::MAX))
    }

    /// Takes the tokens of a packet that starts now, which is not before the last such moment.
    pub fn take(&mut self, bytes: u32, now: u64) {
        let come = self.rate * u128::from(now.saturating_sub(self.since));
        let held = (self.tokens + come as i128).min(self.size as i128);
        self.tokens = held - (u128::from(bytes) * BYTE) as i128;
        self.since = self.since.max(now);
    }

    /// Takes the tokens of a packet if there are as many at this moment, which is not before the last such moment.
    pub fn take_if_filled(&mut self, bytes: u32, now: u64) -> bool {
        let fits = u128::from(bytes) * BYTE <= self.size && self.filled(bytes) <= now;
        if fits {
            self.take(bytes, now);
        }
        fits
    }

    /// Returns the most bytes that may start up to a moment.
    pub fn most(&self, moment: u64) -> u64 {
        let bits = self.size + self.rate * u128::from(moment);
        u64::try_from(bits / BYTE).unwrap_or(u64::MAX)
    }
}
