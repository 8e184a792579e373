//! The formats in which a table can be written, and how it gets into a file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::{Table, arrow, csv, json};
use crate::file::{Unfinished, Unwritable};

/// A format of a written table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// Lines of JSON, one object per row.
    Json,
    /// An Arrow IPC stream.
    Arrow,
    /// Parquet, if this program was built with it.
    Parquet,
}

impl Format {
    /// The file name extension, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "jsonl",
            Self::Arrow => "arrow",
            Self::Parquet => "parquet",
        }
    }

    /// Whether this program can write it.
    ///
    /// # Errors
    /// What to do if it cannot.
    pub fn available(self) -> Result<(), String> {
        if self == Self::Parquet && cfg!(not(feature = "parquet")) {
            Err(
                "this build of dumbbell does not write Parquet, which takes a minute more to compile: \
                 build it with `cargo build --release --features parquet`, or write an Arrow stream \
                 (--arrow), which the same programs read"
                    .to_owned(),
            )
        } else {
            Ok(())
        }
    }

    /// Writes a table.
    ///
    /// # Errors
    /// If `out` cannot be written to, or the format is not [`available`](Self::available).
    pub fn write(self, table: &Table, out: &mut (impl Write + Send)) -> io::Result<()> {
        match self {
            Self::Csv => csv::write(table, out),
            Self::Json => json::write(table, out),
            Self::Arrow => arrow::write(table, out),
            #[cfg(feature = "parquet")]
            Self::Parquet => super::parquet::write(table, out),
            #[cfg(not(feature = "parquet"))]
            Self::Parquet => self.available().map_err(io::Error::other),
        }
    }

    /// Writes a table to a file, completely or not at all; a pipe is written to directly.
    ///
    /// # Errors
    /// [`Unwritable`] if it cannot be written.
    pub fn save(self, table: &Table, path: &Path) -> Result<(), Unwritable> {
        let (unfinished, file) = Unfinished::create(path)?;
        self.fill(table, file)
            .map_err(|reason| Unwritable::new(path, reason))?;
        unfinished.keep()
    }

    fn fill(self, table: &Table, file: File) -> io::Result<()> {
        let mut out = BufWriter::new(file);
        self.write(table, &mut out)?;
        out.flush()
    }
}
