//! Traces of a run, which are written during the run.

use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use dumbbell_run::trace::{Format, Tape, TraceError};
use dumbbell_run::{Done, Run, Stopped};
use dumbbell_scenario::Scenario;

use crate::exit::Exit;
use crate::file::{self, Unfinished, Unwritable};

/// The size of a trace's write buffer, in bytes.
const BUFFER: usize = 256 << 10;

/// The traces of the first of several runs, if any are requested.
pub struct Traces<'s> {
    begun: Mutex<Option<Begun<'s>>>,
    failure: Mutex<Option<Exit>>,
}

/// Open traces of a run that has not started yet.
struct Begun<'s> {
    tape: Tape<'s>,
    files: Vec<Unfinished>,
    paths: &'s [PathBuf],
}

impl<'s> Traces<'s> {
    /// Opens traces of these flows, or of all flows if none is named, in these files, which differ.
    pub fn begin(
        scenario: &'s Scenario,
        paths: &'s [PathBuf],
        flows: &[String],
    ) -> Result<Self, Exit> {
        let begun = if paths.is_empty() {
            None
        } else {
            check(paths)?;
            Some(Begun::new(scenario, paths, flows)?)
        };
        Ok(Self {
            begun: Mutex::new(begun),
            failure: Mutex::new(None),
        })
    }

    /// Executes a run; the first one is traced. If its traces or a control fail, all runs are
    /// interrupted. Returns `None` if the run was interrupted.
    pub fn run<'r>(&self, index: usize, run: Run<'r>, interrupted: &AtomicBool) -> Option<Done>
    where
        's: 'r,
    {
        let begun = (index == 0).then(|| take(&self.begun)).flatten();
        let Some(begun) = begun else {
            return outcome(run.go()).unwrap_or_else(|failure| self.fail(failure, interrupted));
        };
        let done = begun.run(run);
        done.unwrap_or_else(|failure| self.fail(failure, interrupted))
    }

    fn fail(&self, failure: Exit, interrupted: &AtomicBool) -> Option<Done> {
        let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(failure);
        interrupted.store(true, Ordering::Relaxed);
        None
    }

    /// Returns the error of a failed trace or a failed control.
    pub fn failure(&self) -> Result<(), Exit> {
        take(&self.failure).map_or(Ok(()), Err)
    }
}

impl<'s> Begun<'s> {
    fn new(scenario: &'s Scenario, paths: &'s [PathBuf], flows: &[String]) -> Result<Self, Exit> {
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

    /// Runs the scenario, and keeps the files if the run succeeded.
    fn run<'r>(self, run: Run<'r>) -> Result<Option<Done>, Exit>
    where
        's: 'r,
    {
        // The run consumes the tape, so that the files are closed before they are renamed.
        match run.trace(self.tape).go() {
            Ok(done) => {
                self.files.into_iter().try_for_each(Unfinished::keep)?;
                Ok(Some(done))
            }
            Err(Stopped::Trace(error)) => Err(explained(error, self.paths)),
            stopped => outcome(stopped),
        }
    }
}

/// Returns the results of a run, if it was not interrupted.
fn outcome(run: Result<Done, Stopped>) -> Result<Option<Done>, Exit> {
    match run {
        Ok(done) => Ok(Some(done)),
        Err(Stopped::Interrupted) => Ok(None),
        Err(Stopped::Failed(failure)) => Err(failure.into()),
        Err(error @ Stopped::Trace(_)) => Err(Exit::Failed(error.to_string())),
    }
}

/// Checks the paths before anything is written.
fn check(paths: &[PathBuf]) -> Result<(), Exit> {
    for path in paths {
        format(path)?;
        file::check(path)?;
    }
    Ok(())
}

/// Returns the format that a file name extension selects.
fn format(path: &Path) -> Result<Format, Exit> {
    Format::of(path).ok_or_else(|| {
        let [first, second, third] = Format::ALL.map(Format::ending);
        Exit::BadInput(format!(
            "cannot tell the format of the trace {}: its name should end in .{first}, .{second} or .{third}",
            path.display()
        ))
    })
}

fn explained(error: TraceError, paths: &[PathBuf]) -> Exit {
    match error {
        TraceError::Unwritable { trace, reason } => Unwritable::new(&paths[trace], reason).into(),
        error => Exit::BadInput(error.to_string()),
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
