//! Mixtures as tables for the terminal and the page.

use dumbbell_live::mixture::Together;
use dumbbell_scenario::Scenario;

use crate::trials::text::{Cells, cell, lines, over, ratio};

/// Returns the results of the connections of each mixture, those that are alike in one row.
pub fn connections(found: &Together) -> Cells {
    let several = found.mixtures.len() > 1;
    let streams = found
        .mixtures
        .iter()
        .flat_map(|it| &it.runs)
        .flat_map(|run| &run.flows);
    let missing = match streams.clone().any(|flow| flow.udp().is_some()) {
        true => "resent or lost %",
        false => "resent %",
    };
    let mut heads: Vec<String> = Vec::new();
    heads.extend(several.then(|| "mixture".to_owned()));
    let rest = [
        "flows",
        "control",
        "Mb/s each",
        "share % each",
        missing,
        "RTT ms",
        "simulator Mb/s",
        "kernel / simulator",
    ];
    heads.extend(rest.map(str::to_owned));
    let mut rows = Vec::new();
    for mixed in &found.mixtures {
        for (number, group) in mixed.groups().iter().enumerate() {
            let mut row: Vec<String> = Vec::new();
            let label = if number == 0 {
                mixed.label.as_str()
            } else {
                ""
            };
            row.extend(several.then(|| label.to_owned()));
            row.extend([
                group.places.len().to_string(),
                group.label.clone(),
                cell(mixed.goodput(group), 1e-6, 3),
                cell(mixed.share(group), 1.0, 1),
                cell(mixed.missing(group), 1.0, 2),
                cell(mixed.rtt(group), 1e3, 1),
                cell(mixed.predicted_goodput(group), 1e-6, 3),
                ratio(mixed.agreement(group)),
            ]);
            rows.push(row);
        }
    }
    Cells { heads, rows }
}

/// Returns how each mixture shared the path.
pub fn mixtures(found: &Together) -> Cells {
    let mut heads: Vec<String> = ["mixture", "Jain", "simulator", "all Mb/s", "simulator"]
        .map(str::to_owned)
        .to_vec();
    if found.reference {
        heads.extend(["left to others %", "simulator"].map(str::to_owned));
    }
    let doubtful = found.is_doubtful();
    heads.extend(doubtful.then(|| "doubtful runs".to_owned()));
    let rows = found.mixtures.iter().enumerate().map(|(place, mixed)| {
        let mut row = vec![
            mixed.label.clone(),
            cell(mixed.jain(), 1.0, 3),
            cell(mixed.predicted_jain(), 1.0, 3),
            cell(mixed.total(), 1e-6, 3),
            cell(mixed.predicted_total(), 1e-6, 3),
        ];
        if found.reference {
            row.push(cell(found.left_to_others(place), 1.0, 1));
            row.push(cell(found.predicted_left_to_others(place), 1.0, 1));
        }
        row.extend(doubtful.then(|| format!("{} of {}", mixed.doubtful(), mixed.runs.len())));
        row
    });
    Cells {
        heads,
        rows: rows.collect(),
    }
}

/// Returns the tables, with their heading and warnings.
pub fn of(scenario: &Scenario, found: &Together) -> String {
    let mut text = heading(scenario, found);
    text.push('\n');
    for cells in [connections(found), mixtures(found)] {
        text += &cells.table();
    }
    text += &lines(&found.warnings());
    text
}

/// Returns a line that says what was compared.
pub fn heading(scenario: &Scenario, found: &Together) -> String {
    let runs = found.mixtures.first().map_or(0, |it| it.runs.len());
    over(
        scenario,
        "each mixture",
        runs,
        found.duration_s,
        found.first_seed,
    )
}
