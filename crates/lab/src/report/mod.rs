//! The report: one page that shows what was reproduced, the verdicts on the claims, and everything
//! that is needed to repeat the reproduction.
//!
//! The page is a single file that works from disk without a network: it contains its style, its
//! program, the drawing library (plotly.js), the data and the scenario files. It links to files
//! that are expected beside it: `STEM.csv`, `STEM.svg` and `STEM.epochs.csv` of a drawing,
//! `STEM.csv` of a table, `NAME.runs.csv` of a figure, its scenario files `scenarios/NAME/FILE`,
//! and `PAPER.NOTES.md`.

mod compact;
mod document;
mod drawing;
#[cfg(test)]
mod example;
mod later;
mod matrix;
mod missing;
mod notes;
mod number;
mod overview;
mod page;
mod readings;
mod section;
mod tabular;
mod tally;

pub use document::{
    Cross, Document, Drawing, Exploration, Flip, JudgedClaim, Marks, Paper, PointFile, Reading,
    Row, Run, Section, Series, Tabular,
};
pub use notes::NOTES;
pub use page::html;
pub(crate) use page::{BEGIN, SYMBOLS, colours};

/// The folder of all scenario files.
pub const SCENARIOS: &str = "scenarios";
/// The ending of the file name for a figure's runs.
pub const RUNS: &str = ".runs.csv";
/// The ending of the file name for the markers above a drawing.
pub const EPOCHS: &str = ".epochs.csv";

#[cfg(test)]
use crate::claim::{self, Judgement, Standing, Verdict};
#[cfg(test)]
use crate::figure::{Kind, Lane, Mark, Rows};
