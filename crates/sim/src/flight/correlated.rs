//! Correlated random numbers with a given distribution.

use crate::random::Random;

/// Standard normal numbers of which each has the same correlation with the one before it: z' = r z +
/// sqrt(1 - r^2) e, with independent e. The distribution does not depend on the correlation, nor does that of
/// what is made from the numbers one by one.
#[derive(Clone, Debug)]
pub(super) struct Correlated {
    correlation: f64,
    rest: f64,
    last: Option<f64>,
    draws: Random,
}

impl Correlated {
    pub fn new(correlation: f64, draws: Random) -> Self {
        Self {
            correlation,
            rest: libm::sqrt(1.0 - correlation * correlation),
            last: None,
            draws,
        }
    }

    /// Returns the next number.
    pub fn normal(&mut self) -> f64 {
        let fresh = self.fresh();
        let next = match self.last {
            Some(last) => self.correlation * last + self.rest * fresh,
            None => fresh,
        };
        self.last = Some(next);
        next
    }

    /// Returns the next number as one that is uniform over 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        share_below(self.normal())
    }

    /// Returns an independent number (Box and Muller, 1958).
    fn fresh(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.draws.positive_uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.draws.uniform())
    }
}

/// Returns the probability that a standard normal number is below z.
pub(super) fn share_below(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    fn draws(correlation: f64) -> Vec<f64> {
        let mut source = Correlated::new(correlation, stream(3, Component::host(0, 0)));
        (0..200_000).map(|_| source.normal()).collect()
    }

    /// Mean 0, variance 1, and the stated correlation, within five standard errors. Correlated numbers are
    /// worth (1 - r)/(1 + r) as many independent ones.
    #[test]
    fn moments() {
        for correlation in [0.0, 0.8] {
            let all = draws(correlation);
            let n = all.len() as f64;
            let mean = all.iter().sum::<f64>() / n;
            let variance = all.iter().map(|z| z * z).sum::<f64>() / n;
            let product = all.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / n;
            assert!(mean.abs() < 0.034, "{mean}");
            assert!((variance - 1.0).abs() < 0.034, "{variance}");
            assert!((product - correlation).abs() < 0.034, "{product}");
        }
    }

    /// Printed tables: 2.275 % are below -2, 69.15 % below 0.5.
    #[test]
    fn shares_of_the_normal_distribution() {
        for (z, share) in [(-2.0, 0.022_75), (0.0, 0.5), (0.5, 0.691_46)] {
            assert!((share_below(z) - share).abs() < 5e-6, "{z}");
        }
    }
}
