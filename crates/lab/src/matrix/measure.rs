//! The measures by which controls are compared.

use serde::Serialize;

/// The quantity of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The payload that all flows deliver in order, as a percentage of the bottleneck's capacity
    /// for payload.
    Goodput,
    /// Jain's index of the flows' goodputs.
    Fairness,
    /// The goodput of a NewReno flow beside as many flows of the control, divided by its goodput
    /// beside NewReno.
    Friendliness,
    /// Mean time that a packet waits in the bottleneck's queue, in ms.
    Delay,
}

impl Measure {
    /// All measures, in the order of the tables.
    pub const ALL: [Self; 4] = [
        Self::Goodput,
        Self::Fairness,
        Self::Friendliness,
        Self::Delay,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goodput => "goodput",
            Self::Fairness => "fairness",
            Self::Friendliness => "friendliness",
            Self::Delay => "delay",
        }
    }

    /// Its quantity and unit.
    pub fn label(self) -> &'static str {
        match self {
            Self::Goodput => "goodput, % of the bottleneck's capacity for payload",
            Self::Fairness => "fairness, Jain's index",
            Self::Friendliness => "friendliness to NewReno",
            Self::Delay => "queueing delay, ms",
        }
    }

    /// Its unit; empty for an index or a ratio.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Goodput => "%",
            Self::Delay => "ms",
            Self::Fairness | Self::Friendliness => "",
        }
    }

    /// Its full definition.
    pub fn definition(self) -> &'static str {
        match self {
            Self::Goodput => {
                "What all TCP flows of the path deliver in order when all have the control, from the first \
                 start to the end of the run, as a part of what the bottleneck can carry of payload (of several \
                 in a row, the slowest)."
            }
            Self::Fairness => {
                "Jain's index of the flows' goodputs when all have the control: 1 where all are equal, 1/n \
                 where one has everything. A path with one flow is shared by several for this."
            }
            Self::Friendliness => {
                "Half of the flows are NewReno's, half the control's: the mean goodput of a NewReno flow, \
                 divided by that of the same flows in the run with the same seed in which all are NewReno's. \
                 At 1 the control takes nothing from NewReno; below 1 it takes some; above 1 NewReno gains."
            }
            Self::Delay => {
                "The mean time that a packet waits in the bottleneck's queue until its transmission begins, \
                 when all flows have the control; of several bottlenecks in a row, their sum."
            }
        }
    }

    /// Whether less is better.
    pub fn less_is_better(self) -> bool {
        self == Self::Delay
    }

    /// The number of significant decimals.
    pub fn decimals(self) -> usize {
        match self {
            Self::Goodput | Self::Delay => 1,
            Self::Friendliness => 2,
            Self::Fairness => 3,
        }
    }

    /// The largest difference that does not matter.
    pub fn indifference(self) -> f64 {
        match self {
            Self::Goodput | Self::Delay => 1.0,
            Self::Fairness | Self::Friendliness => 0.01,
        }
    }

    /// The value above which more is not better, if there is one.
    pub(super) fn enough(self) -> Option<f64> {
        (self == Self::Friendliness).then_some(1.0)
    }
}
