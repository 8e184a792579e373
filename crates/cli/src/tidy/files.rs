//! Options that choose a tidy table and the files that it is written to.

use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use dumbbell_lab::table::{Format, Table};
use dumbbell_lab::tidy::Kind;

use crate::exit::Exit;
use crate::file::{self, Named, is_standard};

/// Options of every command that has tidy tables as its result.
#[derive(clap::Args)]
pub struct Tables {
    /// Write the table of groups, a row for each run and group, to this file, or `-` for standard output
    /// (docs/measures.md describes the columns).
    #[arg(long, value_name = "FILE|-")]
    csv: Option<PathBuf>,
    /// The same as an Arrow IPC stream, which polars, pandas, pyarrow, DuckDB and R read.
    #[arg(long, value_name = "FILE|-")]
    arrow: Option<PathBuf>,
    /// The same as Parquet, if dumbbell was built with `--features parquet`.
    #[arg(long, value_name = "FILE|-")]
    parquet: Option<PathBuf>,
    /// Show and write the table of flows instead of groups.
    #[arg(long, conflicts_with = "links")]
    flows: bool,
    /// Show and write the table of links instead of groups.
    #[arg(long)]
    links: bool,
    /// Show everything in the terminal, however wide and long.
    #[arg(long)]
    all: bool,
}

/// The files of a table that is still to come.
#[derive(Debug)]
pub struct Outputs<'a> {
    outputs: Vec<(Format, &'a Path)>,
}

impl Tables {
    /// The table that is written.
    pub fn kind(&self) -> Kind {
        self.chosen().unwrap_or(Kind::Groups)
    }

    /// The table that an option names.
    pub fn chosen(&self) -> Option<Kind> {
        match (self.flows, self.links) {
            (true, _) => Some(Kind::Flows),
            (_, true) => Some(Kind::Links),
            _ => None,
        }
    }

    /// Whether everything is shown.
    pub fn is_all(&self) -> bool {
        self.all
    }

    /// Whether a table is written anywhere.
    pub fn has_files(&self) -> bool {
        [&self.csv, &self.arrow, &self.parquet]
            .into_iter()
            .any(Option::is_some)
    }

    /// The files of the table, with the options that name them.
    pub fn files(&self) -> impl Iterator<Item = Named<'_>> {
        let given = [
            ("--csv", &self.csv),
            ("--arrow", &self.arrow),
            ("--parquet", &self.parquet),
        ];
        let given = given.into_iter();
        given.filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// Checks the files before any work is done; [`file::apart`] has compared them with others. `prints`
    /// is an option that prints to standard output.
    pub fn outputs<'a>(&'a self, prints: Option<&str>) -> Result<Outputs<'a>, Exit> {
        let given = [
            (Format::Csv, &self.csv),
            (Format::Arrow, &self.arrow),
            (Format::Parquet, &self.parquet),
        ];
        let given = given
            .into_iter()
            .filter_map(|(format, path)| Some((format, path.as_deref()?)));
        let mut outputs: Vec<(Format, &Path)> = Vec::new();
        for (format, path) in given {
            format.available().map_err(Exit::BadInput)?;
            if is_standard(path) {
                if outputs.iter().any(|(_, other)| is_standard(other)) {
                    let wrong = "two outputs have the same path -";
                    return Err(Exit::BadInput(wrong.to_owned()));
                }
                to_standard_output(format, prints)?;
            } else {
                file::check(path)?;
            }
            outputs.push((format, path));
        }
        Ok(Outputs { outputs })
    }
}

/// Checks that a table in this format can go to standard output.
fn to_standard_output(format: Format, prints: Option<&str>) -> Result<(), Exit> {
    if let Some(option) = prints {
        Err(Exit::BadInput(format!(
            "{option} and --{0} - both print to standard output: give --{0} the name of a file",
            format.ending()
        )))
    } else if format != Format::Csv && io::stdout().is_terminal() {
        Err(Exit::BadInput(format!(
            "--{0} - writes binary data, and standard output is a terminal: redirect it (> table.{0}), \
             or give --{0} the name of a file",
            format.ending()
        )))
    } else {
        Ok(())
    }
}

impl Outputs<'_> {
    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Whether a table is written to standard output, so that nothing else may be.
    pub fn print(&self) -> bool {
        self.outputs.iter().any(|(_, path)| is_standard(path))
    }

    /// Writes the table to all of them.
    pub fn write(&self, table: &Table) -> Result<(), Exit> {
        for (format, path) in &self.outputs {
            if is_standard(path) {
                let mut out = BufWriter::new(io::stdout());
                format.write(table, &mut out)?;
                out.flush()?;
            } else {
                format.save(table, path)?;
            }
        }
        Ok(())
    }
}
