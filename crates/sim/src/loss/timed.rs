//! A loss probability that changes at given times.

use super::{Model, Process, Streams};
use crate::random::Random;
use crate::steps::Steps;

/// Every packet is lost with the probability of the moment of its departure, independently of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// Probabilities over time, in units of 2^-53: from 0 to 2^53, which is 1.
    pub probability: Steps,
}

/// A probability of 1 in steps.
const ONE: u64 = 1 << 53;

impl Timed {
    /// Returns a probability in the unit of the steps, rounded to the nearest.
    pub fn unit(probability: f64) -> u64 {
        libm::round(probability * ONE as f64) as u64
    }
}

impl Model for Timed {
    type Process = State;

    fn mean(&self) -> f64 {
        self.probability.mean() as f64 / ONE as f64
    }

    fn fault(&self) -> Option<&'static str> {
        let most = self.probability.bounds().1;
        (most > ONE).then_some("a loss probability must be from 0 to 1")
    }

    fn start(&self, streams: Streams) -> State {
        State {
            probability: self.probability.clone(),
            draws: streams.draws(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    probability: Steps,
    draws: Random,
}

impl Process for State {
    fn loses(&mut self, departure: u64) -> bool {
        let (chance, _) = self.probability.span(departure);
        // A packet draws a number even if it cannot be lost, so later losses do not depend on the steps before.
        self.draws.next_u64() >> 11 < chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    /// 10 % for 1 s, nothing for 1 s, everything for 1 s, again and again: 10,000 packets in each second lose
    /// about 1000 (standard deviation 30), none, and all.
    #[test]
    fn the_probability_is_that_of_the_moment() {
        let steps = [(0, 0.1), (1, 0.0), (2, 1.0)];
        let steps = steps.map(|(at, p)| (Time::from_secs(at), Timed::unit(p)));
        let model = Timed {
            probability: Steps::new(steps, Some(Time::from_secs(3))).unwrap(),
        };
        assert!((model.mean() - 1.1 / 3.0).abs() < 1e-9);
        let mut process = model.start(Streams { seed: 1, link: 0 });
        let lost = [0, 1, 2, 3, 4, 5].map(|second: u64| {
            let at = |k: u64| second * 1_000_000_000 + k * 100_000;
            (0..10_000).filter(|&k| process.loses(at(k))).count()
        });
        assert!(
            [lost[0], lost[3]]
                .iter()
                .all(|lost| lost.abs_diff(1000) < 150)
        );
        assert_eq!([lost[1], lost[4], lost[2], lost[5]], [0, 0, 10_000, 10_000]);
    }
}
