//! Random numbers for the long streams: a 64-bit linear congruential generator.

/// A generator; the same seed gives the same stream.
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x2545_f491_4f6c_dd1d)
    }

    /// A random number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A random number from `least` to `most`, `most` excluded.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + self.unit() * (most - least)
    }
}
