//! What the epochs of congestion of a run's flows say, as a number.

use dumbbell_run::Series;

use super::selection::of_flow;
use crate::description::{Keys, Node};
use crate::epochs::{self, Epoch, History};

/// A number of the epochs in which windows are cut: see [`epochs`](crate::epochs).
#[derive(Clone, Debug, PartialEq)]
pub struct Epochs {
    /// Which number.
    pub of: EpochQuantity,
    /// Which epochs.
    pub span: EpochSpan,
}

/// Which cuts make epochs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochSpan {
    /// What happens until then, in seconds, 0 or more, is left out.
    pub from: f64,
    /// Cuts that are no further apart, in seconds, above 0, belong to one epoch.
    pub gap: f64,
}

/// A number of epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochQuantity {
    /// How many there are.
    Count,
    /// The part in which every flow is cut.
    Synchronisation,
    /// The part after which another flow has the largest window.
    Interleaving,
    /// Of those that cut both flows, the part in which the smaller window keeps more.
    Milder,
    /// The correlation of the two flows' windows.
    Correlation,
}

const WORDS: [(&str, EpochQuantity); 5] = [
    ("count", EpochQuantity::Count),
    ("synchronisation", EpochQuantity::Synchronisation),
    ("interleaving", EpochQuantity::Interleaving),
    ("milder", EpochQuantity::Milder),
    ("correlation", EpochQuantity::Correlation),
];

/// What a probe has to sample.
pub(super) const LOSSES: &str = "losses";
/// What a probe has to sample besides.
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
                format!("`epochs` wants a `from` of 0 s or more, and not {since} s"),
                "what happens until then is left out",
            );
            return None;
        }
        if let (Some(node), Some(apart)) = (&gap, apart.filter(|apart| *apart <= 0.0)) {
            node.wrong(
                format!("`epochs` wants a `gap` above 0 s, and not {apart} s"),
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
            .and_then(|node| node.word(&WORDS));
        let span = EpochSpan::read(&keys);
        keys.done();
        Some(Self {
            of: of?,
            span: span?,
        })
    }

    pub(super) fn of(&self, flows: &[usize], sampled: &[Series]) -> f64 {
        let (found, flows) = found(flows, sampled, self.span);
        let number = match self.of {
            EpochQuantity::Count => Some(found.len() as f64),
            EpochQuantity::Synchronisation => epochs::synchronisation(&found),
            EpochQuantity::Interleaving => epochs::interleaving(&found, &flows),
            EpochQuantity::Milder => epochs::milder(&found, &flows),
            EpochQuantity::Correlation => epochs::correlation(&flows, self.span.from),
        };
        number.unwrap_or(f64::NAN)
    }
}

/// The epochs of these flows, and the histories in which they were found.
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
