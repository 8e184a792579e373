//! Measures: the numbers that are taken from a run.

use dumbbell_run::Series;
use dumbbell_run::outcome::Outcome;

use super::across::Across;
use super::agreement::Agreement;
use super::classified::Classified;
use super::curve::Reads;
use super::epochs::Epochs;
use super::link::Link;
use super::quantity::{Quantity, Sampled, total};
use super::reference::Reference;
use super::selection::{self, Flows};
use super::state::Stays;
use super::window::{Reduction, Window};
use super::workload::Workload;
use crate::cube::MeasureId;
use crate::description::{Keys, Node};
use crate::tidy;

/// A number that is taken from every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name in the description.
    pub name: String,
    /// Its quantity and unit, for axes and tables.
    pub label: String,
    /// The number before scaling.
    pub number: Number,
    /// The number is divided by that of the run of this curve with the same x value and seed, or
    /// its samples are compared with those of that run ([`Reduction::Correlation`]). The name may also be one that each curve resolves itself (`Variant::over`).
    pub over: Option<String>,
    /// The measure of that run by which it is divided, if it is not this one.
    pub against: Option<MeasureId>,
    /// The factor by which it is multiplied.
    pub scale: f64,
}

/// A number of a run before scaling.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A number of flows over the whole run.
    Total {
        /// The quantity of a flow.
        quantity: &'static tidy::Measure,
        /// The flows.
        flows: Flows,
        /// How the flows' numbers are combined.
        across: Across,
    },
    /// A number from the samples of flows in a span of time.
    Sampled {
        /// The sampled quantity.
        quantity: Sampled,
        /// The flows.
        flows: Flows,
        /// How the flows' numbers are combined; for a sum, the samples are added first.
        across: Across,
        /// The span, and how its samples become a number.
        window: Window,
    },
    /// A number of the stays of flows in a state.
    Stays {
        /// The number.
        stays: Stays,
        /// The flows.
        flows: Flows,
    },
    /// A number that describes the congestion epochs of flows.
    Epochs {
        /// The quantity of the epochs.
        epochs: Epochs,
        /// The flows.
        flows: Flows,
    },
    /// The accuracy or the verdicts of a loss classifier.
    Classified {
        /// The quantity.
        classified: Classified,
        /// The flows.
        flows: Flows,
    },
    /// The agreement of the samples that a curve reads with other samples.
    Agreement {
        /// The measure of agreement.
        agreement: Agreement,
        /// The flows.
        flows: Flows,
    },
    /// A number of a link.
    Link(Link),
    /// A number of the transfers of a workload.
    Workload(Workload),
    /// The sum of measures that precede this one, all of the same run.
    Sum(Vec<MeasureId>),
    /// The ratio of two measures that precede this one, both of the same run.
    Ratio {
        /// The numerator.
        above: MeasureId,
        /// The denominator.
        below: MeasureId,
    },
    /// By how much one such measure exceeds another one, as a fraction of the other: their ratio
    /// minus 1.
    Excess {
        /// The measure that exceeds the other, or is below it if the number is negative.
        of: MeasureId,
        /// The other one.
        over: MeasureId,
    },
}

const SORTS: [&str; 10] = [
    "quantity",
    "stays",
    "ratio",
    "excess",
    "sum",
    "epochs",
    "classified",
    "agreement",
    "link",
    "workload",
];
const WANTED: &str = "one of `quantity`, `stays`, `ratio`, `excess`, `sum`, `epochs`, `link`, `workload`, `classified` and `agreement` is required";

