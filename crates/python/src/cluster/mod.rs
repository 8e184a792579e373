//! Runs on the processes of a pool: those of a Dask cluster, or of this machine.
//!
//! A batch of runs travels as its scenarios' text and its seeds, and comes back as the bytes of their
//! outcomes. The pool is an object of `dumbbell.cluster`, which knows where it sends them.

mod batches;
mod order;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use dumbbell_run::{Done, Run};
use dumbbell_scenario::Scenario;
use dumbbell_store::{CODE, Elsewhere, Key, Wanted, pack, unpack};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::control::Classes;
use crate::error;
use crate::supervise::supervised;
use batches::Batches;
use order::{Group, Order};

/// How long to wait for batches before looking for Ctrl-C, in seconds.
const LOOK: f64 = 0.05;
/// How many batches a worker has: one that runs, and one that waits.
const EACH: usize = 2;
/// How many seeds of a batch a message lists.
const MOST_SEEDS: usize = 10;

/// The bytes of a batch, or what was raised instead.
type Came = PyResult<Vec<u8>>;

/// A pool of processes that compute runs.
pub struct Remote<'n> {
    pool: Py<PyAny>,
    /// The controls in Python that the scenarios name.
    controls: Vec<Py<PyAny>>,
    name: &'n (dyn Fn(&Scenario) -> String + Sync),
    failure: Mutex<Option<PyErr>>,
}

impl<'n> Remote<'n> {
    /// The pool that `dumbbell.cluster` has made of a user's client, for scenarios that name these classes
    /// of controls in Python. Messages name a scenario by `name`.
    pub fn new(
        pool: &Bound<'_, PyAny>,
        controls: Vec<Py<PyAny>>,
        name: &'n (dyn Fn(&Scenario) -> String + Sync),
    ) -> Self {
        Self {
            pool: pool.clone().unbind(),
            controls,
            name,
            failure: Mutex::new(None),
        }
    }

