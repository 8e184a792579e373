//! The report: one page that shows what was reproduced, what became of the claims, and all that it
//! takes to repeat it.
//!
//! The page is a single file. It works from a disk, without a network: its style, its program, the
//! drawing library (plotly.js), the data and the scenario files are within. It links to the files
//! `STEM.csv` and `STEM.svg` of each drawing, which are expected beside it.

mod document;
mod drawing;
#[cfg(test)]
mod example;
mod markup;
mod number;
mod overview;
mod page;
mod section;
mod tabular;
mod tally;

pub use document::{
    Document, Drawing, JudgedClaim, Marks, Paper, PointFile, Row, Run, Section, Series, Tabular,
};
pub use page::html;

/// The ending of the file of what is marked above a drawing.
pub const EPOCHS: &str = ".epochs.csv";

#[cfg(test)]
use crate::claim::{Judgement, Verdict};
#[cfg(test)]
use crate::figure::{Kind, Lane, Mark};
