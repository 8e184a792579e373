//! Traces of a run: files that are written while it goes.

use std::collections::BTreeSet;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use dumbbell_lab::outcome::Outcome;
use dumbbell_lab::scenario::{Probe, Scenario};
use dumbbell_lab::simulation::{self, Series};
use dumbbell_lab::trace::{Format, Tape, TraceError};

use crate::exit::Exit;
use crate::file::{self, Unfinished};

/// Bytes of a trace that are written at a time.
const BUFFER: usize = 256 << 10;

/// The traces of a run to come.
pub struct Traces<'s> {
    tape: Tape<'s>,
    files: Vec<Unfinished>,
    paths: Vec<PathBuf>,
}

impl<'s> Traces<'s> {
    /// Begins traces in these files, of these flows, or of all if none is named.
    pub fn begin(
        scenario: &'s Scenario,
        paths: &[PathBuf],
        flows: &[String],
    ) -> Result<Self, Exit> {
        let mut tape = Tape::new(scenario, flows).map_err(|e| explained(e, paths))?;
        let mut formats = Vec::new();
        let mut known = BTreeSet::new();
        for path in paths {
            formats.push(format(path)?);
            file::check(path)?;
            if !known.insert(path) {
                let path = path.display();
                return Err(Exit::BadInput(format!("two traces are to go to {path}")));
            }
        }
        let mut files = Vec::new();
        for (path, format) in paths.iter().zip(formats) {
            let (unfinished, file) = Unfinished::create(path)?;
            files.push(unfinished);
            let out = BufWriter::with_capacity(BUFFER, file);
            tape.add(format, out, file::folder(path))
                .map_err(|e| explained(e, paths))?;
        }
        Ok(Self {
            tape,
            files,
            paths: paths.to_vec(),
        })
    }

    /// Runs the scenario, and keeps the files if all went well.
    pub fn run(
        mut self,
        scenario: &Scenario,
        seed: u64,
        probe: Option<&Probe>,
        interrupted: &AtomicBool,
        progress: impl Fn(),
    ) -> Result<Option<(Outcome, Vec<Series>)>, Exit> {
        let result =
            simulation::run_traced(scenario, seed, probe, &mut self.tape, interrupted, progress)
                .map_err(|e| explained(e, &self.paths))?;
        drop(self.tape);
        if result.is_some() {
            self.files.into_iter().try_for_each(Unfinished::keep)?;
        }
        Ok(result)
    }
}

/// The format that a file's ending names.
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
        TraceError::Unwritable { trace, reason } => file::unwritable(&paths[trace], &reason),
        error => Exit::BadInput(error.to_string()),
    }
}
