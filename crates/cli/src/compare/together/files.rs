//! The files of the report on mixtures.

use std::path::Path;

use dumbbell_lab::comparison::{Beside, Comparison, Connections, Contender, PLACES};
use dumbbell_live::mixture::{Group, Mixed, Together};
use dumbbell_scenario::Scenario;

use super::tabular;
use crate::exit::Exit;

/// Writes the page, the drawings as SVG and CSV, one line per connection and run, and everything as JSON.
pub fn write(
    folder: &Path,
    scenario: &Scenario,
    found: &Together,
    facts: Vec<(&'static str, String)>,
) -> Result<(), Exit> {
    let shown = shown(scenario, found, facts);
    let json = serde_json::to_string(found).map_err(|error| Exit::Failed(error.to_string()))?;
    super::super::files::write_all(
        folder,
        &shown,
        &found.runs_csv(),
        &found.windows_csv(),
        &json,
    )
}

/// Converts the measurements into the form that the page uses.
fn shown(scenario: &Scenario, found: &Together, facts: Vec<(&'static str, String)>) -> Comparison {
    let connections = tabular::connections(found);
    let mixtures = tabular::mixtures(found);
    let several = found.mixtures.len() > 1;
    let groups = found.mixtures.iter().flat_map(|mixed| {
        let groups = mixed.groups().into_iter();
        groups.map(move |group| contender(mixed, &group, several, found.duration_s))
    });
    Comparison {
        title: scenario.name.as_deref().unwrap_or("one path").to_owned(),
        about: scenario.description.clone().unwrap_or_default(),
        heading: tabular::heading(scenario, found),
        warnings: found.warnings(),
        heads: connections.heads,
        rows: connections.rows,
        compared: Vec::new(),
        contenders: groups.collect(),
        beside: Some(Beside {
            heads: mixtures.heads,
            rows: mixtures.rows,
            mixtures: found.mixtures.iter().map(windows).collect(),
        }),
        first_seed: found.first_seed,
        lateness: found.lateness(),
        repeated: found.repeated(),
        facts,
        scenario: scenario.canonical(),
    }
}

/// The connections of a mixture that are alike.
fn contender(mixed: &Mixed, group: &Group, several: bool, duration_s: f64) -> Contender {
    let label = match several {
        true => format!("{} ({})", group.label, mixed.label),
        false => group.label.clone(),
    };
    let simulated = mixed.predicted_windows(group, duration_s, PLACES);
    Contender {
        label,
        runs: mixed.runs.len(),
        goodput: mixed.goodput(group),
        predicted_goodput: mixed.predicted_goodput(group),
        first_window: Vec::new(),
        windows: mixed.windows(group, duration_s, PLACES),
        predicted_windows: (!simulated.is_empty()).then_some(simulated),
    }
}

/// The windows of all connections with the first seed.
fn windows(mixed: &Mixed) -> Connections {
    let flows = mixed.runs.first().map_or(&[][..], |run| &run.flows);
    let windows = flows.iter().zip(&mixed.members).enumerate();
    let windows = windows.filter_map(|(place, (flow, label))| {
        let samples = &flow.tcp()?.samples;
        let window = samples.iter().map(|it| (it.at_s, f64::from(it.cwnd)));
        Some((format!("{label} ({})", place + 1), window.collect()))
    });
    Connections {
        label: mixed.label.clone(),
        windows: windows.collect(),
    }
}
