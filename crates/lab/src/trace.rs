//! Traces in files, which are there as a whole or not at all.

use std::error::Error;
use std::fmt;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use dumbbell_run::trace::{Format, Tape, TraceError};
use dumbbell_run::{Done, Run, Stopped};
use dumbbell_scenario::Scenario;

use crate::file::{self, Unfinished, Unwritable};

/// The size of a trace's write buffer, in bytes.
const BUFFER: usize = 256 << 10;

/// Traces of a run that has not started yet, in files under temporary names.
pub struct Traces<'s> {
    tape: Tape<'s>,
    files: Vec<Unfinished>,
    paths: &'s [PathBuf],
}

/// Why a run has no trace.
#[derive(Debug)]
pub enum NotTraced {
    /// What is asked cannot be done: there is no such flow, the format of a file is not known, or it
    /// cannot hold the flows.
    Refused(String),
    /// A file cannot be written.
    Unwritable(Unwritable),
    /// The run stopped before its end.
    Stopped(Stopped),
}

impl fmt::Display for NotTraced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(what) => f.write_str(what),
            Self::Unwritable(file) => file.fmt(f),
            Self::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

impl Error for NotTraced {}

impl From<Unwritable> for NotTraced {
    fn from(file: Unwritable) -> Self {
        Self::Unwritable(file)
    }
}

impl<'s> Traces<'s> {
    /// Opens traces of these flows, or of all flows if none is named, in these files, which differ. The
    /// ending of a name selects the format.
    ///
    /// # Errors
    /// [`NotTraced::Refused`] and [`NotTraced::Unwritable`], before anything is written.
    pub fn begin(
        scenario: &'s Scenario,
        paths: &'s [PathBuf],
        flows: &[String],
    ) -> Result<Self, NotTraced> {
        for path in paths {
            format(path)?;
            file::check(path).map_err(|wrong| NotTraced::Refused(wrong.to_string()))?;
        }
        let mut tape = Tape::new(scenario, flows).map_err(|e| explained(e, paths))?;
        let mut files = Vec::new();
        for path in paths {
            let format = format(path)?;
            let (unfinished, file) = Unfinished::create(path)?;
            files.push(unfinished);
            let out = BufWriter::with_capacity(BUFFER, file);
            tape.add(format, out, file::folder(path))
                .map_err(|e| explained(e, paths))?;
        }
        Ok(Self { tape, files, paths })
    }

    /// Makes the run, and keeps the files if it reaches its end.
    ///
    /// # Errors
    /// [`NotTraced::Unwritable`] and [`NotTraced::Stopped`]; the files are removed then.
    pub fn run<'r>(self, run: Run<'r>) -> Result<Done, NotTraced>
    where
        's: 'r,
    {
        // The run consumes the tape, so that the files are closed before they are renamed.
        match run.trace(self.tape).go() {
            Ok(done) => {
                self.files.into_iter().try_for_each(Unfinished::keep)?;
                Ok(done)
            }
            Err(Stopped::Trace(error)) => Err(explained(error, self.paths)),
            Err(stopped) => Err(NotTraced::Stopped(stopped)),
        }
    }
}

/// Returns the format that a file name extension selects.
fn format(path: &Path) -> Result<Format, NotTraced> {
    Format::of(path).ok_or_else(|| {
        let [first, second, third] = Format::ALL.map(Format::ending);
        NotTraced::Refused(format!(
            "cannot tell the format of the trace {}: its name should end in .{first}, .{second} or .{third}",
            path.display()
        ))
    })
}

fn explained(error: TraceError, paths: &[PathBuf]) -> NotTraced {
    match error {
        TraceError::Unwritable { trace, reason } => Unwritable::new(&paths[trace], reason).into(),
        error => NotTraced::Refused(error.to_string()),
    }
}
