//! Measures the transfers of a workload: how many there were, and how long they took.

use dumbbell_run::outcome::{Outcome, TransfersOutcome};

use crate::description::Node;

/// A number of all transfers of a workload that began in the time that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The name of the flow entry in the results.
    pub name: String,
    /// The number.
    pub of: Transfers,
}

/// A number of transfers. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfers {
    /// Transfers that began.
    Started,
    /// Transfers that are complete.
    Finished,
    /// Mean completion time.
    CompletionMean,
    /// Median of the completion times.
    CompletionP50,
    /// 95th percentile of the completion times.
    CompletionP95,
    /// 99th percentile of the completion times.
    CompletionP99,
    /// Longest completion time.
    CompletionMax,
    /// Mean slowdown.
    SlowdownMean,
    /// Median of the slowdowns.
    SlowdownP50,
    /// 95th percentile of the slowdowns.
    SlowdownP95,
    /// 99th percentile of the slowdowns.
    SlowdownP99,
    /// Largest slowdown.
    SlowdownMax,
}

const TRANSFERS: [(&str, Transfers); 12] = [
    ("started", Transfers::Started),
    ("finished", Transfers::Finished),
    ("completion_mean", Transfers::CompletionMean),
    ("completion_p50", Transfers::CompletionP50),
    ("completion_p95", Transfers::CompletionP95),
    ("completion_p99", Transfers::CompletionP99),
    ("completion_max", Transfers::CompletionMax),
    ("slowdown_mean", Transfers::SlowdownMean),
    ("slowdown_p50", Transfers::SlowdownP50),
    ("slowdown_p95", Transfers::SlowdownP95),
    ("slowdown_p99", Transfers::SlowdownP99),
    ("slowdown_max", Transfers::SlowdownMax),
];

impl Workload {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`workload`")?;
        let name = keys.text("name", "\"web\"");
        let of = keys
            .need("of", "\"completion_p95\"")
            .and_then(|node| node.word(&TRANSFERS));
        keys.done();
        Some(Self {
            name: name?,
            of: of?,
        })
    }

    /// Returns the number; NaN if the run has no workload of this name, or no transfer that is complete.
    pub(super) fn of(&self, outcome: &Outcome) -> f64 {
        let found = outcome.workloads.iter().find(|it| it.name == self.name);
        let number = found.and_then(|it| self.of.number(&it.all));
        number.unwrap_or(f64::NAN)
    }
}

impl Transfers {
    fn number(self, all: &TransfersOutcome) -> Option<f64> {
        match self {
            Self::Started => Some(all.started as f64),
            Self::Finished => Some(all.finished as f64),
            Self::CompletionMean => all.completion_mean_s,
            Self::CompletionP50 => all.completion_p50_s,
            Self::CompletionP95 => all.completion_p95_s,
            Self::CompletionP99 => all.completion_p99_s,
            Self::CompletionMax => all.completion_max_s,
            Self::SlowdownMean => all.slowdown_mean,
            Self::SlowdownP50 => all.slowdown_p50,
            Self::SlowdownP95 => all.slowdown_p95,
            Self::SlowdownP99 => all.slowdown_p99,
            Self::SlowdownMax => all.slowdown_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_its_number() {
        let all = TransfersOutcome {
            started: 1,
            finished: 2,
            completion_mean_s: Some(3.0),
            completion_p50_s: Some(4.0),
            completion_p95_s: Some(5.0),
            completion_p99_s: Some(6.0),
            completion_max_s: Some(7.0),
            slowdown_mean: Some(8.0),
            slowdown_p50: Some(9.0),
            slowdown_p95: Some(10.0),
            slowdown_p99: Some(11.0),
            slowdown_max: Some(12.0),
            ..TransfersOutcome::default()
        };
        let numbers = TRANSFERS.map(|(_, of)| of.number(&all));
        let expected: [f64; 12] = std::array::from_fn(|at| at as f64 + 1.0);
        assert_eq!(numbers, expected.map(Some));
        let none = TransfersOutcome::default();
        assert_eq!(Transfers::CompletionP95.number(&none), None);
    }
}
