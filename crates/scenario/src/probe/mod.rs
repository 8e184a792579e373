//! The samples that are taken while a scenario runs.

mod equation;
mod value;

use std::ops::RangeInclusive;

use dumbbell_control::estimator::{self, AnyConfig};
use dumbbell_control::units::Duration;
use serde_json::json;

use crate::document::Table;
use crate::form::{Form, value as form};
use crate::key::record::{Record, record};
use crate::key::{Set, Shape, Span};
use crate::text::Lines;

pub use equation::Equation;
pub use value::ProbeValue;

/// The permitted values of `interval`.
const INTERVAL: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(24 * 3600);

/// The key of the table.
pub(crate) const KEY: &str = "probe";

record! {
    /// Periodic samples of a run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Probe {
        /// Time from one sample to the next.
        interval: Duration = Span(INTERVAL).usually(Duration::from_millis(100), |form| form
            .means("time from one sample to the next")),
        /// The values that are sampled, each at most once, in the order of [`ProbeValue::ALL`].
        values: Vec<ProbeValue> = values().usually(ProbeValue::ALL.to_vec(), |form| form
            .means("the values that are sampled, each at most once")),
        /// Bandwidth estimators that run beside the control of each TCP flow: each at most once, in the
        /// order of [`estimator::NAMES`].
        estimate: Vec<AnyConfig> = estimators().usually(Vec::new(), |form| form
            .means("bandwidth estimators that run beside each control and are sampled, each at most once")
            .ranging("names, see below")
            .such_as([json!(["sarbe", "tustin"])])),
        /// The throughput equation that predicts the rate of each TCP flow.
        equation: Option<Equation> = equation::ANY.usually(None, |form| form
            .means("the throughput equation that predicts the rate of each TCP flow from its measurements")
            .ranging("`\"none\"`, `\"reno\"` or `\"veno\"`")),
    }
}

fn values() -> Set<ProbeValue> {
    Set {
        known: ProbeValue::ALL.map(|value| (value.name(), value)).to_vec(),
        help: "the values are",
        each: "what is sampled",
        explain: ProbeValue::meaning,
        example: "[\"cwnd\", \"queue\"]",
    }
}

fn estimators() -> Set<AnyConfig> {
    Set {
        known: estimator::all()
            .map(|config| (config.name(), config))
            .collect(),
        help: "there is",
        each: "an estimator",
        explain: |config| config.summary(),
        example: "[\"sarbe\", \"tustin\"]",
    }
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(100),
            values: ProbeValue::ALL.to_vec(),
            estimate: Vec::new(),
            equation: None,
        }
    }
}

/// Reads the table `probe`.
pub(crate) fn read(root: &Table<'_>) -> Option<Probe> {
    match root.find(KEY) {
        None => Some(Probe::default()),
        Some(node) => Probe::read(&node.table(Probe::KEYS, &[], "{ interval = \"0.1 s\" }")?),
    }
}

/// Writes the table.
pub(crate) fn write(probe: &Probe, out: &mut Lines) {
    out.head("[probe]");
    out.set_all(probe.write());
}

/// Returns the table as a schema.
pub(crate) fn form() -> Form {
    form::table(&Probe::forms())
        .means("what is sampled over time")
        .otherwise("everything, ten times a second")
}
