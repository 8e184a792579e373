//! Geometric gaps: the same distribution of losses as Bernoulli's, with one random number per loss.

use crate::random::Random;

#[derive(Clone, Debug)]
pub(crate) struct Geometric {
    probability: f64,
    random: Random,
    /// Packets up to and including the next one to be lost.
    gap: u64,
}

impl Geometric {
    pub fn new(probability: f64, mut random: Random) -> Self {
        let gap = gap(probability, random.positive_uniform());
        Self {
            probability,
            random,
            gap,
        }
    }

    pub fn loses(&mut self) -> bool {
        self.gap -= 1;
        if self.gap > 0 {
            return false;
        }
        self.gap = gap(self.probability, self.random.positive_uniform());
        true
    }
}

/// G = 1 + floor(ln u / ln(1 - p)) for 0 < u <= 1: the number of packets up to and including the lost
/// one.
fn gap(probability: f64, u: f64) -> u64 {
    if probability == 0.0 {
        return u64::MAX;
    }
    // For p = 1 the divisor is minus infinity and the quotient zero: every packet is lost.
    let gap = libm::floor(libm::log(u) / libm::log1p(-probability));
    (gap as u64).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    #[test]
    fn gaps_for_given_numbers() {
        assert_eq!([0.5, 0.85, 0.05].map(|u| gap(0.1, u)), [7, 2, 29]);
    }

    #[test]
    fn gaps_at_the_ends() {
        assert_eq!([1.0, 0.5, 1e-16].map(|u| gap(1.0, u)), [1; 3]);
        assert_eq!([1.0, 0.5, 1e-16].map(|u| gap(0.0, u)), [u64::MAX; 3]);
        assert_eq!(gap(0.1, 1.0), 1);
    }

    /// 100,000 packets at 10 %: 10,000 losses, standard deviation 95. A loss follows a loss with the
    /// same probability: 1,000 times, standard deviation 30.
    #[test]
    fn the_law_is_bernoullis() {
        let mut process = Geometric::new(0.1, stream(1, Component::loss(0)));
        let losses: Vec<bool> = (0..100_000).map(|_| process.loses()).collect();
        let lost = losses.iter().filter(|&&lost| lost).count();
        assert!(lost.abs_diff(10_000) < 475, "{lost}");
        let pairs = losses.windows(2).filter(|pair| pair[0] && pair[1]).count();
        assert!(pairs.abs_diff(1_000) < 150, "{pairs}");
    }
}
