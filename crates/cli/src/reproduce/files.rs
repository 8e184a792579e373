//! The files that `reproduce` writes.

use std::fs;
use std::path::{Path, PathBuf};

use dumbbell_lab::claim::Verdicts;
use dumbbell_lab::experiment::{Experiment, Point, Results};
use dumbbell_lab::report;

use super::Args;
use super::chosen::{self, Chosen};
use super::matrix;
use super::work::Done;
use crate::exit::Exit;
use crate::file;

/// Fails before the work if the folder cannot be written to.
pub fn prepare(folder: &Path) -> Result<(), Exit> {
    let wrong = |reason: String| {
        Exit::BadInput(format!(
            "cannot write to the folder {}: {reason}",
            folder.display()
        ))
    };
    if folder.exists() && !folder.is_dir() {
        return Err(wrong("it is a file".to_owned()));
    }
    fs::create_dir_all(folder).map_err(|e| wrong(e.to_string()))?;
    let probe = folder.join("report.html.unfinished");
    fs::write(&probe, "")
        .and_then(|()| fs::remove_file(&probe))
        .map_err(|e| wrong(e.to_string()))?;
    file::check(&folder.join(PAGE))
}

/// The name of the report.
const PAGE: &str = "report.html";

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
        let runs = folder.join(format!("{}{}", experiment.name, report::RUNS));
        file::write(&runs, &experiment.runs_csv(results, args.seed))?;
        write_scenarios(experiment, points, folder)?;
    }
    for (paper, verdicts) in chosen.iter().zip(found) {
        let notes = folder.join(format!("{}{}", paper.name, report::NOTES));
        file::write(&notes, paper.notes)?;
        let record = folder.join(record(paper.name));
        // Verdicts on other figures with the same settings stay.
        let earlier = fs::read_to_string(&record).ok();
        let earlier = earlier.and_then(|text| Verdicts::parse(&text).ok());
        let mut all = earlier
            .filter(|earlier| earlier.settings == verdicts.settings)
            .unwrap_or_else(|| Verdicts::new(verdicts.settings));
        for (experiment, claim, verdict) in verdicts.iter() {
            all.insert(experiment, claim, verdict);
        }
        file::write(&record, &all.write())?;
    }
    if let Some(measured) = &done.matrix {
        matrix::write(measured, folder, args.seed)?;
    }
    let page = folder.join(PAGE);
    let document = super::report::document(chosen, done, args);
    file::write(&page, &report::html(&document))?;
    Ok(page)
}

fn write_figures(experiment: &Experiment, results: &Results, folder: &Path) -> Result<(), Exit> {
    for (place, panel) in experiment.panels.iter().enumerate() {
        if panel.is_table() {
            let name = format!("{}.csv", experiment.file_stem(panel));
            file::write(
                &folder.join(name),
                &experiment.tabular(place, results).csv(),
            )?;
            continue;
        }
        let figure = experiment.figure(place, results);
        let svg = figure.svg().map_err(Exit::Failed)?;
        for (ending, text) in [("csv", figure.csv()), ("svg", svg)] {
            let name = format!("{}.{ending}", experiment.file_stem(panel));
            file::write(&folder.join(name), &text)?;
        }
        if let Some(marks) = experiment.marks(place, results) {
            let name = format!("{}{}", experiment.file_stem(panel), report::EPOCHS);
            file::write(&folder.join(name), &marks.csv())?;
        }
    }
    Ok(())
}

/// An empty folder for the scenarios of a figure.
pub fn scenarios(folder: &Path, name: &str) -> Result<PathBuf, Exit> {
    let folder = folder.join(report::SCENARIOS).join(name);
    let failed = |e| Exit::Failed(format!("cannot write to {}: {e}", folder.display()));
    fs::create_dir_all(&folder).map_err(failed)?;
    // Those of other settings would lie beside these.
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            fs::remove_file(path).map_err(failed)?;
        }
    }
    Ok(folder)
}

fn write_scenarios(experiment: &Experiment, points: &[Point], folder: &Path) -> Result<(), Exit> {
    let folder = scenarios(folder, &experiment.name)?;
    for point in points {
        let path = folder.join(experiment.file_of(point));
        file::write(&path, &point.scenario.canonical())?;
    }
    Ok(())
}
