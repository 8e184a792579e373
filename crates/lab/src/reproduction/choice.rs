//! Which papers and figures, and the verdicts to compare with.

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

/// What is to be reproduced.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The names that chose it; none where everything is wanted.
    pub names: Vec<String>,
    /// The first seed, and whether this is a quick look.
    pub settings: Settings,
    /// The papers, with those of their figures that are wanted.
    pub papers: Vec<ChosenPaper>,
    /// The matrix, where it is wanted.
    pub matrix: Option<Matrix>,
}

/// A paper with those of its figures that are wanted.
#[derive(Clone, Debug)]
pub struct ChosenPaper {
    /// What is said of it.
    pub about: About,
    /// The figures, with as many points and seeds as are wanted.
    pub experiments: Vec<Experiment>,
    /// The verdicts to compare with.
    pub recorded: Verdicts,
}

/// A name that is neither a paper's nor a figure's.
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

/// A folder whose verdicts cannot be compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomparable {
    path: PathBuf,
    reason: String,
}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot compare with {}: {}\n  = help: a folder that `dumbbell reproduce --out` wrote is wanted",
            self.path.display(),
            self.reason
        )
    }
}

impl Error for Incomparable {}

impl Library {
    /// Every name that chooses something: of each paper, of its figures, and the matrix'.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let of_paper = |paper| once(Paper::name(paper)).chain(Paper::figures(paper));
        self.papers.iter().flat_map(of_paper).chain([MATRIX])
    }

    /// The papers and figures of these names; everything without one.
    ///
    /// # Errors
    /// [`Unknown`] if a name chooses nothing.
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

    /// What these names want of it; nothing if they want nothing of it.
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
    /// Compares with the verdicts that an earlier reproduction wrote into a folder, instead of with those on
    /// record.
    ///
    /// # Errors
    /// [`Incomparable`] if a chosen paper has no verdicts there.
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
