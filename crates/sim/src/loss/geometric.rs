//! Geometric gaps: the same distribution of losses as Bernoulli's, with one random number per loss.

use super::{Model, Process, Streams, improbable};
use crate::hint::cold_path;
use crate::random::Random;

/// The number of packets up to and including the next lost one is geometrically distributed. The
/// losses are distributed as with [`Bernoulli`](super::Bernoulli), with one random number per loss
/// instead of one per packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometric {
    /// Probability that a packet is lost.
    pub probability: f64,
}

impl Model for Geometric {
    type Process = State;

    fn mean(&self) -> f64 {
        self.probability
    }

    fn fault(&self) -> Option<&'static str> {
        improbable([self.probability])
    }

    fn start(&self, streams: Streams) -> State {
        let mut random = streams.draws();
        State {
            probability: self.probability,
            gap: gap(self.probability, random.positive_uniform()),
            random,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    probability: f64,
    random: Random,
    /// Packets up to and including the next one to be lost.
    gap: u64,
}

impl Process for State {
    fn loses(&mut self, _: u64) -> bool {
        self.gap -= 1;
        if self.gap > 0 {
            return false;
        }
        cold_path();
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
        let mut process = Geometric { probability: 0.1 }.start(Streams { seed: 1, link: 0 });
        let losses: Vec<bool> = (0..100_000).map(|_| process.loses(0)).collect();
        let lost = losses.iter().filter(|&&lost| lost).count();
        assert!(lost.abs_diff(10_000) < 475, "{lost}");
        let pairs = losses.windows(2).filter(|pair| pair[0] && pair[1]).count();
        assert!(pairs.abs_diff(1_000) < 150, "{pairs}");
    }
}
