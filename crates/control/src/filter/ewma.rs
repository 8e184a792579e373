//! Exponentially weighted moving averages.

use crate::units::{Rate, Ratio};
use crate::wide::muladd_div;

/// One step: `floor(bwe * (1 - gain) + sample * gain)`, with the gain in millionths, at most 1.
#[inline]
pub fn step(bwe: Rate, sample: Rate, gain: Ratio) -> Rate {
    let one = Ratio::ONE.millionths();
    let gain = gain.millionths().min(one);
    Rate::from_raw(muladd_div(bwe.raw(), one - gain, sample.raw(), gain, one))
}

/// Linux's Westwood+ filter: two averages in series, both started with the first sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cascade {
    first: Rate,
    second: Rate,
}

impl Cascade {
    /// A filter that starts with a sample.
    pub fn beginning(sample: Rate) -> Self {
        Self {
            first: sample,
            second: sample,
        }
    }

    /// One step, both averages with the same gain.
    #[inline]
    pub fn step(&mut self, sample: Rate, gain: Ratio) {
        self.first = step(self.first, sample, gain);
        self.second = step(self.second, self.first, gain);
    }

    /// The first and the second average.
    pub fn averages(&self) -> [Rate; 2] {
        [self.first, self.second]
    }

    /// The output of the filter: the second average.
    pub fn output(&self) -> Rate {
        self.second
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{assert_near, bit_rate};

    #[test]
    fn a_step_weighs_the_sample_by_the_gain() {
        let gain = Ratio::from_millionths(100_000);
        let mut bwe = bit_rate(1e6);
        for expected in [1.1e6, 1.19e6] {
            bwe = step(bwe, bit_rate(2e6), gain);
            assert_near(bwe.as_bits_per_second(), expected);
        }
    }

    #[test]
    fn a_cascade_is_two_averages_in_series() {
        let gain = Ratio::from_millionths(125_000);
        let mut cascade = Cascade::beginning(bit_rate(1e6));
        for expected in [1_015_625.0, 1_042_968.75] {
            cascade.step(bit_rate(2e6), gain);
            assert_near(cascade.output().as_bits_per_second(), expected);
        }
    }
}
