//! What is measured of a run.

use dumbbell_run::Series;
use dumbbell_run::outcome::{FlowOutcome, Outcome};
use dumbbell_run::statistics;
use serde::Deserialize;

use super::reading::Reader;
use super::{Agreement, Classified, Reference, marks, samples};
use crate::epochs;

/// A number that every run gives: a quantity of the flows, what their epochs or loss episodes say, or the
/// ratio of two other measures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its name in the description.
    pub name: String,
    /// Its quantity and unit, for axes and tables.
    pub label: String,
    /// Which number of a flow.
    #[serde(default)]
    pub quantity: Option<Quantity>,
    /// The flows, by their names; a star stands for any end of a name. All, where none is given.
    #[serde(default)]
    pub flows: Vec<String>,
    /// How the flows' numbers become one.
    #[serde(default)]
    pub across: Across,
    /// When, and how the samples become a number: of the quantities that a probe samples only.
    #[serde(default)]
    pub window: Option<Window>,
    /// What the flows' common epochs of congestion say, instead of a quantity.
    #[serde(default)]
    pub epochs: Option<Epochs>,
    /// How right a classifier of losses is, instead of a quantity.
    #[serde(default)]
    pub classified: Option<Classified>,
    /// How well the samples that a curve reads tell others, instead of a quantity.
    #[serde(default)]
    pub agreement: Option<Agreement>,
    /// Two other measures, the first to be divided by the second.
    #[serde(default)]
    pub ratio: Option<[String; 2]>,
    /// A curve. What the run gives is divided by what the curve's run of the same place and seed gives.
    #[serde(default)]
    pub over: Option<String>,
    /// What it is multiplied by.
    #[serde(default = "one")]
    pub scale: f64,
}

pub(super) fn one() -> f64 {
    1.0
}

/// A number of the epochs in which windows are cut: see [`epochs`](crate::epochs).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epochs {
    /// Which number.
    pub of: EpochQuantity,
    /// What happens until then, in seconds, is left out.
    pub from: f64,
    /// Cuts that are no further apart, in seconds, belong to one epoch.
    pub gap: f64,
}

/// A number of epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// A number of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Throughput of the whole run, in bit/s.
    Throughput,
    /// Goodput of the whole run, in bit/s.
    Goodput,
    /// Data packets sent, retransmissions included.
    Sent,
    /// Retransmissions.
    Retransmits,
    /// Timeouts.
    Timeouts,
    /// From the flow's start to its last acknowledgement, in seconds.
    Time,
    /// Mean congestion window, in segments.
    Window,
    /// Mean round-trip time, in seconds.
    Rtt,
    /// How much its sending varies from sample to sample: the scenario says since when.
    Variation,
    /// What a probe samples: the rate at which payload arrives, in bit/s.
    Rate,
    /// What a probe samples: the congestion window, in segments.
    Cwnd,
    /// What a probe samples: the slow-start threshold, in segments.
    Ssthresh,
    /// What a probe samples: the next new segment's number.
    Sequence,
    /// What a probe samples: loss episodes and timeouts so far.
    Losses,
    /// What a probe samples: the series that the curve reads.
    Reading,
}

/// How numbers of several flows become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// Their sum.
    #[default]
    Sum,
    /// Their mean.
    Mean,
    /// The least.
    Min,
    /// The largest.
    Max,
    /// Jain's index of fairness.
    Jain,
    /// The largest divided by the least.
    Spread,
    /// The largest minus the least.
    Gap,
    /// The first minus the last, divided by their sum.
    Contrast,
}

/// A span of time, and how its samples become a number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Its beginning, in seconds.
    #[serde(default)]
    pub from: f64,
    /// Its end, in seconds; that of the run, where none is given.
    #[serde(default)]
    pub to: Option<f64>,
    /// How the samples become a number.
    pub reduce: Reduction,
    /// Of a recovery: since when things are steady again, in seconds; the beginning, where none is given.
    #[serde(default)]
    pub steady: Option<f64>,
    /// How far from the reference is near it, as a part of it.
    #[serde(default)]
    pub within: Option<f64>,
}

