//! Mixtures as they are handed over: the page, the tables and the files.

use dumbbell_lab::comparison::{Beside, Comparison, Connections, Contender, OnHost, PLACES};
use dumbbell_live::mixture::{Group, Mixed, Together};
use dumbbell_scenario::Scenario;

use super::super::page;
use super::tabular;
use crate::trials::Found;

/// Returns what is handed over of mixtures.
pub fn found(scenario: &Scenario, found: &Together) -> Found {
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
fn shown(scenario: &Scenario, found: &Together) -> Comparison {
    let connections = tabular::connections(found);
    let mixtures = tabular::mixtures(found);
    let several = found.mixtures.len() > 1;
    let groups = found.mixtures.iter().flat_map(|mixed| {
        let groups = mixed.groups().into_iter();
        groups.map(move |group| contender(mixed, &group, several, found.duration_s))
    });
    Comparison {
        title: scenario.name.as_deref().unwrap_or("one path").to_owned(),
        kind: page::KIND,
        defined: page::DEFINED,
        json: page::JSON,
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
        facts: Vec::new(),
        scenario: scenario.canonical(),
    }
}

/// The connections of a mixture that are alike.
fn contender(mixed: &Mixed, group: &Group, several: bool, duration_s: f64) -> Contender {
    let label = match several {
        true => format!("{} ({})", group.label, mixed.label),
        false => group.label.clone(),
    };
    let kernel = OnHost {
        host: "kernel",
        goodput: mixed.goodput(group),
        first_window: Vec::new(),
        windows: mixed.windows(group, duration_s, PLACES),
    };
    // A stream of datagrams has no window.
    let predicted = mixed.predicted_goodput(group);
    let simulator = predicted.map(|goodput| OnHost {
        host: "simulator",
        goodput: Some(goodput),
        first_window: Vec::new(),
        windows: mixed.predicted_windows(group, duration_s, PLACES),
    });
    Contender {
        label,
        runs: mixed.runs.len(),
        hosts: std::iter::once(kernel).chain(simulator).collect(),
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
