//! How often a classifier of losses is right.

use serde::Deserialize;

use super::samples;
use crate::outcome::{Outcome, Scores};

/// The part of the loss episodes that a classifier calls right, of all flows' together. Its name is one of
/// the flows' `classify`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classified {
    /// The classifier.
    pub by: String,
    /// Which episodes.
    #[serde(default)]
    pub of: Episodes,
}

/// Loss episodes by what the simulator knows of their cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Episodes {
    /// All of known cause.
    #[default]
    All,
    /// Those of a segment that a queue has dropped.
    Dropped,
    /// Those of a segment that a loss model has taken.
    Lost,
}

impl Classified {
    /// The part; not a number without such an episode.
    pub(super) fn of(&self, flows: &[String], outcome: &Outcome) -> f64 {
        let chosen = samples::chosen(flows, outcome);
        let of_flows = chosen
            .iter()
            .flat_map(|flow| &outcome.flows[*flow].classified);
        let scores = of_flows.filter(|scores| scores.classifier == self.by);
        let (right, all) = scores
            .map(|scores| self.of.count(scores))
            .fold((0, 0), |(a, b), (right, all)| (a + right, b + all));
        right as f64 / all as f64
    }
}

impl Episodes {
    /// How many were called right, and how many there were.
    fn count(self, scores: &Scores) -> (u64, u64) {
        let dropped = (
            scores.dropped_as_congestion,
            scores.dropped_as_congestion + scores.dropped_as_random,
        );
        let lost = (
            scores.lost_as_random,
            scores.lost_as_random + scores.lost_as_congestion,
        );
        match self {
            Self::Dropped => dropped,
            Self::Lost => lost,
            Self::All => (dropped.0 + lost.0, dropped.1 + lost.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_right_answer() {
        let scores = Scores {
            classifier: "veno".to_owned(),
            dropped_as_congestion: 6,
            dropped_as_random: 2,
            lost_as_congestion: 1,
            lost_as_random: 3,
            spurious: 40,
        };
        assert_eq!(Episodes::Dropped.count(&scores), (6, 8));
        assert_eq!(Episodes::Lost.count(&scores), (3, 4));
        assert_eq!(Episodes::All.count(&scores), (9, 12));
    }
}
