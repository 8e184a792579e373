//! What is measured of a run.

use serde::Deserialize;

use crate::outcome::{FlowOutcome, Outcome};
use crate::statistics;

/// A number that every run gives.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its name in the description.
    pub name: String,
    /// Its quantity and unit, for axes and tables.
    pub label: String,
    /// Which number.
    pub quantity: Quantity,
    /// What it is multiplied by.
    #[serde(default = "one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

/// A number of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The flows' throughput together, in bit/s.
    Throughput,
    /// The flows' goodput together, in bit/s.
    Goodput,
    /// The flows' retransmissions together.
    Retransmits,
    /// The flows' timeouts together.
    Timeouts,
    /// Jain's index of the flows' throughputs.
    Jain,
}

impl Measure {
    /// The number that a run gives; not a number where there is none.
    pub fn of(&self, outcome: &Outcome) -> f64 {
        let flows = &outcome.flows;
        let sum = |of: fn(&FlowOutcome) -> f64| flows.iter().map(of).sum::<f64>();
        let number = match self.quantity {
            Quantity::Throughput => sum(|flow| flow.throughput_bps),
            Quantity::Goodput => sum(|flow| flow.goodput_bps),
            Quantity::Retransmits => sum(|flow| flow.retransmits as f64),
            Quantity::Timeouts => sum(|flow| flow.timeouts as f64),
            Quantity::Jain => {
                let shares: Vec<f64> = flows.iter().map(|flow| flow.throughput_bps).collect();
                statistics::jain(&shares).unwrap_or(f64::NAN)
            }
        };
        number * self.scale
    }
}
