//! What can be reproduced, handed in as data.

use crate::claim::Verdicts;
use crate::experiment::Experiment;
use crate::matrix::Matrix;

/// The name that chooses the matrix, which is also that of its files.
pub const MATRIX: &str = "matrix";

/// The seed of the verdicts on record.
pub const USUAL_SEED: u64 = 1;

/// All papers, and the matrix of all controls.
#[derive(Clone, Debug)]
pub struct Library {
    /// The papers, in the order in which they are reproduced.
    pub papers: Vec<Paper>,
    /// Every control on every path of the papers.
    pub matrix: Matrix,
}

/// A paper with all its figures.
#[derive(Clone, Debug)]
pub struct Paper {
    /// What is said of it.
    pub about: About,
    /// Its figures.
    pub experiments: Vec<Experiment>,
    /// The verdicts that all runs are known to give.
    pub full: Verdicts,
    /// The verdicts that a quick look is known to give.
    pub quick: Verdicts,
}

/// What is said of a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name on the command line and in the names of files.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Authors, journal, year.
    pub citation: String,
    /// Its notes, as Markdown: assumptions, claims that do not hold, errata.
    pub notes: String,
}

impl About {
    /// The name of the file of its verdicts.
    pub fn record(&self) -> String {
        format!("{}.verdicts.toml", self.name)
    }
}
