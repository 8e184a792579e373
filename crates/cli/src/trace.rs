//! Traces of a run, which are written during the run.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use dumbbell_lab::trace::{self, NotTraced};
use dumbbell_run::{Done, Run, Stopped};
use dumbbell_scenario::Scenario;

use crate::exit::Exit;

/// The traces of the first of several runs, if any are requested.
pub struct Traces<'s> {
    begun: Mutex<Option<trace::Traces<'s>>>,
    failure: Mutex<Option<Exit>>,
}

impl<'s> Traces<'s> {
    /// Opens traces of these flows, or of all flows if none is named, in these files, which differ.
    pub fn begin(
        scenario: &'s Scenario,
        paths: &'s [PathBuf],
        flows: &[String],
    ) -> Result<Self, Exit> {
        let begun = match paths.is_empty() {
            true => None,
            false => Some(trace::Traces::begin(scenario, paths, flows)?),
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
        let done = match begun {
            Some(begun) => begun.run(run),
            None => run.go().map_err(NotTraced::Stopped),
        };
        match done {
            Ok(done) => Some(done),
            Err(NotTraced::Stopped(Stopped::Interrupted)) => None,
            Err(failure) => {
                let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(failure.into());
                interrupted.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Returns the error of a failed trace or a failed control.
    pub fn failure(&self) -> Result<(), Exit> {
        take(&self.failure).map_or(Ok(()), Err)
    }
}

impl From<NotTraced> for Exit {
    fn from(wrong: NotTraced) -> Self {
        match wrong {
            NotTraced::Refused(what) => Self::BadInput(what),
            NotTraced::Unwritable(file) => file.into(),
            NotTraced::Stopped(Stopped::Interrupted) => Self::Interrupted,
            NotTraced::Stopped(Stopped::Failed(failure)) => failure.into(),
            NotTraced::Stopped(error @ Stopped::Trace(_)) => Self::Failed(error.to_string()),
        }
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
