//! The choice of papers and figures, and the verdicts to compare with.

use std::error::Error;
use std::fmt;
use std::fs;
use std::iter::once;
use std::path::{Path, PathBuf};

use dumbbell_scenario::suggest;

use super::library::{About, Library, MATRIX, Paper};
use crate::claim::{Settings, Verdicts};
use crate::experiment::Experiment;
use crate::matrix::Matrix;

/// The part of a library that is to be reproduced.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The names that were chosen; empty if everything is to be reproduced.
    pub names: Vec<String>,
    /// The first seed, and whether this is a quick reproduction.
    pub settings: Settings,
    /// The chosen papers, with the chosen figures.
    pub papers: Vec<ChosenPaper>,
    /// The matrix, if chosen.
    pub matrix: Option<Matrix>,
}

/// A paper with the chosen figures.
#[derive(Clone, Debug)]
pub struct ChosenPaper {
    /// The paper's metadata.
    pub about: About,
    /// The figures, reduced if this is a quick reproduction.
    pub experiments: Vec<Experiment>,
    /// The verdicts to compare with.
    pub recorded: Verdicts,
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
    /// All valid names: those of papers, of their figures, and of the matrix.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let of_paper = |paper| once(Paper::name(paper)).chain(Paper::figures(paper));
        self.papers.iter().flat_map(of_paper).chain([MATRIX])
    }

    /// Chooses the papers and figures with these names; everything if there are none.
    ///
    /// # Errors
    /// [`Unknown`] if a name is not valid.
    pub fn choose(self, names: &[String], settings: Settings) -> Result<Chosen, Unknown> {
        let unknown = names.iter().find(|name| self.names().all(|it| it != *name));
        if let Some(name) = unknown {
            return Err(Unknown {
                name: name.clone(),
                known: self.names().map(str::to_owned).collect(),
            });
        }
        let papers = self.papers.into_iter();
        let wanted = papers.filter_map(|paper| paper.choose(names, settings.quick));
        let matrix = names.is_empty() || names.iter().any(|name| name == MATRIX);
        Ok(Chosen {
            names: names.to_vec(),
            settings,
            papers: wanted.collect(),
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

    /// The part of the paper that these names choose; `None` if they choose nothing of it.
    fn choose(self, names: &[String], quick: bool) -> Option<ChosenPaper> {
        let mut experiments = self.experiments;
        if !names.is_empty() && !names.contains(&self.about.name) {
            experiments.retain(|it| names.contains(&it.name));
            if experiments.is_empty() {
                return None;
            }
        }
        let (experiments, recorded) = if quick {
            let small = experiments.into_iter().map(Experiment::quick);
            (small.collect(), self.quick)
        } else {
            (experiments, self.full)
        };
        Some(ChosenPaper {
            about: self.about,
            experiments,
            recorded,
        })
    }
}

impl Chosen {
    /// Compares with the verdicts that an earlier reproduction wrote into a folder, instead of with
    /// the recorded ones.
    ///
    /// # Errors
    /// [`Incomparable`] if the folder has no verdicts on a chosen paper.
    pub fn against(mut self, folder: &Path) -> Result<Self, Incomparable> {
        for paper in &mut self.papers {
            paper.recorded = earlier(&folder.join(paper.about.record()))?;
        }
        Ok(self)
    }
}

fn earlier(record: &Path) -> Result<Verdicts, Incomparable> {
    let text = fs::read_to_string(record).map_err(|e| e.to_string());
    let verdicts = text.and_then(|text| Verdicts::parse(&text));
    verdicts.map_err(|reason| Incomparable {
        path: record.to_owned(),
        reason,
    })
}
