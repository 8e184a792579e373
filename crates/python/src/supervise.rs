//! Work without the interpreter's lock, which Ctrl-C ends, whose progress is reported, and whose panic
//! is an exception.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use dumbbell_run::{STEPS, batch};
use pyo3::prelude::*;

use crate::error;

/// How often the caller looks for Ctrl-C and reports progress.
const LOOK: Duration = Duration::from_millis(50);

/// The stack of the thread that works, in bytes. Python's limit of recursion counts on a large one; only
/// what is used takes memory.
const STACK: usize = 256 << 20;

/// The number of threads, where the caller does not give one.
pub fn threads(jobs: Option<usize>) -> usize {
    jobs.unwrap_or_else(batch::all_cores).max(1)
}

/// How many looks interrupted work has to end before Python code in it is ended, too.
const PATIENCE: u32 = 10;

/// What work tells those who wait for it, and the other way round.
#[derive(Debug, Default)]
pub struct Supervisor {
    interrupted: AtomicBool,
    planned: AtomicU64,
    done: AtomicU64,
}

impl Supervisor {
    /// The flag that ends the work when it is set.
    pub fn interrupted(&self) -> &AtomicBool {
        &self.interrupted
    }

    /// Adds runs to those that are planned.
    pub fn plan(&self, runs: u64) {
        self.planned.fetch_add(runs, Ordering::Relaxed);
    }

    /// Adds to the work that is done, in hundredths of a run.
    pub fn step(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Reports progress in runs.
    fn report(&self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(progress) = progress else {
            return Ok(());
        };
        let done = self.done.load(Ordering::Relaxed) as f64 / STEPS as f64;
        progress.call1((done, self.planned.load(Ordering::Relaxed)))?;
        Ok(())
    }
}

/// Does work on a thread of its own, without the interpreter's lock. In the meantime it calls
/// `progress(done, planned)` with numbers of runs, and lets Python handle signals.
///
/// # Errors
/// `KeyboardInterrupt` or another exception of a signal's handler or of `progress`, which ends the work
/// first; [`error::panic`] if the work panics.
pub fn supervised<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Supervisor) -> T + Send,
) -> PyResult<T> {
    let supervisor = Supervisor::default();
    let progress = progress.map(|it| it.clone().unbind());
    let look = || {
        Python::attach(|py| {
            py.check_signals()?;
            supervisor.report(progress.as_ref().map(|it| it.bind(py)))
        })
    };
    let (result, failure) = py.detach(|| {
        let (tell, over) = mpsc::channel::<()>();
        let ident = AtomicU64::new(0);
        std::thread::scope(|scope| {
            let supervisor = &supervisor;
            let known = &ident;
            let worker = move || {
                // It is dropped when the work has ended, however that was.
                let _tell = tell;
                // Python keeps what belongs to a thread as long as it is attached or detached in it.
                // Without this, each call of a control in Python would make it anew, which takes 8 us.
                Python::attach(|py| {
                    known.store(current(py).unwrap_or(0), Ordering::Relaxed);
                    py.detach(|| catch_unwind(AssertUnwindSafe(|| work(supervisor))))
                })
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            let worker = match thread.spawn_scoped(scope, worker) {
                Ok(worker) => worker,
                Err(wrong) => {
                    let failure = error::refused(format!("no thread for the runs: {wrong}"));
                    return (None, Some(failure));
                }
            };
            let mut failure = None;
            let mut patience = PATIENCE;
            while over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if failure.is_none()
                    && let Err(error) = look()
                {
                    supervisor.interrupted.store(true, Ordering::Relaxed);
                    failure = Some(error);
                }
                if failure.is_some() {
                    patience -= 1;
                    if patience == 0 {
                        patience = PATIENCE;
                        end_python(ident.load(Ordering::Relaxed));
                    }
                }
            }
            (Some(worker.join().unwrap_or_else(Err)), failure)
        })
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    let result = result.expect("without a failure there is a result");
    let result = result.map_err(|panic| error::panic(message(&*panic)))?;
    supervisor.report(progress.as_ref().map(|it| it.bind(py)))?;
    Ok(result)
}

/// Python's number of this thread.
fn current(py: Python<'_>) -> PyResult<u64> {
    py.import("threading")?.call_method0("get_ident")?.extract()
}

/// Raises `KeyboardInterrupt` in the Python code that a thread is in, if it is in any: a control that never
/// returns does not see that its run is interrupted.
fn end_python(thread: u64) {
    Python::attach(|py| {
        let raised = py.import("dumbbell._interrupt");
        let raised = raised.and_then(|it| it.call_method1("raise_in", (thread,)));
        if let Err(wrong) = raised {
            wrong.write_unraisable(py, None);
        }
    });
}

/// Does work whose panic is an exception, on this thread.
///
/// # Errors
/// [`error::panic`] if the work panics.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| error::panic(message(&*panic)))
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("an unknown reason");
    format!("dumbbell itself failed, which is a bug; please report it with your scenario: {text}")
}

/// Panics, for a test of what becomes of it.
#[pyfunction]
pub fn _panic(py: Python<'_>, message: String) -> PyResult<()> {
    supervised(py, None, move |_| panic!("{message}"))
}
