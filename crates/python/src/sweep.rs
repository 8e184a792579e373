//! Sweeps: a scenario over many values of its own.

use std::path::PathBuf;

use dumbbell_lab::sweep::{Collector, Found, Progress, Sweep};
use dumbbell_lab::table::Table;
use dumbbell_lab::tidy::Kind;
use dumbbell_scenario::{Scenario, ScenarioFile};
use dumbbell_store::{Execute, Runner};
use pyo3::prelude::*;

use crate::cluster::Remote;
use crate::control::Classes;
use crate::error;
use crate::run::{open, summary};
use crate::scenario::{PyScenario, SET};
use crate::supervise::{Supervisor, supervised};
use crate::table::PyTable;

/// The most rows of the table of flows, where nobody asks for it.
const MOST_FLOWS: usize = 2_000_000;

/// See `_native.pyi`.
#[pyclass(name = "Plan", module = "dumbbell._native", frozen)]
pub struct PyPlan {
    sweep: Sweep,
    /// The controls in Python that its points name.
    classes: Classes,
}

/// See `_native.pyi`.
#[pyclass(name = "Swept", module = "dumbbell._native", frozen)]
pub struct PySwept {
    found: Found,
    groups: Py<PyTable>,
    flows: Option<Py<PyTable>>,
    links: Py<PyTable>,
    runs: Py<PyTable>,
    summary: Py<PyTable>,
}

/// The tables of a sweep.
struct Tables {
    found: Found,
    groups: Table,
    flows: Option<Table>,
    links: Table,
    runs: Table,
}

impl PyPlan {
    /// The sweep.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// The point with this scenario, by its swept values.
    fn named(&self, scenario: &Scenario) -> String {
        let mut points = self.sweep.points.iter();
        let point = points.find(|it| std::ptr::eq(&raw const it.scenario, scenario));
        let values = point.map_or(&[][..], |it| &it.values);
        let values = self.sweep.paths.iter().zip(values);
        let values = values.map(|(path, at)| format!("{} = {}", path.name, path.values[*at].text));
        let values: Vec<String> = values.collect();
        format!("{} with {}", self.sweep.name, values.join(", "))
    }

    /// The kinds of tables that are made.
    fn kinds(&self, flows: Option<bool>) -> Vec<Kind> {
        let rows = self.sweep.points.iter().map(|it| it.scenario.flow_count());
        let rows = rows.sum::<usize>() as u64 * self.sweep.repeat.bounds().0;
        match flows.unwrap_or(rows <= MOST_FLOWS as u64) {
            true => vec![Kind::Groups, Kind::Links, Kind::Flows],
            false => vec![Kind::Groups, Kind::Links],
        }
    }
}

#[pymethods]
impl PyPlan {
    #[new]
    fn new(
        py: Python<'_>,
        scenario: &PyScenario,
        settings: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        let mut file: ScenarioFile = scenario.file().clone();
        let mut classes = scenario.classes().renewed(py)?;
        for (path, value) in &settings {
            let set = crate::scenario::setting(path, value, &mut classes)?;
            file.set_from(SET, &set);
        }
        let controls = classes.controls()?;
        let sweep = py.detach(|| Sweep::read(&file, &controls));
        let sweep = sweep.map_err(|it| error::report(&it))?;
        let mut used = Classes::default();
        for point in &sweep.points {
            used.join(&classes.used_in(&point.scenario));
        }
        Ok(Self {
            sweep,
            classes: used,
        })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.sweep.name
    }

    #[getter]
    fn paths(&self) -> Vec<&str> {
        self.sweep.paths.iter().map(|it| it.name.as_str()).collect()
    }

    #[getter]
    fn points(&self) -> usize {
        self.sweep.points.len()
    }

    #[getter]
    fn runs(&self) -> (u64, u64) {
        let (least, most) = self.sweep.repeat.bounds();
        let points = self.sweep.points.len() as u64;
        (points * least, points * most)
    }