impl Measure {
    /// Reads a measure of an experiment with this reference; `before` are the measures that precede
    /// it.
    pub(crate) fn read(
        keys: Keys<'_>,
        before: &[Self],
        reference: Option<&Reference>,
    ) -> Option<Self> {
        let name = keys.text("name", "\"throughput\"");
        let keys = keys.called(name.as_ref().map(|name| format!("measure `{name}`")));
        let label = keys.text("label", "\"throughput, kb/s\"");
        let over = keys
            .find("over")
            .and_then(|node| node.text())
            .map(str::to_owned);
        let against = against(&keys, before);
        let scale = keys.number_if_any("scale").unwrap_or(1.0);
        let number = match keys.present(&SORTS)[..] {
            ["quantity"] => of_flows(&keys, reference),
            ["ratio"] => {
                two(&keys, "ratio", before).map(|(above, below)| Number::Ratio { above, below })
            }
            ["sum"] => sum(&keys, before).map(Number::Sum),
            ["excess"] => {
                two(&keys, "excess", before).map(|(of, over)| Number::Excess { of, over })
            }
            ["stays"] => keys.find("stays").and_then(|node| {
                let flows = Flows::read(&keys);
                Some(Number::Stays {
                    stays: Stays::read(&node)?,
                    flows,
                })
            }),
            ["epochs"] => keys.find("epochs").and_then(|node| {
                let flows = Flows::read(&keys);
                Some(Number::Epochs {
                    epochs: Epochs::read(&node)?,
                    flows,
                })
            }),
            ["classified"] => keys.find("classified").and_then(|node| {
                let flows = Flows::read(&keys);
                Some(Number::Classified {
                    classified: Classified::read(&node)?,
                    flows,
                })
            }),
            ["agreement"] => keys.find("agreement").and_then(|node| {
                let flows = Flows::read(&keys);
                Some(Number::Agreement {
                    agreement: Agreement::read(&node)?,
                    flows,
                })
            }),
            ["link"] => keys
                .find("link")
                .and_then(|node| Some(Number::Link(Link::read(&node)?))),
            ["workload"] => keys
                .find("workload")
                .and_then(|node| Some(Number::Workload(Workload::read(&node)?))),
            [] => {
                keys.lacks("quantity", WANTED);
                None
            }
            _ => {
                keys.wrong("it is of several sorts", WANTED);
                return None;
            }
        };
        if over.is_none() && number.as_ref().is_some_and(Number::is_of_two_runs) {
            keys.lacks(
                "over",
                "`correlation` is that with a curve: over = \"Reno\"",
            );
        }
        keys.done();
        Some(Self {
            name: name?,
            label: label?,
            number: number?,
            over,
            against,
            scale,
        })
    }

    /// Whether it needs samples.
    pub(crate) fn wants_samples(&self) -> bool {
        match self.number {
            Number::Sampled { .. }
            | Number::Stays { .. }
            | Number::Epochs { .. }
            | Number::Agreement { .. } => true,
            Number::Total { .. }
            | Number::Classified { .. }
            | Number::Link(_)
            | Number::Workload(_)
            | Number::Sum(_)
            | Number::Ratio { .. }
            | Number::Excess { .. } => false,
        }
    }

    /// Whether it uses the samples that a curve reads.
    pub(super) fn reads_samples(&self) -> bool {
        match self.number {
            Number::Sampled { quantity, .. } => quantity == Sampled::Reading,
            Number::Agreement { .. } => true,
            _ => false,
        }
    }

    /// The series of words that it uses.
    pub(super) fn states(&self) -> Option<&str> {
        match &self.number {
            Number::Sampled { window, .. } => window.during.as_ref().map(|it| it.of.as_str()),
            Number::Stays { stays, .. } => Some(&stays.states.of),
            _ => None,
        }
    }

    /// Whether it uses the classifier that a curve reads.
    pub(super) fn reads_classifier(&self) -> bool {
        matches!(&self.number, Number::Classified { classified, .. } if classified.by.is_none())
    }

    /// The samples of a run that are compared with those of another one: for every time, the sum
    /// over the flows. `None` if the measure compares none.
    pub(super) fn compared(
        &self,
        outcome: &Outcome,
        samples: &[Series],
        reads: Option<&Reads>,
    ) -> Option<Vec<(f64, f64)>> {
        let Number::Sampled {
            quantity,
            flows,
            window,
            ..
        } = &self.number
        else {
            return None;
        };
        let probe = quantity.probe(reads)?;
        let summed = || selection::summed(samples, &flows.of(outcome), probe);
        self.number.is_of_two_runs().then(|| window.cut(summed()))
    }

    /// Returns the number of a run alone, before division by the curve in `over`; NaN if there is
    /// none. `other` returns a measure of the same run that precedes this one.
    pub(crate) fn of(
        &self,
        outcome: &Outcome,
        samples: &[Series],
        reads: Option<&Reads>,
        other: impl Fn(MeasureId) -> f64,
    ) -> f64 {
        let number = match &self.number {
            Number::Total {
                quantity,
                flows,
                across,
            } => {
                let flows = flows.of(outcome).into_iter();
                let numbers: Vec<f64> = flows
                    .map(|flow| total(quantity, &outcome.flows[flow]))
                    .collect();
                across.one(&numbers)
            }
            Number::Sampled {
                quantity,
                flows,
                across,
                window,
            } => match quantity.probe(reads) {
                Some(probe) => sampled(samples, &flows.of(outcome), probe, *across, window),
                None => f64::NAN,
            },
            Number::Stays { stays, flows } => stays.of(&flows.of(outcome), samples),
            Number::Epochs { epochs, flows } => epochs.of(&flows.of(outcome), outcome, samples),
            Number::Classified { classified, flows } => {
                classified.of(&flows.of(outcome), outcome, reads)
            }
            Number::Agreement { agreement, flows } => {
                agreement.of(&flows.of(outcome), samples, reads)
            }
            Number::Link(link) => link.of(outcome),
            Number::Workload(workload) => workload.of(outcome),
            Number::Sum(of) => of.iter().map(|of| other(*of)).sum(),
            Number::Ratio { above, below } => other(*above) / other(*below),
            Number::Excess { of, over } => other(*of) / other(*over) - 1.0,
        };
        number * self.scale
    }
}

