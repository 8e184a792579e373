//! The files of a comparison's report.

use std::fs;
use std::path::{Path, PathBuf};

use dumbbell_lab::comparison::{self, Contender, PLACES};
use dumbbell_live::compare::{Comparison, Row};
use dumbbell_scenario::Scenario;

use super::tabular;
use crate::exit::Exit;
use crate::file;

/// The file name of the report's page.
pub const PAGE: &str = "compare.html";

/// Creates the folder, and checks that files can be written to it, so that a failure comes before the
/// work.
pub fn prepare(folder: &Path) -> Result<PathBuf, Exit> {
    fs::create_dir_all(folder).map_err(|reason| {
        Exit::BadInput(format!(
            "cannot make the folder {}: {reason}",
            folder.display()
        ))
    })?;
    file::check(&folder.join(PAGE))?;
    Ok(folder.to_owned())
}

/// Writes the page, the drawings as SVG and CSV, one line per run, and everything as JSON.
pub fn write(
    folder: &Path,
    scenario: &Scenario,
    found: &Comparison,
    facts: Vec<(&'static str, String)>,
) -> Result<(), Exit> {
    let shown = shown(scenario, found, facts);
    let json = serde_json::to_string(found).map_err(|error| Exit::Failed(error.to_string()))?;
    write_all(
        folder,
        &shown,
        &found.runs_csv(),
        &found.windows_csv(),
        &json,
    )
}

/// Writes what was measured, and the page that shows it.
pub fn write_all(
    folder: &Path,
    shown: &comparison::Comparison,
    runs: &str,
    windows: &str,
    json: &str,
) -> Result<(), Exit> {
    let mut pictures = Vec::new();
    for drawing in shown.drawings() {
        let svg = drawing.figure.svg().map_err(Exit::Failed)?;
        file::write(&folder.join(format!("{}.svg", drawing.stem)), &svg)?;
        let csv = drawing.figure.csv();
        file::write(&folder.join(format!("{}.csv", drawing.stem)), &csv)?;
        pictures.push((drawing.stem, svg));
    }
    file::write(&folder.join("runs.csv"), runs)?;
    file::write(&folder.join("windows.csv"), windows)?;
    file::write(&folder.join("scenario.toml"), &shown.scenario)?;
    file::write(&folder.join("compare.json"), json)?;
    // Written last, so that all files of an existing page exist.
    file::write(&folder.join(PAGE), &shown.html(&pictures))?;
    Ok(())
}

/// Converts the measurements into the form that the page uses.
fn shown(
    scenario: &Scenario,
    found: &Comparison,
    facts: Vec<(&'static str, String)>,
) -> comparison::Comparison {
    let cells = tabular::cells(found);
    let title = scenario.name.as_deref().unwrap_or("one path");
    let contender = |row: &Row| contender(row, found.duration_s);
    comparison::Comparison {
        title: title.to_owned(),
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
        facts,
        scenario: scenario.canonical(),
    }
}

fn contender(row: &Row, duration_s: f64) -> Contender {
    let first = row
        .runs
        .first()
        .map_or(&[][..], |run| &run.measured.samples);
    Contender {
        label: row.label.clone(),
        runs: row.runs.len(),
        goodput: row.goodput(),
        predicted_goodput: row.predicted_goodput(),
        first_window: first
            .iter()
            .map(|it| (it.at_s, f64::from(it.cwnd)))
            .collect(),
        windows: row.windows(duration_s, PLACES),
        predicted_windows: (!row.predicted.is_empty())
            .then(|| row.predicted_windows(duration_s, PLACES)),
    }
}
