//! The files of a reproduction: the report, drawings, tables, runs, scenarios, verdicts and notes.

use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::execution::Part;
use super::explored::ReproducedExploration;
use super::figure::{ReproducedFigure, Shown};
use super::library::{MATRIX, record};
use super::matrix::ReproducedMatrix;
use super::value::{ReproducedPaper, Reproduction};
use crate::claim::Verdicts;
use crate::figure::Figure;
use crate::file::{self, Unwritable};
use crate::report;

/// The name of the report.
pub const PAGE: &str = "report.html";

/// Why a reproduction could not be written to its folder.
#[derive(Debug)]
pub enum NotWritten {
    /// A file cannot be written.
    File(Unwritable),
    /// A folder cannot be created or emptied.
    Folder {
        /// The folder.
        path: PathBuf,
        /// The reason, in words.
        reason: String,
    },
    /// The error message of the drawing library.
    Drawing(String),
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => file.fmt(f),
            Self::Folder { path, reason } => {
                write!(f, "cannot write to the folder {}: {reason}", path.display())
            }
            Self::Drawing(reason) => f.write_str(reason),
        }
    }
}

impl Error for NotWritten {}

impl From<Unwritable> for NotWritten {
    fn from(file: Unwritable) -> Self {
        Self::File(file)
    }
}

/// Creates the folder, and checks, before any work is done, whether the files can be written
/// afterwards.
///
/// # Errors
/// [`NotWritten`] if they cannot be written.
pub fn prepare(folder: &Path) -> Result<(), NotWritten> {
    let wrong = |reason: String| NotWritten::Folder {
        path: folder.to_owned(),
        reason,
    };
    if folder.exists() && !folder.is_dir() {
        return Err(wrong("it is a file".to_owned()));
    }
    fs::create_dir_all(folder).map_err(|e| wrong(e.to_string()))?;
    let probe = folder.join("report.html.unfinished");
    fs::write(&probe, "")
        .and_then(|()| fs::remove_file(&probe))
        .map_err(|e| wrong(e.to_string()))?;
    Ok(file::check(&folder.join(PAGE))?)
}

impl Reproduction {
    /// Writes all files to a folder, and returns the path of the report. The report shows `seconds`
    /// as the duration of the reproduction.
    ///
    /// # Errors
    /// [`NotWritten`] for the first file that cannot be written.
    pub fn write(&self, folder: &Path, seconds: f64) -> Result<PathBuf, NotWritten> {
        for paper in &self.papers {
            for figure in &paper.figures {
                self.write_figure(figure, folder)?;
            }
            write_paper(paper, folder)?;
        }
        for explored in &self.explorations {
            write_exploration(explored, folder)?;
        }
        if let Some(matrix) = &self.matrix {
            self.write_matrix(matrix, folder)?;
        }
        self.write_page(folder, seconds)
    }

    /// Writes the files of a part that is complete.
    pub(super) fn write_part(&self, part: Part<'_>, folder: &Path) -> Result<(), NotWritten> {
        match part {
            Part::Figure(figure) => {
                self.write_figure(figure, folder)?;
                let name = &figure.experiment.name;
                let has_it = |paper: &&ReproducedPaper| {
                    let mut figures = paper.figures.iter();
                    figures.any(|figure| figure.experiment.name == *name)
                };
                let paper = self.papers.iter().find(has_it);
                paper.map_or(Ok(()), |paper| write_paper(paper, folder))
            }
            Part::Exploration(explored) => write_exploration(explored, folder),
            Part::Matrix(matrix) => self.write_matrix(matrix, folder),
        }
    }

    /// Writes the report, and returns its path.
    pub(super) fn write_page(&self, folder: &Path, seconds: f64) -> Result<PathBuf, NotWritten> {
        let page = folder.join(PAGE);
        file::write(&page, &report::html(&self.document(seconds)))?;
        Ok(page)
    }

