//! The files that `reproduce` writes.

use std::fs;
use std::path::{Path, PathBuf};

use dumbbell_lab::claim::Verdicts;
use dumbbell_lab::experiment::{Experiment, Point, Results};
use dumbbell_lab::report;

use super::Args;
use super::chosen::{self, Chosen};
use super::work::Done;
use crate::exit::Exit;
use crate::file;

/// Fails before the work if the folder cannot be written to.
pub fn prepare(folder: &Path) -> Result<(), Exit> {
    fs::create_dir_all(folder).map_err(|e| {
        Exit::BadInput(format!(
            "cannot write to the folder {}: {e}",
            folder.display()
        ))
    })
}

/// The name of the file of a paper's verdicts.
pub fn record(paper: &str) -> String {
    format!("{paper}.verdicts.toml")
}

/// Writes everything, and answers where the report is.
pub fn write(
    chosen: &[Chosen],
    done: &Done,
    found: &[Verdicts],
    args: &Args,
) -> Result<PathBuf, Exit> {
    let folder = args.out.as_path();
    let measured = done.results.iter().zip(&done.points);
    for (experiment, (results, points)) in chosen::experiments(chosen).zip(measured) {
        write_figures(experiment, results, folder)?;
        let runs = folder.join(format!("{}.runs.csv", experiment.name));
        file::write(&runs, &experiment.runs_csv(results, args.seed))?;
        write_scenarios(experiment, points, folder)?;
    }
    for (paper, verdicts) in chosen.iter().zip(found) {
        let record = folder.join(record(paper.name));
        file::write(&record, &verdicts.write())?;
    }
    let page = folder.join("report.html");
    let document = super::report::document(chosen, done, args);
    file::write(&page, &report::html(&document))?;
    Ok(page)
}

fn write_figures(experiment: &Experiment, results: &Results, folder: &Path) -> Result<(), Exit> {
    for panel in &experiment.panels {
        let figure = experiment.figure(panel, results);
        let svg = figure.svg().map_err(Exit::Failed)?;
        for (ending, text) in [("csv", figure.csv()), ("svg", svg)] {
            let name = format!("{}.{ending}", experiment.file_stem(panel));
            file::write(&folder.join(name), &text)?;
        }
    }
    Ok(())
}

fn write_scenarios(experiment: &Experiment, points: &[Point], folder: &Path) -> Result<(), Exit> {
    let folder = folder.join("scenarios").join(&experiment.name);
    prepare(&folder)?;
    for point in points {
        let path = folder.join(experiment.file_of(point));
        file::write(&path, &point.scenario.canonical())?;
    }
    Ok(())
}