impl Number {
    /// Whether it depends on the samples of two runs, and not only on those of its own.
    pub(super) fn is_of_two_runs(&self) -> bool {
        matches!(self, Self::Sampled { window, .. } if window.reduce == Reduction::Correlation)
    }
}

/// Combines the samples of flows into one number.
fn sampled(
    samples: &[Series],
    flows: &[usize],
    probe: &str,
    across: Across,
    window: &Window,
) -> f64 {
    let of_flow = |flow: &usize| {
        let points = selection::of_flow(samples, *flow, probe);
        match &window.during {
            Some(states) => states.keep(samples, *flow, points),
            None => points,
        }
    };
    let numbers: Vec<f64> = match across {
        // For a sum, the samples are added first, and the window is applied to the sum as if it
        // were one flow.
        Across::Sum => vec![window.of(&selection::sum(flows.iter().map(of_flow)))],
        _ => flows.iter().map(|flow| window.of(&of_flow(flow))).collect(),
    };
    across.one(&numbers)
}

fn of_flows(keys: &Keys<'_>, reference: Option<&Reference>) -> Option<Number> {
    let node = keys.find("quantity")?;
    let flows = Flows::read(keys);
    let across = keys.word_or("across", &Across::WORDS, Across::Sum);
    let window = keys.find("window");
    match (node.word(&Quantity::words())?, window) {
        (Quantity::Total(quantity), None) => Some(Number::Total {
            quantity,
            flows,
            across,
        }),
        (Quantity::Sampled(quantity), Some(window)) => {
            let window = Window::read(&window, reference)?;
            Some(Number::Sampled {
                quantity,
                flows,
                across,
                window,
            })
        }
        (Quantity::Sampled(_), None) => {
            node.wrong(
                "a sampled quantity requires a `window`",
                "write for example window = { from = 10, reduce = \"mean\" }",
            );
            None
        }
        (Quantity::Total(_), Some(window)) => {
            window.wrong(
                "only sampled quantities have a `window`",
                "leave it out, or measure a quantity such as `rate` or `cwnd`",
            );
            None
        }
    }
}

fn against(keys: &Keys<'_>, before: &[Measure]) -> Option<MeasureId> {
    let node = keys.find("against")?;
    if keys.find("over").is_none() {
        node.wrong(
            "`against` is the measure of another curve",
            "say in `over` which curve that is",
        );
        return None;
    }
    let names = before.iter().map(|measure| measure.name.as_str());
    let name = node.known("measure", names)?;
    let place = before.iter().position(|measure| measure.name == name);
    place.map(MeasureId)
}

/// Two measures that stand before this one, of the same run.
fn two(keys: &Keys<'_>, key: &'static str, before: &[Measure]) -> Option<(MeasureId, MeasureId)> {
    let node = keys.find(key)?;
    let parts = node.items()?;
    let [first, second] = &parts[..] else {
        node.wrong(
            format!("`{key}` is of two measures that stand before it"),
            format!("write for example {key} = [\"retransmits\", \"sent\"]"),
        );
        return None;
    };
    let (first, second) = (earlier(first, key, before), earlier(second, key, before));
    Some((first?, second?))
}

/// The measures of a sum, all of the same run.
fn sum(keys: &Keys<'_>, before: &[Measure]) -> Option<Vec<MeasureId>> {
    let parts = keys.find("sum")?.items()?;
    parts
        .iter()
        .map(|part| earlier(part, "sum", before))
        .collect()
}

/// A measure that stands before this one, of the same run.
fn earlier(part: &Node<'_>, key: &str, before: &[Measure]) -> Option<MeasureId> {
    let names = before.iter().map(|measure| measure.name.as_str());
    let name = part.known("measure", names)?;
    let at = before.iter().position(|measure| measure.name == name)?;
    if before[at].over.is_some() {
        part.wrong(
            format!("`{name}` is over a curve, and `{key}` is of one run"),
            format!("give the {key} an `over` instead"),
        );
        return None;
    }
    Some(MeasureId(at))
}
