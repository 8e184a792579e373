//! The papers that can be reproduced, supplied as data.

use std::path::PathBuf;

use crate::claim::Verdicts;
use crate::experiment::Experiment;
use crate::exploration::Exploration;
use crate::matrix::Matrix;

/// The name that chooses the explorations of all papers.
pub const EXPLORED: &str = "explored";

/// The name that chooses the matrix. Its files have the same name.
pub const MATRIX: &str = "matrix";

/// The seed of the recorded verdicts.
pub const USUAL_SEED: u64 = 1;

/// All papers, and the matrix of all controls.
#[derive(Clone, Debug)]
pub struct Library {
    /// The papers, in the order in which they are reproduced.
    pub papers: Vec<Paper>,
    /// The matrix of all controls on all paths.
    pub matrix: Matrix,
}

/// A paper with all its figures.
#[derive(Clone, Debug)]
pub struct Paper {
    /// The paper's metadata.
    pub about: About,
    /// Its figures.
    pub experiments: Vec<Experiment>,
    /// The verdicts that a complete reproduction is known to give.
    pub full: Verdicts,
    /// The verdicts that a quick reproduction is known to give.
    pub quick: Verdicts,
    /// Other readings of its text.
    pub exploration: Exploration,
    /// The verdicts that the complete exploration is known to give.
    pub explored_full: Verdicts,
    /// The verdicts that a quick exploration is known to give.
    pub explored_quick: Verdicts,
    /// The claims that are known to hold in a quick reproduction in which every curve is the
    /// baseline; `None` if nothing is known of them.
    pub null: Option<Verdicts>,
}

/// The metadata of a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name on the command line and in file names.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Authors, journal, year.
    pub citation: String,
    /// Whether it is a study of our own, which is reproduced only if it is named.
    pub study: bool,
    /// Its notes, as Markdown: assumptions, claims that do not hold, errata.
    pub notes: String,
    /// The folder that it was read from and its verdicts are recorded in; `None` if it is compiled
    /// in.
    pub folder: Option<PathBuf>,
}

/// The name of the file with the verdicts of a paper or an exploration.
pub(super) fn record(name: &str) -> String {
    format!("{name}.verdicts.toml")
}
