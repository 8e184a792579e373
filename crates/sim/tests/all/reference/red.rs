//! RED as Floyd and Jacobson (1993) say.

use dumbbell_sim::random::{Component, Random, stream};
use dumbbell_sim::{LinkId, Red};

/// The state of a RED queue.
pub struct Early {
    average: f64,
    since: Option<u32>,
    draws: Random,
}

impl Early {
    pub fn new(seed: u64, link: LinkId) -> Self {
        Self {
            average: 0.0,
            since: None,
            draws: stream(seed, Component::early(link)),
        }
    }

    pub fn estimate(&mut self, red: &Red, waiting: usize, idle: Option<f64>) {
        if let Some(idle) = idle {
            self.average *= (1.0 - red.weight).powf(idle.floor());
        }
        self.average = (1.0 - red.weight) * self.average + red.weight * waiting as f64;
    }

    /// Returns whether the packet is chosen at random; `None` if it is dropped because the average is
    /// too high.
    pub fn decide(&mut self, red: &Red) -> Option<bool> {
        let chance = if self.average < red.min {
            self.since = None;
            return Some(false);
        } else if self.average < red.max {
            red.pmax * (self.average - red.min) / (red.max - red.min)
        } else if red.gentle && self.average < 2.0 * red.max {
            red.pmax + (self.average / red.max - 1.0) * (1.0 - red.pmax)
        } else {
            self.since = Some(0);
            return None;
        };
        let since = self.since.map_or(0, |since| since + 1);
        let rest = 1.0 - f64::from(since) * chance;
        let draw = self.draws.uniform();
        let chosen = rest <= 1e-9 || draw < chance / rest;
        self.since = Some(if chosen { 0 } else { since });
        Some(chosen)
    }
}
