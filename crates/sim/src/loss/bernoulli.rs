//! Every packet is lost with the same probability.

use crate::random::Random;

#[derive(Clone, Debug)]
pub(crate) struct Bernoulli {
    probability: f64,
    random: Random,
}

impl Bernoulli {
    pub fn new(probability: f64, random: Random) -> Self {
        Self {
            probability,
            random,
        }
    }

    pub fn loses(&mut self) -> bool {
        self.random.chance(self.probability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    /// 100,000 packets at 10 %: 10,000 losses, standard deviation 95.
    #[test]
    fn share_of_losses() {
        let mut process = Bernoulli::new(0.1, stream(1, Component::loss(0)));
        let lost = (0..100_000).filter(|_| process.loses()).count();
        assert!(lost.abs_diff(10_000) < 475, "{lost}");
    }
}