    /// Raises the exception that ended the runs, if one did.
    ///
    /// # Errors
    /// This exception.
    pub fn check(self) -> PyResult<()> {
        let failure = self.failure.into_inner();
        failure
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// Hands batches out, and takes the results of the last ones.
    fn work(
        &self,
        wanted: &[Wanted<'_>],
        interrupted: &AtomicBool,
        done: &mut dyn FnMut(usize, Done),
    ) -> PyResult<()> {
        let mut batches = Batches::new(wanted.len());
        let mut away: BTreeMap<u64, Range<usize>> = BTreeMap::new();
        let mut number = 0;
        while !interrupted.load(Ordering::Relaxed) {
            let workers = self.workers()?;
            while away.len() < EACH * workers
                && let Some(batch) = batches.next(workers)
            {
                self.submit(number, &wanted[batch.clone()])?;
                away.insert(number, batch);
                number += 1;
            }
            if away.is_empty() {
                return Ok(());
            }
            let came = self.wait(LOOK)?;
            self.take(came, wanted, &mut away, &mut batches, done)?;
        }
        // What has come back in the meantime is kept.
        let came = self.wait(0.0)?;
        self.take(came, wanted, &mut away, &mut batches, done)
    }

    /// Takes the results of batches that have come back; if one failed, those of the others.
    fn take(
        &self,
        came: Vec<(u64, Came)>,
        wanted: &[Wanted<'_>],
        away: &mut BTreeMap<u64, Range<usize>>,
        batches: &mut Batches,
        done: &mut dyn FnMut(usize, Done),
    ) -> PyResult<()> {
        let mut failure = None;
        for (number, came) in came {
            let Some(batch) = away.remove(&number) else {
                continue;
            };
            let wanted = &wanted[batch.clone()];
            let came = came.map_err(|it| self.explained(it, wanted));
            match came.and_then(|bytes| self.results(&bytes, wanted)) {
                Ok((seconds, runs)) => {
                    batches.took(runs.len(), seconds);
                    batch.zip(runs).for_each(|(index, run)| done(index, run));
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn workers(&self) -> PyResult<usize> {
        Python::attach(|py| {
            let workers: usize = self.pool.bind(py).call_method0("workers")?.extract()?;
            Ok(workers.max(1))
        })
    }

    fn submit(&self, number: u64, wanted: &[Wanted<'_>]) -> PyResult<()> {
        let (order, texts) = Order::of(wanted);
        let order = order.bytes();
        Python::attach(|py| {
            let pool = self.pool.bind(py);
            let controls: Vec<_> = self.controls.iter().map(|it| it.bind(py)).collect();
            let order = PyBytes::new(py, &order);
            pool.call_method1("submit", (number, order, texts, controls))?;
            Ok(())
        })
    }

    /// The batches that have come back by now: the bytes of each, or what was raised instead.
    fn wait(&self, seconds: f64) -> PyResult<Vec<(u64, Came)>> {
        Python::attach(|py| {
            let came = self.pool.bind(py).call_method1("wait", (seconds,))?;
            let each = came.try_iter()?.map(|it| {
                let (number, came): (u64, Bound<'_, PyAny>) = it?.extract()?;
                let came = match came.cast::<PyBaseException>() {
                    Ok(_) => Err(PyErr::from_value(came)),
                    Err(_) => Ok(came.extract::<Vec<u8>>()?),
                };
                Ok((number, came))
            });
            each.collect()
        })
    }

    /// The exception for a batch that did not come back.
    fn explained(&self, raised: PyErr, wanted: &[Wanted<'_>]) -> PyErr {
        Python::attach(|py| {
            let pool = self.pool.bind(py);
            let what = self.described(wanted);
            match pool.call_method1("explained", (raised.value(py), what)) {
                Ok(explained) => PyErr::from_value(explained),
                Err(wrong) => wrong,
            }
        })
    }

    /// The seconds that a batch took, and its runs.
    fn results(&self, bytes: &[u8], wanted: &[Wanted<'_>]) -> PyResult<(f64, Vec<Done>)> {
        let read = || {
            let (seconds, bytes) = bytes.split_first_chunk()?;
            Some((f64::from_le_bytes(*seconds), unpack(bytes)?))
        };
        let seeds = wanted.iter().map(|it| it.job.seed);
        match read() {
            Some((seconds, runs)) if runs.iter().map(|it| it.outcome.seed).eq(seeds) => {
                Ok((seconds, runs))
            }
            _ => Err(error::refused(format!(
                "what came back for {} is damaged",
                self.described(wanted)
            ))),
        }
    }

    /// A batch in words.
    fn described(&self, wanted: &[Wanted<'_>]) -> String {
        let Some(first) = wanted.first() else {
            return "no runs".to_owned();
        };
        let scenario = first.job.scenario;
        let seeds = wanted
            .iter()
            .take_while(|it| std::ptr::eq(it.job.scenario, scenario));
        let of_first = seeds.clone().count();
        let listed: Vec<String> = seeds
            .take(MOST_SEEDS)
            .map(|it| it.job.seed.to_string())
            .collect();
        let more = if of_first > MOST_SEEDS { ", ..." } else { "" };
        let others = match wanted.len() - of_first {
            0 => String::new(),
            others => format!(", and {others} runs of the points after it"),
        };
        format!(
            "the runs of {} with the seeds {}{more}{others}",
            (self.name)(scenario),
            listed.join(", ")
        )
    }
}

impl Elsewhere for Remote<'_> {
    fn compute(
        &self,
        wanted: &[Wanted<'_>],
        interrupted: &AtomicBool,
        done: &mut dyn FnMut(usize, Done),
    ) {
        let ended = self.work(wanted, interrupted, done);
        if ended.is_ok() && !interrupted.load(Ordering::Relaxed) {
            return;
        }
        interrupted.store(true, Ordering::Relaxed);
        // Whoever asked for the end does not want to hear of what it breaks.
        let _ = Python::attach(|py| self.pool.bind(py).call_method0("cancel").map(drop));
        if let Err(failure) = ended {
            let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(failure);
        }
    }
}

/// See `_native.pyi`.
#[pyfunction]
pub fn work<'py>(
    py: Python<'py>,
    order: &Bound<'py, PyBytes>,
    texts: Vec<String>,
    controls: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let order = Order::read(order.as_bytes()).map_err(error::refused)?;
    let mut classes = Classes::default();
    for control in &controls {
        classes.add(control)?;
    }
    let controls = classes.controls()?;
    let begun = Instant::now();
    let done = supervised(py, None, |supervisor| {
        let mut done = Vec::new();
        for Group {
            text,
            sampled,
            seeds,
        } in &order.groups
        {
            let text = texts.get(*text).map_or("", String::as_str);
            let scenario = Scenario::parse("scenario of a batch", text, &controls);
            let scenario = scenario.map_err(|it| error::report(&it))?;
            check_code(text, &scenario)?;
            for seed in seeds {
                let run = Run::new(&scenario)
                    .seed(*seed)
                    .probe(sampled.then_some(&scenario.probe))
                    .interrupt(supervisor.interrupted())
                    .go();
                done.push(run.map_err(error::stopped)?);
            }
        }
        Ok::<Vec<Done>, PyErr>(done)
    })??;
    let seconds = begun.elapsed().as_secs_f64();
    let mut bytes = seconds.to_le_bytes().to_vec();
    py.detach(|| bytes.extend(pack(&done)));
    Ok(PyBytes::new(py, &bytes))
}

/// Checks that the controls in Python are those that are asked for, because the runs are stored under the
/// identity of these: a worker may have another version of a module, or of Python.
fn check_code(text: &str, scenario: &Scenario) -> PyResult<()> {
    let key = Key::of(scenario, 0, None);
    let own = key.as_ref().map_or("", Key::scenario);
    let codes = |text: &'_ str| {
        text.lines()
            .take_while(|line| line.starts_with(CODE))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let own = codes(own);
    let Some(other) = codes(text).into_iter().find(|code| !own.contains(code)) else {
        return Ok(());
    };
    let name = other.trim_start_matches(CODE);
    let name = name.rsplit_once(": ").map_or(name, |(name, _)| name);
    Err(error::refused(format!(
        "the worker has other code of the control `{name}` than you do, or another version of Python or \
         of a package that it uses: install the same on all machines"
    )))
}