    #[pyo3(signature = (flows=None, jobs=None, store=None, progress=None, pool=None))]
    fn run(
        &self,
        py: Python<'_>,
        flows: Option<bool>,
        jobs: Option<usize>,
        store: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
        pool: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySwept> {
        let store = open(store)?;
        let kinds = self.kinds(flows);
        if store.is_some() {
            self.classes.warn(py)?;
        }
        let threads = self.classes.threads(jobs);
        let name = |scenario: &Scenario| self.named(scenario);
        let remote = pool.map(|pool| Remote::new(pool, self.classes.classes(py), &name));
        let tables = supervised(py, progress, |supervisor| {
            let runner = Runner {
                store: store.as_ref(),
                threads,
                interrupted: supervisor.interrupted(),
            };
            match &remote {
                None => run(&self.sweep, &kinds, &runner, supervisor),
                Some(remote) => {
                    let runner = runner.elsewhere(remote);
                    run(&self.sweep, &kinds, &runner, supervisor)
                }
            }
        })?;
        remote.map_or(Ok(()), Remote::check)?;
        if let Some(failure) = &tables.found.failure {
            return Err(error::failed(failure));
        }
        PySwept::of(py, &self.sweep, tables)
    }
}

fn run(sweep: &Sweep, kinds: &[Kind], runner: &impl Execute, supervisor: &Supervisor) -> Tables {
    let mut collector = Collector::new(sweep, kinds);
    let found = sweep.run(
        runner,
        |progress| match progress {
            Progress::Planned(jobs) => supervisor.plan(jobs.len() as u64),
            Progress::Done(advance) => supervisor.step(advance.steps),
        },
        |turn, point, done| collector.add(turn, point, &done),
    );
    let made = collector.tables();
    let mut tidy = made.tidy.into_iter();
    let mut next = || tidy.next().expect("a table for each kind");
    Tables {
        found,
        groups: next(),
        links: next(),
        flows: kinds.contains(&Kind::Flows).then(next),
        runs: made.runs,
    }
}

impl PySwept {
    fn of(py: Python<'_>, sweep: &Sweep, tables: Tables) -> PyResult<Self> {
        let keys = sweep.paths.iter().map(|it| it.name.as_str());
        let keys: Vec<&str> = keys.chain(["group"]).collect();
        let made = py.detach(|| {
            let summary = summary(&tables.groups, &keys);
            (
                PyTable::from(tables.groups),
                tables.flows.map(PyTable::from),
                PyTable::from(tables.links),
                PyTable::from(tables.runs),
                PyTable::from(summary),
            )
        });
        let (groups, flows, links, runs, summary) = made;
        Ok(Self {
            found: tables.found,
            groups: Py::new(py, groups)?,
            flows: flows.map(|it| Py::new(py, it)).transpose()?,
            links: Py::new(py, links)?,
            runs: Py::new(py, runs)?,
            summary: Py::new(py, summary)?,
        })
    }
}

#[pymethods]
impl PySwept {
    #[getter]
    fn taken(&self) -> u64 {
        self.found.taken
    }

    #[getter]
    fn computed(&self) -> u64 {
        self.found.computed
    }

    #[getter]
    fn trouble(&self) -> Option<String> {
        self.found.trouble.as_ref().map(ToString::to_string)
    }

    #[getter]
    fn wide(&self) -> Vec<usize> {
        self.found.wide.clone()
    }

    #[getter]
    fn groups(&self, py: Python<'_>) -> Py<PyTable> {
        self.groups.clone_ref(py)
    }

    #[getter]
    fn flows(&self, py: Python<'_>) -> Option<Py<PyTable>> {
        self.flows.as_ref().map(|it| it.clone_ref(py))
    }

    #[getter]
    fn links(&self, py: Python<'_>) -> Py<PyTable> {
        self.links.clone_ref(py)
    }

    #[getter]
    fn runs(&self, py: Python<'_>) -> Py<PyTable> {
        self.runs.clone_ref(py)
    }

    fn summary(&self, py: Python<'_>) -> Py<PyTable> {
        self.summary.clone_ref(py)
    }
}
