//! A channel that may change its state after every packet.

use super::{Model, Process, Streams, improbable};
use crate::random::Random;

const GOOD: usize = 0;

/// A channel that may change its state after every packet (Gilbert 1960, Elliott 1963). It starts in
/// the good state. Whether a packet is lost depends on the state after the packet before it.
#[derive(Clone, Debug, PartialEq)]
pub struct GilbertElliott {
    /// Probability of going from good to bad after a packet.
    pub to_bad: f64,
    /// Probability of going from bad to good after a packet.
    pub to_good: f64,
    /// Probability that a packet is lost in the good state.
    pub good_loss: f64,
    /// Probability that a packet is lost in the bad state.
    pub bad_loss: f64,
}

impl Model for GilbertElliott {
    type Process = State;

    fn mean(&self) -> f64 {
        let Self {
            to_bad,
            to_good,
            good_loss,
            bad_loss,
        } = *self;
        if to_bad == 0.0 {
            return good_loss;
        }
        (to_good * good_loss + to_bad * bad_loss) / (to_good + to_bad)
    }

    fn fault(&self) -> Option<&'static str> {
        improbable([self.to_bad, self.to_good, self.good_loss, self.bad_loss])
    }

    fn start(&self, streams: Streams) -> State {
        State {
            leave: [self.to_bad, self.to_good],
            loss: [self.good_loss, self.bad_loss],
            state: GOOD,
            random: streams.draws(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Probability of leaving each state after a packet.
    leave: [f64; 2],
    /// Loss probability by state.
    loss: [f64; 2],
    state: usize,
    random: Random,
}

impl Process for State {
    fn loses(&mut self, _: u64) -> bool {
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

    fn losses(leave: [f64; 2], loss: [f64; 2], packets: usize) -> Vec<bool> {
        let ([to_bad, to_good], [good_loss, bad_loss]) = (leave, loss);
        let model = GilbertElliott {
            to_bad,
            to_good,
            good_loss,
            bad_loss,
        };
        let mut process = model.start(Streams { seed: 1, link: 0 });
        (0..packets).map(|_| process.loses(0)).collect()
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
