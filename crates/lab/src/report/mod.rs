//! The report: one page that shows what was reproduced, what became of the claims, and all that it
//! takes to repeat it.

mod document;

pub use document::{Document, Drawing, JudgedClaim, Paper, PointFile, Run, Section, Series};
