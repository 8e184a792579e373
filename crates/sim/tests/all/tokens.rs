//! Token buckets in the straightforward simulator.

/// The level of a bucket, in units of 1e-9 bits; below zero after a packet that is larger than the bucket.
pub struct Tokens {
    rate: i128,
    size: i128,
    level: i128,
    since: u64,
}

impl Tokens {
    pub fn new(rate: u64, burst: u64) -> Self {
        Self {
            rate: i128::from(rate),
            size: units(burst),
            level: units(burst),
            since: 0,
        }
    }

    /// Returns whether a packet that arrives now finds enough tokens, and takes them.
    pub fn pass(&mut self, bytes: u16, now: u64) -> bool {
        let passes = self.at(now) >= units(bytes.into());
        if passes {
            self.owe(bytes, now);
        }
        passes
    }

    /// Takes the tokens of a packet, even if there are too few.
    pub fn owe(&mut self, bytes: u16, now: u64) {
        self.level = self.at(now) - units(bytes.into());
        self.since = now;
    }

    /// Returns the first nanosecond at which there are as many as a packet needs, or the bucket is full.
    pub fn filled(&self, bytes: u16) -> u64 {
        let lacking = units(bytes.into()).min(self.size) - self.level;
        let mut at = self.since + (lacking.max(0) / self.rate) as u64;
        while self.at(at) < units(bytes.into()).min(self.size) {
            at += 1;
        }
        at
    }

    fn at(&self, now: u64) -> i128 {
        (self.level + i128::from(now - self.since) * self.rate).min(self.size)
    }
}

fn units(bytes: u64) -> i128 {
    i128::from(bytes) * 8_000_000_000
}
