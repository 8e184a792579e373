//! A channel that may change its state after every packet.

use crate::random::Random;

const GOOD: usize = 0;

#[derive(Clone, Debug)]
pub(crate) struct GilbertElliott {
    /// Probability of leaving each state after a packet.
    leave: [f64; 2],
    /// Loss probability by state.
    loss: [f64; 2],
    state: usize,
    random: Random,
}

impl GilbertElliott {
    pub fn new(leave: [f64; 2], loss: [f64; 2], random: Random) -> Self {
        Self {
            leave,
            loss,
            state: GOOD,
            random,
        }
    }

    pub fn loses(&mut self) -> bool {
        let lost = self.random.chance(self.loss[self.state]);
        if self.random.chance(self.leave[self.state]) {
            self.state = 1 - self.state;
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    fn losses(leave: [f64; 2], loss: [f64; 2], packets: usize) -> Vec<bool> {
        let mut process = GilbertElliott::new(leave, loss, stream(1, Component::loss(0)));
        (0..packets).map(|_| process.loses()).collect()
    }

    #[test]
    fn starts_good_and_alternates_if_it_always_leaves() {
        let lost = losses([1.0, 1.0], [0.0, 1.0], 5);
        assert_eq!(lost, [false, true, false, true, false]);
    }

    /// The channel is bad for 1/(1+4) of the packets, in runs of 1/.04 = 25 packets: 200,000 of
    /// 1,000,000, in about 8,000 runs. Gilbert's channel loses all packets in the bad state.
    #[test]
    fn share_and_length_of_bursts() {
        let lost = losses([0.01, 0.04], [0.0, 1.0], 1_000_000);
        let share = lost.iter().filter(|&&lost| lost).count();
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        assert!(share.abs_diff(200_000) < 14_000, "{share}");
        assert!(bursts.abs_diff(8_000) < 400, "{bursts}");
    }
}