/// How samples become a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduction {
    /// Their mean.
    Mean,
    /// Their coefficient of variation.
    Cov,
    /// The last one.
    Last,
    /// By how much the last one is above the first.
    Growth,
    /// The time, from the window's beginning, until one reaches 90 % of the mean of the steady time.
    Recovery,
    /// The one that 95 % of them do not exceed.
    P95,
    /// Their mean distance from the experiment's reference.
    Distance,
    /// The time, from the window's beginning, until one is near the reference; the whole window, if none is.
    Reach,
    /// The time, from the window's beginning, from which on all are near the reference; the whole window,
    /// if the last one is not.
    Settle,
}

impl Measure {
    /// Whether it needs samples.
    pub(super) fn wants_samples(&self) -> bool {
        self.window.is_some() || self.epochs.is_some() || self.agreement.is_some()
    }

    /// What is wrong with it in an experiment that has a reference or none, if anything is.
    pub(super) fn check(&self, has_reference: bool) -> Result<(), &'static str> {
        let given = [
            self.quantity.is_some(),
            self.ratio.is_some(),
            self.epochs.is_some(),
            self.classified.is_some(),
            self.agreement.is_some(),
        ];
        if given.iter().filter(|given| **given).count() != 1 {
            return Err(
                "one of `quantity`, `ratio`, `epochs`, `classified` and `agreement` is wanted",
            );
        }
        if let Some(mistake) = self.agreement.as_ref().and_then(Agreement::mistake) {
            return Err(mistake);
        }
        match (self.quantity.map(Quantity::is_sampled), &self.window) {
            (Some(true), None) => Err("a sampled quantity wants a `window`"),
            (Some(false), Some(_)) => Err("only sampled quantities have a `window`"),
            (Some(true), Some(window)) => window.check(has_reference),
            _ => Ok(()),
        }
    }

    /// The number that a run gives by itself, whatever curve the measure is `over`; not a number where there
    /// is none. `other` answers the other measures of the same run.
    pub(super) fn of(
        &self,
        outcome: &Outcome,
        samples: &[Series],
        reader: Reader<'_>,
        other: impl Fn(&str) -> f64,
    ) -> f64 {
        let number = if let Some([above, below]) = &self.ratio {
            other(above) / other(below)
        } else if let Some(epochs) = &self.epochs {
            epochs.of(&samples::chosen(&self.flows, outcome), samples)
        } else if let Some(classified) = &self.classified {
            classified.of(&self.flows, outcome, reader)
        } else if let Some(agreement) = &self.agreement {
            agreement.of(&samples::chosen(&self.flows, outcome), samples, reader)
        } else {
            let number = |quantity| self.of_flows(quantity, outcome, samples, reader);
            self.quantity.map_or(f64::NAN, number)
        };
        number * self.scale
    }

    fn of_flows(
        &self,
        quantity: Quantity,
        outcome: &Outcome,
        samples: &[Series],
        reader: Reader<'_>,
    ) -> f64 {
        let flows = samples::chosen(&self.flows, outcome);
        let reference = reader.reference;
        let numbers: Vec<f64> = match (quantity.probe(reader), &self.window) {
            // A sum of flows is one flow to the reader of a window: the bins are added first.
            (Some(probe), Some(window)) if self.across == Across::Sum => {
                vec![window.of(&samples::summed(samples, &flows, probe), reference)]
            }
            (Some(probe), Some(window)) => flows
                .iter()
                .map(|flow| window.of(&samples::of_flow(samples, *flow, probe), reference))
                .collect(),
            _ => flows
                .iter()
                .map(|flow| quantity.of(&outcome.flows[*flow]))
                .collect(),
        };
        self.across.one(&numbers)
    }
}

impl Epochs {
    fn of(&self, flows: &[usize], sampled: &[Series]) -> f64 {
        let (found, flows) = marks::found(flows, sampled, self.from, self.gap);
        let number = match self.of {
            EpochQuantity::Count => Some(found.len() as f64),
            EpochQuantity::Synchronisation => epochs::synchronisation(&found),
            EpochQuantity::Interleaving => epochs::interleaving(&found, &flows),
            EpochQuantity::Milder => epochs::milder(&found, &flows),
            EpochQuantity::Correlation => epochs::correlation(&flows, self.from),
        };
        number.unwrap_or(f64::NAN)
    }
}

impl Quantity {
    fn is_sampled(self) -> bool {
        self == Self::Reading || self.probe(Reader::default()).is_some()
    }

