//! Token buckets in the straightforward simulator.

use dumbbell_sim::Policer;

/// The level of a bucket, in units of 1e-9 bits.
pub struct Tokens {
    policer: Policer,
    level: u128,
    since: u64,
}

impl Tokens {
    pub fn new(policer: Policer) -> Self {
        Self {
            policer,
            level: units(policer.burst),
            since: 0,
        }
    }

    /// Returns whether a packet that arrives now finds enough tokens, and takes them.
    pub fn pass(&mut self, bytes: u16, now: u64) -> bool {
        let come = u128::from(now - self.since) * u128::from(self.policer.rate);
        self.level = (self.level + come).min(units(self.policer.burst));
        self.since = now;
        let left = self.level.checked_sub(units(u64::from(bytes)));
        self.level = left.unwrap_or(self.level);
        left.is_some()
    }
}

fn units(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * 1_000_000_000
}
