//! Measures how often a classifier of losses is right.

use dumbbell_run::outcome::{Outcome, Scores};

use super::curve::Reads;
use crate::description::Node;

/// The verdicts of a classifier on the loss episodes of all flows together: the fraction that is
/// right, or the number of episodes classified as congestion or random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// The classifier, one of the flows' `classify`; if `None`, the one that a curve reads.
    pub by: Option<String>,
    /// The episodes that are counted.
    pub of: Episodes,
    /// Count the episodes with this verdict; `None`: return the fraction of right verdicts.
    pub called: Option<Called>,
}

/// Loss episodes by their cause, as the simulator knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Episodes {
    /// All episodes with a known cause.
    #[default]
    All,
    /// Episodes with a segment that a queue dropped.
    Dropped,
    /// Episodes with a segment that a loss model removed.
    Lost,
}

/// The verdict of a classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// Congestion: a queue is full.
    Congestion,
    /// A random loss.
    Random,
}

/// Episodes by verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    congestion: u64,
    random: u64,
}

const EPISODES: [(&str, Episodes); 3] = [
    ("all", Episodes::All),
    ("dropped", Episodes::Dropped),
    ("lost", Episodes::Lost),
];
const CALLED: [(&str, Called); 2] = [
    ("congestion", Called::Congestion),
    ("random", Called::Random),
];

impl Classified {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`classified`")?;
        let by = keys.find("by").and_then(|node| node.text());
        let of = keys.word_or("of", &EPISODES, Episodes::All);
        let called = keys.find("called").and_then(|node| node.word(&CALLED));
        keys.done();
        Some(Self {
            by: by.map(str::to_owned),
            of,
            called,
        })
    }

    /// Returns the fraction, which is NaN without such an episode, or the number of episodes.
    pub(super) fn of(&self, flows: &[usize], outcome: &Outcome, reads: Option<&Reads>) -> f64 {
        let by = self.by.as_deref().or(reads.and_then(Reads::classifier));
        let of_flows = flows
            .iter()
            .flat_map(|flow| &outcome.flows[*flow].classified);
        let scores: Vec<&Scores> = of_flows
            .filter(|scores| Some(scores.classifier.as_str()) == by)
            .collect();
        self.number(&scores)
    }

    fn number(&self, scores: &[&Scores]) -> f64 {
        let sum = |of: fn(&Scores) -> u64| scores.iter().map(|scores| of(scores)).sum::<u64>();
        let dropped = Counts {
            congestion: sum(|s| s.dropped_as_congestion),
            random: sum(|s| s.dropped_as_random),
        };
        let lost = Counts {
            congestion: sum(|s| s.lost_as_congestion),
            random: sum(|s| s.lost_as_random),
        };
        let (wanted, right) = match self.of {
            Episodes::Dropped => (vec![dropped], dropped.congestion),
            Episodes::Lost => (vec![lost], lost.random),
            Episodes::All => (vec![dropped, lost], dropped.congestion + lost.random),
        };
        let count = |called: fn(&Counts) -> u64| wanted.iter().map(called).sum::<u64>() as f64;
        match self.called {
            Some(Called::Congestion) => count(|c| c.congestion),
            Some(Called::Random) => count(|c| c.random),
            None => right as f64 / count(|c| c.congestion + c.random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(of: Episodes, called: Option<Called>) -> f64 {
        let scores = Scores {
            classifier: "veno".to_owned(),
            dropped_as_congestion: 6,
            dropped_as_random: 2,
            lost_as_congestion: 1,
            lost_as_random: 3,
            spurious: 40,
        };
        let by = None;
        Classified { by, of, called }.number(&[&scores])
    }

    #[test]
    fn each_cause_has_its_right_verdict() {
        assert_eq!(number(Episodes::Dropped, None), 6.0 / 8.0);
        assert_eq!(number(Episodes::Lost, None), 3.0 / 4.0);
        assert_eq!(number(Episodes::All, None), 9.0 / 12.0);
    }

    #[test]
    fn each_verdict_is_counted() {
        let congestion = |of| number(of, Some(Called::Congestion));
        let random = |of| number(of, Some(Called::Random));
        let all = [Episodes::Dropped, Episodes::Lost, Episodes::All];
        assert_eq!(all.map(congestion), [6.0, 1.0, 7.0]);
        assert_eq!(all.map(random), [2.0, 3.0, 5.0]);
    }
}
