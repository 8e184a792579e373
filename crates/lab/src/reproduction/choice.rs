//! The choice of papers and figures, and the verdicts to compare with.

use std::error::Error;
use std::fmt;
use std::fs;
use std::iter::once;
use std::path::{Path, PathBuf};

use dumbbell_scenario::suggest;

use super::explored::{ChosenExploration, exploration_name};
use super::library::{About, EXPLORED, Library, MATRIX, Paper, record};
use crate::claim::{Settings, Verdicts};
use crate::experiment::{Experiment, Null};
use crate::exploration::Reading;
use crate::matrix::Matrix;

/// The part of a library that is to be reproduced.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The words of the command that repeats it, without those of the settings.
    pub words: Vec<String>,
    /// The first seed, and whether this is a quick reproduction.
    pub settings: Settings,
    /// The chosen papers, with the chosen figures.
    pub papers: Vec<ChosenPaper>,
    /// The matrix, if chosen.
    pub matrix: Option<Matrix>,
    /// The chosen explorations.
    pub explorations: Vec<ChosenExploration>,
    /// Whether every curve is to be the baseline.
    pub null: bool,
}

/// A paper with the chosen figures.
#[derive(Clone, Debug)]
pub struct ChosenPaper {
    /// The paper's metadata.
    pub about: About,
    /// The figures, reduced if this is a quick reproduction.
    pub experiments: Vec<Experiment>,
    /// Whether these are all of the paper's figures.
    pub whole: bool,
    /// The verdicts to compare with.
    pub recorded: Verdicts,
    /// The names of the readings of its text that were explored.
    pub readings: Vec<Reading>,
    /// The recorded verdicts under these readings.
    pub explored: Verdicts,
    /// What makes every curve the baseline.
    pub null: Null,
    /// The claims that are known to hold then.
    pub null_recorded: Option<Verdicts>,
}

/// A name that is neither that of a paper nor that of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    name: String,
    known: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.join(", ");
        write!(
            f,
            "there is no paper or figure `{}`; there are: {known}",
            self.name
        )?;
        match suggest::nearest(&self.name, self.known.iter().map(String::as_str)) {
            Some(nearest) => write!(f, "\n  = help: did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

impl Error for Unknown {}

/// A folder whose verdicts cannot be used for a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomparable {
    path: PathBuf,
    reason: String,
}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot compare with {}: {}\n  = help: a folder that `dumbbell reproduce --out` wrote is required",
            self.path.display(),
            self.reason
        )
    }
}

impl Error for Incomparable {}

impl Library {
    /// All valid names: those of papers, of their figures and explorations, of all explorations
    /// together, and of the matrix.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let of_paper = |paper: &Paper| {
            let figures = paper.figures().map(str::to_owned);
            let names = once(paper.name().to_owned()).chain(figures);
            let explored = !paper.exploration.readings.is_empty();
            let explored = explored.then(|| exploration_name(paper.name()));
            names.chain(explored).collect::<Vec<_>>()
        };
        let others = [EXPLORED, MATRIX].map(str::to_owned);
        self.papers.iter().flat_map(of_paper).chain(others)
    }

    /// Chooses the papers, figures and explorations with these names; if there are none, all papers
    /// and figures except those of studies, and the matrix.
    ///
    /// # Errors
    /// [`Unknown`] if a name is not valid.
    pub fn choose(self, names: &[String], settings: Settings) -> Result<Chosen, Unknown> {
        let known: Vec<String> = self.names().collect();
        if let Some(name) = names.iter().find(|name| !known.contains(name)) {
            let name = name.clone();
            return Err(Unknown { name, known });
        }
        let explorations = self.papers.iter();
        let explorations = explorations.filter(|paper| paper.is_explored(names));
        let explorations = explorations.map(|paper| paper.explore(settings.quick));
        let explorations = explorations.collect();
        let papers = self.papers.into_iter();
        let papers = papers.filter(|paper| !(names.is_empty() && paper.about.study));
        let wanted = papers.filter_map(|paper| paper.choose(names, settings.quick));
        let matrix = names.is_empty() || names.iter().any(|name| name == MATRIX);
        Ok(Chosen {
            words: once("reproduce".to_owned())
                .chain(names.iter().cloned())
                .collect(),
            settings,
            papers: wanted.collect(),
            explorations,
            null: false,
            matrix: matrix.then(|| match settings.quick {
                true => self.matrix.quick(),
                false => self.matrix,
            }),
        })
    }
}