    fn write_figure(&self, figure: &ReproducedFigure, folder: &Path) -> Result<(), NotWritten> {
        let experiment = &figure.experiment;
        for panel in figure.panels() {
            let beside = |ending: &str| folder.join(format!("{}{ending}", panel.stem));
            match &panel.shown {
                Shown::Table(table) => file::write(&beside(".csv"), &table.csv())?,
                Shown::Measured(figure) => write_drawing(figure, beside)?,
                Shown::Sampled { figure, marks, .. } => {
                    write_drawing(figure, beside)?;
                    if let Some(marks) = marks {
                        file::write(&beside(report::EPOCHS), &marks.csv())?;
                    }
                }
            }
        }
        let runs = folder.join(format!("{}{}", experiment.name, report::RUNS));
        let seed = self.settings.seed;
        file::write(&runs, &experiment.runs_csv(&figure.results, seed))?;
        let folder = scenarios(folder, &experiment.name)?;
        for point in &figure.points {
            let path = folder.join(experiment.file_of(point));
            file::write(&path, &point.scenario.canonical())?;
        }
        Ok(())
    }

    /// Writes the tables, the runs, the drawings and the scenario of every cell.
    fn write_matrix(&self, found: &ReproducedMatrix, folder: &Path) -> Result<(), NotWritten> {
        let ReproducedMatrix {
            matrix,
            tasks,
            results,
            tables,
        } = found;
        let beside = |ending: &str| folder.join(format!("{MATRIX}.{ending}"));
        file::write(&beside("csv"), &matrix.csv(tables))?;
        let runs = results.runs_csv(matrix, self.settings.seed);
        file::write(&beside("runs.csv"), &runs)?;
        let names = matrix.paths.iter().map(|path| path.name.as_str());
        let paths = (0..matrix.paths.len()).map(Some).zip(names);
        for (path, name) in paths.chain([(None, "overall")]) {
            let picture = matrix.picture(tables, path);
            let beside = |ending: &str| folder.join(format!("{MATRIX}-{name}.{ending}"));
            file::write(&beside("csv"), &picture.csv())?;
            let svg = picture.svg().map_err(NotWritten::Drawing)?;
            file::write(&beside("svg"), &svg)?;
        }
        let folder = scenarios(folder, MATRIX)?;
        for task in tasks {
            let path = folder.join(matrix.file_of(task));
            file::write(&path, &task.scenario.canonical())?;
        }
        Ok(())
    }
}

fn write_drawing(figure: &Figure, beside: impl Fn(&str) -> PathBuf) -> Result<(), NotWritten> {
    let svg = figure.svg().map_err(NotWritten::Drawing)?;
    file::write(&beside(".csv"), &figure.csv())?;
    Ok(file::write(&beside(".svg"), &svg)?)
}

fn write_exploration(explored: &ReproducedExploration, folder: &Path) -> Result<(), NotWritten> {
    let name = explored.name();
    file::write(&folder.join(format!("{name}.csv")), &explored.csv())?;
    // Always whole, so those of readings that no longer exist do not stay.
    Ok(file::write(
        &folder.join(record(&name)),
        &explored.verdicts.write(),
    )?)
}

/// Writes a paper's notes and its verdicts.
fn write_paper(paper: &ReproducedPaper, folder: &Path) -> Result<(), NotWritten> {
    let notes = folder.join(format!("{}{}", paper.about.name, report::NOTES));
    file::write(&notes, &paper.about.notes)?;
    merge(&folder.join(record(&paper.about.name)), &paper.verdicts)
}

/// Writes verdicts. Earlier ones on other figures with the same settings are kept.
pub(super) fn merge(record: &Path, found: &Verdicts) -> Result<(), NotWritten> {
    let earlier = fs::read_to_string(record).ok();
    let earlier = earlier.and_then(|text| Verdicts::parse("", &text).ok());
    let mut all = earlier
        .filter(|earlier| earlier.settings == found.settings)
        .unwrap_or_else(|| Verdicts::new(found.settings));
    for (experiment, claim, verdict) in found.iter() {
        all.insert(experiment, claim, verdict);
    }
    Ok(file::write(record, &all.write())?)
}

/// Creates an empty folder for the scenarios of a figure.
fn scenarios(folder: &Path, name: &str) -> Result<PathBuf, NotWritten> {
    let folder = folder.join(report::SCENARIOS).join(name);
    let failed = |e: std::io::Error| NotWritten::Folder {
        path: folder.clone(),
        reason: e.to_string(),
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    // Otherwise files of other settings would remain beside the new ones.
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            fs::remove_file(path).map_err(failed)?;
        }
    }
    Ok(folder)
}
