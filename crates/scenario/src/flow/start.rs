//! The start times of flows.

use dumbbell_control::units::Duration;
use serde_json::json;

use crate::document::Node;
use crate::form::Form;
use crate::form::value::{array, table, time as time_form};
use crate::limits::MOMENT;
use crate::quantity::Measure;
use crate::text::time;

/// The key in files.
pub(super) const KEY: &str = "start";
const UNIFORM: &str = "uniform";

/// When a flow starts, measured from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this time.
    At(Duration),
    /// At a time drawn from the uniform distribution on `[from, to)`, one draw for each flow.
    Uniform {
        /// The earliest time.
        from: Duration,
        /// The end of the range, later than `from`.
        to: Duration,
    },
}

impl Start {
    /// Returns the latest possible start.
    pub fn latest(self) -> Duration {
        match self {
            Self::At(time) => time,
            Self::Uniform { to, .. } => to,
        }
    }
}

/// Reads the value of `start` in a run of this length.
pub(super) fn read(node: &Node<'_>, duration: Option<Duration>) -> Option<Start> {
    let example = "\"1 s\", or { uniform = [\"0 s\", \"0.1 s\"] }";
    let start = if node.is_table() {
        let table = node.table(&[UNIFORM], &[], example)?;
        read_uniform(&table.need(UNIFORM, "uniform = [\"0 s\", \"0.1 s\"]")?)?
    } else {
        Start::At(node.time(MOMENT)?)
    };
    if let Some(duration) = duration {
        let late = match start {
            Start::At(at) => at >= duration,
            Start::Uniform { to, .. } => to > duration,
        };
        if late {
            let end = Measure::Time.show(duration.as_nanos());
            node.wrong(
                "the flow starts after the end of the run",
                format!("the run ends at {end}, its `duration`"),
            );
        }
    }
    Some(start)
}

fn read_uniform(node: &Node<'_>) -> Option<Start> {
    let bounds = node.array("[\"0 s\", \"0.1 s\"]")?;
    let [from, to] = &bounds[..] else {
        node.wrong(
            "`uniform` has two times, the earliest and the latest",
            "write uniform = [\"0 s\", \"0.1 s\"]",
        );
        return None;
    };
    let from_time = from.time(MOMENT);
    let to_time = to.time(MOMENT);
    let (from, to) = (from_time?, to_time?);
    if from >= to {
        node.wrong(
            "`uniform` ends before it begins",
            "its second time must be later than the first",
        );
    }
    Some(Start::Uniform { from, to })
}

/// Returns the value of `start` as TOML.
pub(super) fn write(start: Start) -> String {
    match start {
        Start::At(at) => time(at),
        Start::Uniform { from, to } => {
            format!("{{ {UNIFORM} = [{}, {}] }}", time(from), time(to))
        }
    }
}

/// Returns the key as a schema.
pub(super) fn form() -> Form {
    let bound = time_form(MOMENT).means("the earliest or the latest time");
    let uniform = array(&bound, 2..=2)
        .means("the earliest and the latest time; one random draw per flow")
        .needed()
        .such_as([json!(["0 s", "0.1 s"])]);
    time_form(MOMENT)
        .or(table(&[(UNIFORM, uniform)]))
        .means("when each starts: a time, or `{ uniform = [from, to] }` for one random draw per flow")
        .ranging("before the end of the run")
        .otherwise(
            "0 s if only one flow has no start time, otherwise a random time between 0 and 0.1 s for each",
        )
        .such_as([json!("1 s"), json!({ "uniform": ["0 s", "0.1 s"] })])
}
