//! The quantities of a flow: numbers of its whole run, and quantities that a probe samples.

use dumbbell_run::outcome::FlowOutcome;

use super::curve::Reads;
use crate::tidy::{Measure, measures_of_flows};

/// A quantity of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A number of the whole run: a measure of a flow.
    Total(&'static Measure),
    /// A quantity that a probe samples over time.
    Sampled(Sampled),
}

/// A quantity that a probe samples for a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// The rate at which payload arrives, in bit/s.
    Rate,
    /// The congestion window, in segments.
    Cwnd,
    /// The slow-start threshold, in segments.
    Ssthresh,
    /// The number of the next new segment.
    Sequence,
    /// Loss episodes and timeouts so far.
    Losses,
    /// The series that the curve reads.
    Reading,
}

impl Quantity {
    /// Their names in descriptions: the measures of a flow have the same names everywhere.
    pub(super) fn words() -> Vec<(&'static str, Self)> {
        let totals = measures_of_flows().map(|it| (it.word, Self::Total(it)));
        let sampled = Sampled::WORDS.map(|(word, it)| (word, Self::Sampled(it)));
        totals.chain(sampled).collect()
    }
}

/// The number of a flow; NaN if the flow has none.
pub(super) fn total(measure: &Measure, flow: &FlowOutcome) -> f64 {
    measure.of_flow(flow).unwrap_or(f64::NAN)
}

impl Sampled {
    /// Their names in descriptions.
    pub(super) const WORDS: [(&'static str, Self); 6] = [
        ("rate", Self::Rate),
        ("cwnd", Self::Cwnd),
        ("ssthresh", Self::Ssthresh),
        ("sequence", Self::Sequence),
        ("losses", Self::Losses),
        ("reading", Self::Reading),
    ];

    /// The name under which a probe samples the quantity, for a curve that reads `reads`; `None`
    /// for a reading if the curve reads nothing.
    pub(super) fn probe(self, reads: Option<&Reads>) -> Option<&str> {
        match self {
            Self::Rate => Some("rate"),
            Self::Cwnd => Some("cwnd"),
            Self::Ssthresh => Some("ssthresh"),
            Self::Sequence => Some("sequence"),
            Self::Losses => Some("losses"),
            Self::Reading => reads.and_then(Reads::series),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::example;

    #[test]
    fn the_measures_of_flows_are_quantities() {
        let words = Quantity::words();
        let of = |word: &str| words.iter().find(|it| it.0 == word).map(|it| it.1);
        for word in ["completion", "queueing_p95", "retransmit_rate", "share"] {
            assert!(matches!(of(word), Some(Quantity::Total(_))), "{word}");
        }
        assert_eq!(of("cwnd"), Some(Quantity::Sampled(Sampled::Cwnd)));
        // What is known of groups only is no quantity of a flow.
        assert_eq!(of("goodput_per_flow"), None);
        let mut all: Vec<&str> = words.iter().map(|it| it.0).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), words.len(), "each word once");
    }

    #[test]
    fn a_flow_without_a_number_has_none() {
        let runs = example::runs(&example::matrix());
        let flow = &runs[0].1.flows[0];
        let of = |word| total(Measure::named(word).expect("a measure"), flow);
        assert_eq!(of("goodput"), flow.goodput_bps);
        assert!(of("completion").is_nan());
    }
}