    /// The name under which a probe samples it, of a curve that reads this.
    pub(super) fn probe(self, reader: Reader<'_>) -> Option<&str> {
        match self {
            Self::Reading => reader.reads,
            Self::Rate => Some("rate"),
            Self::Cwnd => Some("cwnd"),
            Self::Sequence => Some("sequence"),
            Self::Ssthresh => Some("ssthresh"),
            Self::Losses => Some("losses"),
            _ => None,
        }
    }

    fn of(self, flow: &FlowOutcome) -> f64 {
        match self {
            Self::Throughput => flow.throughput_bps,
            Self::Goodput => flow.goodput_bps,
            Self::Sent => flow.sent as f64,
            Self::Retransmits => flow.retransmits as f64,
            Self::Timeouts => flow.timeouts as f64,
            Self::Time => flow
                .finish_s
                .map_or(f64::NAN, |finish| finish - flow.start_s),
            Self::Window => flow.cwnd_mean.unwrap_or(f64::NAN),
            Self::Rtt => flow.rtt_mean_s.unwrap_or(f64::NAN),
            Self::Variation => flow.sending_variation.unwrap_or(f64::NAN),
            Self::Rate
            | Self::Cwnd
            | Self::Ssthresh
            | Self::Sequence
            | Self::Losses
            | Self::Reading => f64::NAN,
        }
    }
}

impl Across {
    fn one(self, numbers: &[f64]) -> f64 {
        let sum: f64 = numbers.iter().sum();
        let min = numbers.iter().copied().fold(f64::NAN, f64::min);
        let max = numbers.iter().copied().fold(f64::NAN, f64::max);
        match self {
            _ if numbers.is_empty() => f64::NAN,
            Self::Sum => sum,
            Self::Mean => sum / numbers.len() as f64,
            Self::Min => min,
            Self::Max => max,
            Self::Jain => statistics::jain(numbers).unwrap_or(f64::NAN),
            Self::Spread => max / min,
            Self::Gap => max - min,
            Self::Contrast => (numbers[0] - numbers[numbers.len() - 1]) / sum,
        }
    }
}

