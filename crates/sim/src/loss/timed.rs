//! A loss probability that changes at given times.

use std::sync::Arc;

use super::{Model, Process, Streams};
use crate::random::Random;
use crate::steps::{Steps, StepsError};
use crate::time::Time;

/// Every packet is lost with the probability of the moment of its departure, independently of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// Which of the probabilities holds, over time.
    pub steps: Steps,
    /// The probabilities.
    pub probabilities: Arc<[f64]>,
}

impl Timed {
    /// Makes a probability over time from one for each step.
    ///
    /// # Errors
    ///
    /// As for [`Steps::new`].
    pub fn new(
        steps: impl IntoIterator<Item = (Time, f64)>,
        period: Option<Time>,
    ) -> Result<Self, StepsError> {
        let (times, probabilities): (Vec<Time>, Vec<f64>) = steps.into_iter().unzip();
        Ok(Self {
            steps: Steps::new(times.into_iter().zip(0..), period)?,
            probabilities: probabilities.into(),
        })
    }
}

impl Model for Timed {
    type Process = State;

    /// Without a period, the mean is the last probability.
    fn mean(&self) -> f64 {
        let of = |value: u64| self.probabilities[value as usize];
        let steps: Vec<(Time, u64)> = self.steps.steps().collect();
        let Some(period) = self.steps.period() else {
            return steps.last().map_or(0.0, |&(_, value)| of(value));
        };
        let ends = steps[1..].iter().map(|step| step.0).chain([period]);
        let weighted = steps.iter().zip(ends);
        let sum: f64 = weighted
            .map(|(&(at, value), end)| of(value) * (end - at).as_secs_f64())
            .sum();
        sum / period.as_secs_f64()
    }

    fn fault(&self) -> Option<&'static str> {
        let known = self.steps.bounds().1 < self.probabilities.len() as u64;
        let all = self.probabilities.iter().all(|p| (0.0..=1.0).contains(p));
        (!known || !all).then_some("a loss probability must be from 0 to 1")
    }

    fn start(&self, streams: Streams) -> State {
        State {
            model: self.clone(),
            draws: streams.draws(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    model: Timed,
    draws: Random,
}

impl Process for State {
    fn loses(&mut self, departure: u64) -> bool {
        let (step, _) = self.model.steps.span(departure);
        // Every packet draws a number, so what is lost later does not depend on the probabilities before.
        self.draws.chance(self.model.probabilities[step as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 % for 1 s, nothing for 1 s, everything for 1 s, again and again: 10,000 packets in each second lose
    /// about 1000 (standard deviation 30), none, and all.
    #[test]
    fn the_probability_is_that_of_the_moment() {
        let steps = [(0, 0.1), (1, 0.0), (2, 1.0)];
        let steps = steps.map(|(at, p)| (Time::from_secs(at), p));
        let model = Timed::new(steps, Some(Time::from_secs(3))).unwrap();
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
