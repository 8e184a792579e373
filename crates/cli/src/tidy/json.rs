//! The results of a run as an object of JSON, which docs/results.schema.json describes.

use std::io::{self, Write};

use dumbbell_lab::table::Table;
use dumbbell_lab::table::json::Object;
use dumbbell_lab::tidy::{self, Kind};
use dumbbell_run::outcome::{FlowOutcome, LinkOutcome, Outcome, WorkloadOutcome};
use dumbbell_scenario::Scenario;
use serde::Serialize;

use crate::timed::Timed;

#[derive(Serialize)]
struct Line<'r> {
    scenario: Option<&'r str>,
    file: &'r str,
    seed: u64,
    measured: Span,
    groups: Vec<Object<'r>>,
    flows: &'r [FlowOutcome],
    links: &'r [LinkOutcome],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    workloads: &'r [WorkloadOutcome],
    jain_all: Option<f64>,
    packets: u64,
    events: u64,
    version: &'r str,
    wall_s: Option<f64>,
    cpu_s: Option<f64>,
}

/// A span of a run, in seconds.
#[derive(Serialize)]
struct Span {
    from: f64,
    to: f64,
}

/// Prints the results of a run of the scenario in `file` as one line.
///
/// # Errors
/// If standard output cannot be written to.
pub fn print(file: &str, scenario: &Scenario, run: &Timed) -> io::Result<()> {
    // Everything that an outcome has is named here, so that nothing new is forgotten.
    let Outcome {
        flows,
        links,
        groups: _,
        workloads,
        packets,
        events,
        seed,
        version,
    } = &run.outcome;
    let groups = groups(&run.outcome);
    let line = Line {
        scenario: scenario.name.as_deref(),
        file,
        seed: *seed,
        measured: Span {
            from: scenario.warmup.as_secs_f64(),
            to: scenario.duration.as_secs_f64(),
        },
        groups: groups.objects().collect(),
        flows,
        links,
        workloads,
        jain_all: tidy::jain_all(&run.outcome),
        packets: *packets,
        events: *events,
        version,
        wall_s: run.wall_s,
        cpu_s: run.cpu_s,
    };
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &line)?;
    out.write_all(b"\n")
}

/// The groups of a run, without its seed.
fn groups(outcome: &Outcome) -> Table {
    let mut groups = tidy::table(Kind::Groups, [outcome]);
    groups.columns.retain(|column| column.name != "seed");
    groups
}