impl Window {
    fn check(&self, has_reference: bool) -> Result<(), &'static str> {
        let compares = match self.reduce {
            Reduction::Distance => true,
            Reduction::Reach | Reduction::Settle => match self.within {
                Some(part) if part > 0.0 && part.is_finite() => true,
                _ => return Err("`reach` and `settle` want a `within` above 0"),
            },
            _ => false,
        };
        match compares && !has_reference {
            true => Err("the experiment has no `reference` to compare samples with"),
            false => Ok(()),
        }
    }

    /// The number that samples give, pairs of time and value; `reference` is there where it is wanted.
    fn of(&self, samples: &[(f64, f64)], reference: Option<&Reference>) -> f64 {
        // A sample speaks of the time before it.
        let since = |from: f64| {
            let to = self.to.unwrap_or(f64::INFINITY);
            samples.iter().filter(move |(t, _)| *t > from && *t <= to)
        };
        let values: Vec<f64> = since(self.from).map(|(_, value)| *value).collect();
        match self.reduce {
            Reduction::Mean => mean(&values),
            Reduction::Cov => statistics::coefficient_of_variation(&values).unwrap_or(f64::NAN),
            Reduction::Growth => match values[..] {
                [first, .., last] => last - first,
                _ => f64::NAN,
            },
            Reduction::Last => values.last().copied().unwrap_or(f64::NAN),
            Reduction::Recovery => {
                let steady = since(self.steady.unwrap_or(self.from));
                let steady: Vec<f64> = steady.map(|(_, value)| *value).collect();
                let enough = 0.9 * mean(&steady);
                since(self.from)
                    .find(|(_, value)| *value >= enough)
                    .map_or(f64::NAN, |(t, _)| t - self.from)
            }
            Reduction::P95 => statistics::percentile(&values, 95).unwrap_or(f64::NAN),
            Reduction::Distance | Reduction::Reach | Reduction::Settle => {
                let seen: Vec<(f64, f64)> = since(self.from).copied().collect();
                reference.map_or(f64::NAN, |reference| self.compared(&seen, reference))
            }
        }
    }

    /// The number that samples give beside a reference.
    fn compared(&self, samples: &[(f64, f64)], reference: &Reference) -> f64 {
        let off = |(t, value): &(f64, f64)| (value - reference.before(*t)).abs();
        let near = |sample: &&(f64, f64)| {
            off(sample) <= self.within.unwrap_or(0.0) * reference.before(sample.0).abs()
        };
        let Some((last, _)) = samples.last() else {
            return f64::NAN;
        };
        let time = match self.reduce {
            Reduction::Reach => samples.iter().find(near).map(|(t, _)| *t),
            Reduction::Settle => {
                let steady = samples.iter().rev().take_while(near);
                steady.last().map(|(t, _)| *t)
            }
            _ => return mean(&samples.iter().map(off).collect::<Vec<f64>>()),
        };
        time.unwrap_or(self.to.unwrap_or(*last)) - self.from
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_flows_become_one_number() {
        let numbers = [30.0, 10.0, 20.0];
        let all = [
            (Across::Sum, 60.0),
            (Across::Mean, 20.0),
            (Across::Min, 10.0),
            (Across::Max, 30.0),
            (Across::Spread, 3.0),
            (Across::Gap, 20.0),
            // (30 - 20) / 60
            (Across::Contrast, 1.0 / 6.0),
            // 60^2 / (3 * 1400)
            (Across::Jain, 6.0 / 7.0),
        ];
        for (across, expected) in all {
            let found = across.one(&numbers);
            assert!((found - expected).abs() < 1e-12, "{across:?}: {found}");
            assert!(across.one(&[]).is_nan());
        }
    }

    #[test]
    fn a_window_takes_the_samples_after_its_beginning_up_to_its_end() {
        let samples: Vec<(f64, f64)> = (0..=10).map(|t| (f64::from(t), f64::from(t))).collect();
        let window = |reduce| Window {
            from: 2.0,
            to: Some(6.0),
            reduce,
            steady: None,
            within: None,
        };
        // 3, 4, 5, 6: mean 4.5, population variance 1.25.
        assert_eq!(window(Reduction::Mean).of(&samples, None), 4.5);
        assert_eq!(window(Reduction::Last).of(&samples, None), 6.0);
        let cov = window(Reduction::Cov).of(&samples, None);
        assert!((cov - 1.25f64.sqrt() / 4.5).abs() < 1e-12);
        // 90 % of 4.5 is 4.05: the sample at 5 is the first.
        assert_eq!(window(Reduction::Recovery).of(&samples, None), 3.0);
        // 90 % of the mean of 5 and 6, 4.95, too; that of 6 alone, 5.4, comes at 6.
        let later = |steady| Window {
            steady: Some(steady),
            ..window(Reduction::Recovery)
        };
        assert_eq!(later(4.0).of(&samples, None), 3.0);
        assert_eq!(later(5.0).of(&samples, None), 4.0);
    }
    #[test]
    fn samples_are_compared_with_steps() {
        // 10 until 4, then 20; the samples follow late, and the one at 8 strays.
        let reference = Reference {
            name: String::new(),
            steps: vec![[0.0, 10.0], [4.0, 20.0]],
        };
        let values = [10.0, 10.0, 10.0, 10.0, 10.0, 16.0, 18.0, 21.0, 30.0, 20.0];
        let samples: Vec<(f64, f64)> = (0..10).map(f64::from).zip(values).collect();
        let number = |reduce, from, within| {
            let window = Window {
                from,
                to: Some(9.0),
                reduce,
                steady: None,
                within: Some(within),
            };
            window.of(&samples, Some(&reference))
        };
        // At 4 it is the value before the step that counts; then 4, 2, 1, 10 and 0 off.
        assert_eq!(number(Reduction::Distance, 3.0, 0.0), 17.0 / 6.0);
        assert_eq!(number(Reduction::Reach, 4.0, 0.1), 2.0);
        assert_eq!(number(Reduction::Settle, 4.0, 0.1), 5.0);
        assert_eq!(number(Reduction::Settle, 4.0, 0.5), 1.0);
        // Never: the whole window.
        assert_eq!(number(Reduction::Reach, 7.0, 0.0), 2.0);
        assert_eq!(number(Reduction::Reach, 7.5, 1e-9), 1.5);
        let few = &samples[..9];
        let settle = Window {
            from: 4.0,
            to: None,
            reduce: Reduction::Settle,
            steady: None,
            within: Some(0.1),
        };
        assert_eq!(settle.of(few, Some(&reference)), 4.0);
        assert!(settle.of(&[], Some(&reference)).is_nan());
    }
}
