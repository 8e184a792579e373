//! The files of a report.

use std::fs;
use std::path::{Path, PathBuf};

use super::Found;
use crate::exit::Exit;
use crate::file;

/// Creates the folder, and checks that files can be written to it.
pub fn prepare(folder: &Path, page: &str) -> Result<PathBuf, Exit> {
    fs::create_dir_all(folder).map_err(|reason| {
        Exit::BadInput(format!(
            "cannot make the folder {}: {reason}",
            folder.display()
        ))
    })?;
    file::check(&folder.join(page))?;
    Ok(folder.to_owned())
}

/// Writes the page, the drawings as SVG and CSV, one line per run, and everything as JSON.
pub fn write(
    folder: &Path,
    page: &str,
    found: Found,
    facts: Vec<(&'static str, String)>,
) -> Result<(), Exit> {
    let mut shown = found.page;
    shown.facts = facts;
    let json = found
        .json
        .map_err(|error| Exit::Failed(error.to_string()))?;
    let mut pictures = Vec::new();
    for drawing in shown.drawings() {
        let svg = drawing.figure.svg().map_err(Exit::Failed)?;
        file::write(&folder.join(format!("{}.svg", drawing.stem)), &svg)?;
        let csv = drawing.figure.csv();
        file::write(&folder.join(format!("{}.csv", drawing.stem)), &csv)?;
        pictures.push((drawing.stem, svg));
    }
    file::write(&folder.join("runs.csv"), &found.runs_csv)?;
    file::write(&folder.join("windows.csv"), &found.windows_csv)?;
    file::write(&folder.join("scenario.toml"), &shown.scenario)?;
    file::write(&folder.join(shown.json), &json)?;
    // Written last, so that all files of an existing page exist.
    file::write(&folder.join(page), &shown.html(&pictures))?;
    Ok(())
}
