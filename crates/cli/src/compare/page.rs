//! A comparison as it is handed over: its page, its tables and its files.

use dumbbell_lab::comparison::{self, Contender, OnHost, PLACES};
use dumbbell_live::compare::{Comparison, Measure, Row};
use dumbbell_scenario::Scenario;

use super::tabular;
use crate::trials::Found;

/// The file name of the page.
pub const NAME: &str = "compare.html";
/// The title of the page, after the name of the path.
pub const KIND: &str = "controls compared";
/// The file name of everything as JSON.
pub const JSON: &str = "compare.json";
/// How the numbers are defined.
pub const DEFINED: &str = "\
<p>Goodput is what the receiver's program read. <em>Against</em> compares runs of the same seed. The simulator has the
same network and seeds, and a sender as Linux has it (<code>stack = \"linux\"</code>); docs/parity.md says how close that comes. Random
losses do not hit the same packets.</p>
<p>Goodput is what arrived in order; RTT the mean over time of the smoothed round-trip time by which the sender's timer runs;
resent the share of data segments that were retransmissions; between cuts the time of all runs divided by the number of loss
episodes, of tails that a probe has repaired, and of expiries of the retransmission timer. All are defined alike in the kernel
and in the simulator.</p>";

/// Returns what is handed over of a comparison.
pub fn found(scenario: &Scenario, found: &Comparison) -> Found {
    Found {
        runs: found.runs(),
        is_doubtful: found.is_doubtful(),
        text: tabular::of(scenario, found),
        page: shown(scenario, found),
        runs_csv: found.runs_csv(),
        windows_csv: found.windows_csv(),
        json: serde_json::to_string(found),
    }
}

/// Converts the measurements into the form that the page uses.
fn shown(scenario: &Scenario, found: &Comparison) -> comparison::Comparison {
    let cells = tabular::cells(found);
    let title = scenario.name.as_deref().unwrap_or("one path");
    let contender = |row: &Row| contender(row, found.duration_s);
    comparison::Comparison {
        title: title.to_owned(),
        kind: KIND,
        defined: DEFINED,
        json: JSON,
        about: scenario.description.clone().unwrap_or_default(),
        heading: tabular::heading(scenario, found),
        warnings: found.warnings(),
        heads: cells.heads,
        rows: cells.rows,
        compared: tabular::compared(found),
        contenders: found.rows.iter().map(contender).collect(),
        beside: None,
        first_seed: found.first_seed,
        lateness: found.lateness(),
        repeated: found.repeated(),
        facts: Vec::new(),
        scenario: scenario.canonical(),
    }
}

fn contender(row: &Row, duration_s: f64) -> Contender {
    let first = row.runs.first();
    let first = first.map_or(&[][..], |run| &run.measured.samples);
    let window = first.iter().map(|it| (it.at_s, f64::from(it.cwnd)));
    let kernel = OnHost {
        host: "kernel",
        goodput: row.measured(Measure::Goodput),
        first_window: window.collect(),
        windows: row.windows(duration_s, PLACES),
    };
    let simulator = (!row.predicted.is_empty()).then(|| OnHost {
        host: "simulator",
        goodput: row.predicted(Measure::Goodput),
        first_window: Vec::new(),
        windows: row.predicted_windows(duration_s, PLACES),
    });
    Contender {
        label: row.label.clone(),
        runs: row.runs.len(),
        hosts: std::iter::once(kernel).chain(simulator).collect(),
    }
}
