//! Why a description cannot be read.

use std::fmt;

use dumbbell_scenario::Report;

/// Why a description cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Mistakes in its text, each with file, line and column, the line itself, and what would be
    /// right.
    Text(Report),
    /// A mistake that does not belong to a line, in words.
    Words(String),
}

impl Malformed {
    /// Creates an error from a message.
    pub fn new(what: impl Into<String>) -> Self {
        Self::Words(what.into())
    }

    /// The first mistake, without its place.
    pub(crate) fn first(&self) -> String {
        match self {
            Self::Text(report) => {
                let first = report.problems().first();
                first.map_or_else(String::new, |problem| problem.message.clone())
            }
            Self::Words(what) => what.clone(),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(report) => report.fmt(f),
            Self::Words(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Malformed {}

impl From<Report> for Malformed {
    fn from(report: Report) -> Self {
        Self::Text(report)
    }
}
