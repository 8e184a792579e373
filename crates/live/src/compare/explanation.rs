//! What makes the simulator differ from the kernel, as results.

use dumbbell_run::statistics::Estimate;
use serde::{Serialize, Serializer};

use super::measure::Measure;

/// What makes a control differ.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The control's displayed name.
    pub label: String,
    /// The number of runs of the simulator behind each value.
    pub runs: u32,
    /// The quantities that differ.
    pub gaps: Vec<Gap>,
}

/// A quantity in which a real stack and the simulator differ by more than both intervals and one percent.
#[derive(Clone, Debug, Serialize)]
pub struct Gap {
    /// The quantity, in the units of [`Measure`].
    pub quantity: Measure,
    /// Its value in the real stack.
    #[serde(serialize_with = "pair")]
    pub real: Estimate,
    /// Its value in the simulator, from the runs of the explanation.
    #[serde(serialize_with = "pair")]
    pub simulator: Estimate,
    /// What each switch changes, the largest change towards the real stack first.
    pub switches: Vec<Moved>,
}

/// What the simulator does with a switch turned the other way.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    /// The switch: keys with their values, or what is done to the path.
    pub switch: String,
    /// The quantity with it.
    #[serde(serialize_with = "pair")]
    pub simulator: Estimate,
    /// Which part of the way to the real stack it moves the simulator: 1 is all of it, less than 0 is away from it.
    pub part: f64,
    /// Whether the change exceeds both intervals of the simulator.
    pub certain: bool,
}

/// Writes a mean and its interval.
fn pair<S: Serializer>(estimate: &Estimate, to: S) -> Result<S::Ok, S::Error> {
    (estimate.mean, estimate.half_width).serialize(to)
}
