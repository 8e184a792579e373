//! Measures of the congestion epochs of a run's flows.

use dumbbell_run::Series;
use dumbbell_run::outcome::Outcome;

use super::selection::{Flows, of_flow};
use crate::description::{Keys, Node};
use crate::epochs::{self, Epoch, History};

/// A number that describes the epochs in which windows are cut: see [`epochs`](crate::epochs).
#[derive(Clone, Debug, PartialEq)]
pub struct Epochs {
    /// The quantity.
    pub of: EpochQuantity,
    /// The cuts that form the epochs.
    pub span: EpochSpan,
}

/// The cuts that form epochs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochSpan {
    /// Cuts up to this time, in seconds, 0 or more, are ignored.
    pub from: f64,
    /// Neighbouring cuts belong to one epoch if they are no further apart than this, in seconds,
    /// above 0.
    pub gap: f64,
}

/// A quantity of epochs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpochQuantity {
    /// The number of epochs.
    Count,
    /// The fraction of the epochs in which every flow is cut.
    Synchronisation,
    /// The fraction of the epochs after which the largest window belongs to another flow than
    /// before.
    Interleaving,
    /// Among the epochs that cut both flows, the fraction in which the flow with the smaller window
    /// is cut by a milder factor.
    Milder,
    /// The fraction of the epochs that cut a single flow, and one of these.
    Alone(Flows),
    /// The fraction of the epochs that spare at least one flow, and none but these.
    Spared(Flows),
    /// Among the epochs that cut a single flow, the fraction in which it has the largest window.
    LargestAlone,
    /// The correlation of the two flows' windows.
    Correlation,
}

#[derive(Clone, Copy)]
enum Word {
    Count,
    Synchronisation,
    Interleaving,
    Milder,
    Alone,
    Spared,
    LargestAlone,
    Correlation,
}

const WORDS: [(&str, Word); 8] = [
    ("count", Word::Count),
    ("synchronisation", Word::Synchronisation),
    ("interleaving", Word::Interleaving),
    ("milder", Word::Milder),
    ("alone", Word::Alone),
    ("spared", Word::Spared),
    ("largest_alone", Word::LargestAlone),
    ("correlation", Word::Correlation),
];

/// The series that a probe has to sample for cuts.
pub(super) const LOSSES: &str = "losses";
/// The series that a probe has to sample for windows.
pub(super) const CWND: &str = "cwnd";

impl EpochSpan {
    /// Reads `from` and `gap`.
    pub(super) fn read(keys: &Keys<'_>) -> Option<Self> {
        let from = keys.find("from");
        let since = from.as_ref().map_or(Some(0.0), |node| node.number());
        let gap = keys.need("gap", "0.25");
        let apart = gap.as_ref().and_then(|node| node.number());
        if let (Some(node), Some(since)) = (&from, since.filter(|since| *since < 0.0)) {
            node.wrong(
                format!("`epochs` requires a `from` of 0 s or more, and not {since} s"),
                "what happens until then is left out",
            );
            return None;
        }
        if let (Some(node), Some(apart)) = (&gap, apart.filter(|apart| *apart <= 0.0)) {
            node.wrong(
                format!("`epochs` requires a `gap` above 0 s, and not {apart} s"),
                "cuts that are no further apart belong to one epoch: of the order of a round trip",
            );
            return None;
        }
        Some(Self {
            from: since?,
            gap: apart?,
        })
    }
}

impl Epochs {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`epochs`")?;
        let of = keys
            .need("of", "\"synchronisation\"")
            .and_then(|node| node.word(&WORDS))
            .map(|word| match word {
                Word::Count => EpochQuantity::Count,
                Word::Synchronisation => EpochQuantity::Synchronisation,
                Word::Interleaving => EpochQuantity::Interleaving,
                Word::Milder => EpochQuantity::Milder,
                Word::Alone => EpochQuantity::Alone(Flows::read_key(&keys, "whose")),
                Word::Spared => EpochQuantity::Spared(Flows::read_key(&keys, "whose")),
                Word::LargestAlone => EpochQuantity::LargestAlone,
                Word::Correlation => EpochQuantity::Correlation,
            });
        let span = EpochSpan::read(&keys);
        keys.done();
        Some(Self {
            of: of?,
            span: span?,
        })
    }

    pub(super) fn of(&self, flows: &[usize], outcome: &Outcome, sampled: &[Series]) -> f64 {
        // The positions among the measured flows.
        let places = |whose: &Flows| -> Vec<usize> {
            let whose = whose.of(outcome);
            (0..flows.len())
                .filter(|place| whose.contains(&flows[*place]))
                .collect()
        };
        let (found, flows) = found(flows, sampled, self.span);
        let number = match &self.of {
            EpochQuantity::Count => Some(found.len() as f64),
            EpochQuantity::Synchronisation => epochs::synchronisation(&found),
            EpochQuantity::Interleaving => epochs::interleaving(&found, &flows),
            EpochQuantity::Milder => epochs::milder(&found, &flows),
            EpochQuantity::Alone(whose) => epochs::alone(&found, &places(whose)),
            EpochQuantity::Spared(whose) => epochs::spared(&found, &places(whose)),
            EpochQuantity::LargestAlone => epochs::largest_alone(&found, &flows),
            EpochQuantity::Correlation => epochs::correlation(&flows, self.span.from),
        };
        number.unwrap_or(f64::NAN)
    }
}

/// The epochs of these flows, and the histories from which they were determined.
pub(super) fn found(
    flows: &[usize],
    sampled: &[Series],
    span: EpochSpan,
) -> (Vec<Epoch>, Vec<History>) {
    let history = |flow: &usize| History {
        losses: of_flow(sampled, *flow, LOSSES),
        cwnd: of_flow(sampled, *flow, CWND),
    };
    let flows: Vec<History> = flows.iter().map(history).collect();
    let cuts: Vec<Vec<f64>> = flows.iter().map(|flow| flow.cuts(span.from)).collect();
    (epochs::epochs(&cuts, span.gap), flows)
}