impl Paper {
    fn name(&self) -> &str {
        &self.about.name
    }

    fn figures(&self) -> impl Iterator<Item = &str> {
        self.experiments.iter().map(|it| it.name.as_str())
    }

    fn is_explored(&self, names: &[String]) -> bool {
        let own = exploration_name(self.name());
        let is_named = names.iter().any(|name| *name == own || name == EXPLORED);
        is_named && !self.exploration.readings.is_empty()
    }

    /// Its exploration.
    fn explore(&self, quick: bool) -> ChosenExploration {
        let recorded = if quick {
            &self.explored_quick
        } else {
            &self.explored_full
        };
        ChosenExploration {
            about: self.about.clone(),
            exploration: self.exploration.clone(),
            figures: self.experiments.clone(),
            recorded: recorded.clone(),
        }
    }

    /// The part of the paper that these names choose; `None` if they choose nothing of it.
    fn choose(self, names: &[String], quick: bool) -> Option<ChosenPaper> {
        let mut experiments = self.experiments;
        let all = experiments.len();
        if !names.is_empty() && !names.contains(&self.about.name) {
            experiments.retain(|it| names.contains(&it.name));
            if experiments.is_empty() {
                return None;
            }
        }
        let whole = experiments.len() == all;
        let (experiments, recorded, explored) = if quick {
            let small = experiments.into_iter().map(Experiment::quick);
            (small.collect(), self.quick, self.explored_quick)
        } else {
            (experiments, self.full, self.explored_full)
        };
        Some(ChosenPaper {
            about: self.about,
            experiments,
            whole,
            recorded,
            null: self.exploration.null,
            null_recorded: self.null,
            readings: self.exploration.readings,
            explored,
        })
    }
}

impl Chosen {
    /// A matrix alone. `words` are those of the command that repeats it, without the settings.
    pub fn of_matrix(matrix: Matrix, words: Vec<String>, settings: Settings) -> Self {
        Self {
            words,
            settings,
            papers: Vec::new(),
            matrix: Some(matrix),
            explorations: Vec::new(),
            null: false,
        }
    }

    /// Makes every curve of the papers' figures the baseline; the matrix and explorations are left
    /// out. The claims that then hold are compared with those that are known to.
    pub fn null(mut self) -> Self {
        self.null = true;
        self.matrix = None;
        self.explorations.clear();
        for paper in &mut self.papers {
            let experiments = std::mem::take(&mut paper.experiments).into_iter();
            let experiments = experiments.map(|it| it.null(&paper.null));
            paper.experiments = experiments.collect();
            // Without a record there is nothing to compare with, as with one of other settings.
            paper.recorded = paper.null_recorded.clone().unwrap_or_else(|| {
                Verdicts::new(Settings {
                    quick: !self.settings.quick,
                    ..self.settings
                })
            });
        }
        self
    }

    /// Compares with the verdicts that an earlier reproduction wrote into a folder, instead of with
    /// the recorded ones.
    ///
    /// # Errors
    /// [`Incomparable`] if the folder has no verdicts on a chosen paper.
    pub fn against(mut self, folder: &Path) -> Result<Self, Incomparable> {
        for paper in &mut self.papers {
            paper.recorded = earlier(&folder.join(record(&paper.about.name)))?;
        }
        for explored in &mut self.explorations {
            let name = exploration_name(&explored.about.name);
            explored.recorded = earlier(&folder.join(record(&name)))?;
        }
        Ok(self)
    }
}

fn earlier(file: &Path) -> Result<Verdicts, Incomparable> {
    let text = fs::read_to_string(file).map_err(|e| e.to_string());
    let shown = file.display().to_string();
    let parse = |text: String| Verdicts::parse(&shown, &text).map_err(|e| e.to_string());
    let verdicts = text.and_then(parse);
    verdicts.map_err(|reason| Incomparable {
        path: file.to_owned(),
        reason,
    })
}
