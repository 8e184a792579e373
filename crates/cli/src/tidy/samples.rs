//! The samples of a run in a file, in the format that its name selects.

use std::path::Path;

use dumbbell_lab::table::{self, Table};
use dumbbell_lab::tidy;
use dumbbell_run::Series;
use dumbbell_run::outcome::Outcome;
use dumbbell_run::samples;

use crate::exit::Exit;
use crate::file;

/// The format of samples.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// As text.
    Text(samples::Format),
    /// As a table.
    Table(table::Format),
}

/// Formats that are written as a table.
const TABLES: [table::Format; 2] = [table::Format::Arrow, table::Format::Parquet];

impl Format {
    /// The format that a file name selects, so that a failure comes before the work. A pipe or a device
    /// gets CSV.
    pub fn of(path: &Path) -> Result<Self, Exit> {
        file::check(path)?;
        let ending = path.extension().unwrap_or_default();
        if let Some(text) = samples::Format::of(path) {
            Ok(Self::Text(text))
        } else if let Some(table) = TABLES
            .into_iter()
            .find(|it| ending.eq_ignore_ascii_case(it.ending()))
        {
            table.available().map_err(Exit::BadInput)?;
            Ok(Self::Table(table))
        } else if file::is_special(path) {
            Ok(Self::Text(samples::Format::Csv))
        } else {
            Err(Exit::BadInput(format!(
                "cannot tell the format of the samples {}: its name should end in .csv, .json, .arrow or .parquet",
                path.display()
            )))
        }
    }

    /// The samples of a run, to be written when all runs are done.
    pub fn samples(self, outcome: &Outcome, series: &[Series]) -> Samples {
        match self {
            Self::Text(format) => Samples::Text(format.write(outcome, series)),
            Self::Table(format) => Samples::Table(format, tidy::samples(outcome, series)),
        }
    }
}

/// Samples in their format.
#[derive(Debug)]
pub enum Samples {
    /// As text.
    Text(String),
    /// As a table.
    Table(table::Format, Table),
}

impl Samples {
    /// Writes them to a file.
    pub fn write(&self, path: &Path) -> Result<(), Exit> {
        match self {
            Self::Text(text) => file::write(path, text)?,
            Self::Table(format, table) => format.save(table, path)?,
        }
        Ok(())
    }
}
