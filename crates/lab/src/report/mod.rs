//! The report: one page that shows what was reproduced, what became of the claims, and all that it
//! takes to repeat it.
//!
//! The page is a single file. It works from a disk, without a network: its style, its program, the
//! drawing library (plotly.js), the data and the scenario files are within. It links to files that
//! are expected beside it: `STEM.csv`, `STEM.svg` and `STEM.epochs.csv` of a drawing, `STEM.csv` of a
//! table, `NAME.runs.csv` of a figure, its scenario files `scenarios/NAME/FILE`, and `PAPER.NOTES.md`.

mod document;
mod drawing;
#[cfg(test)]
mod example;
mod matrix;
mod notes;
mod number;
mod overview;
mod page;
mod section;
mod tabular;
mod tally;

pub use document::{
    Cross, Document, Drawing, JudgedClaim, Marks, Paper, PointFile, Row, Run, Section, Series,
    Tabular,
};
pub use notes::NOTES;
pub use page::html;

/// The folder of all scenario files.
pub const SCENARIOS: &str = "scenarios";
/// The ending of the file of a figure's runs.
pub const RUNS: &str = ".runs.csv";
/// The ending of the file of what is marked above a drawing.
pub const EPOCHS: &str = ".epochs.csv";

#[cfg(test)]
use crate::claim::{Judgement, Verdict};
#[cfg(test)]
use crate::figure::{Kind, Lane, Mark, Rows};
