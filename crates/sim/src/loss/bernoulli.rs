//! Every packet is lost with the same probability.

use super::{Model, Process, Streams, improbable};
use crate::random::Random;

/// Every packet has the same loss probability, independently of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Bernoulli {
    /// Probability that a packet is lost.
    pub probability: f64,
}

impl Model for Bernoulli {
    type Process = State;

    fn mean(&self) -> f64 {
        self.probability
    }

    fn fault(&self) -> Option<&'static str> {
        improbable([self.probability])
    }

    fn start(&self, streams: Streams) -> State {
        State {
            probability: self.probability,
            random: streams.draws(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    probability: f64,
    random: Random,
}

impl Process for State {
    fn loses(&mut self, _: u64) -> bool {
        self.random.chance(self.probability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100,000 packets at 10 %: 10,000 losses, standard deviation 95.
    #[test]
    fn share_of_losses() {
        let mut process = Bernoulli { probability: 0.1 }.start(Streams { seed: 1, link: 0 });
        let lost = (0..100_000).filter(|_| process.loses(0)).count();
        assert!(lost.abs_diff(10_000) < 475, "{lost}");
    }
}
