//! Runs of a scenario.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use dumbbell_lab::table::{Builder, Cell, Head, Type};
use dumbbell_lab::tidy::{self, Kind, means};
use dumbbell_run::{Done, Failure, Reading, Subject};
use dumbbell_scenario::Scenario;
use dumbbell_store::{Advance, Execute, Job, Runner, Store};
use pyo3::prelude::*;

use crate::arrow::{Column, Data, Frame, TextBuilder, Validity};
use crate::cluster::Remote;
use crate::error;
use crate::scenario::PyScenario;
use crate::supervise::{Supervisor, supervised};
use crate::table::PyTable;

/// See `_native.pyi`.
#[pyclass(name = "Outcomes", module = "dumbbell._native", frozen)]
pub struct PyOutcomes {
    done: Vec<Done>,
    taken: usize,
    computed: usize,
    trouble: Option<String>,
    tables: [OnceLock<Py<PyTable>>; 3],
    samples: OnceLock<Py<PyTable>>,
}

/// Which runs are sampled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampled {
    First,
    All,
    None,
}

/// Opens a store.
///
/// # Errors
/// `StoreError`.
pub fn open(path: Option<PathBuf>) -> PyResult<Option<Store>> {
    let store = path.as_deref().map(Store::open).transpose();
    store.map_err(|it| error::of_store(&it))
}

/// See `_native.pyi`.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "they are those of a function of Python"
)]
#[pyo3(signature = (scenario, seeds, samples, jobs=None, store=None, progress=None, pool=None))]
pub fn run(
    py: Python<'_>,
    scenario: &PyScenario,
    seeds: Vec<u64>,
    samples: &str,
    jobs: Option<usize>,
    store: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
    pool: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyOutcomes> {
    let sampled = match samples {
        "first" => Sampled::First,
        "all" => Sampled::All,
        _ => Sampled::None,
    };
    let (scenario, classes) = scenario.present(py)?;
    let store = open(store)?;
    if store.is_some() {
        classes.warn(py)?;
    }
    let threads = classes.threads(jobs);
    let name = |scenario: &Scenario| {
        scenario
            .name
            .clone()
            .unwrap_or_else(|| "the scenario".into())
    };
    let remote = pool.map(|pool| Remote::new(pool, classes.classes(py), &name));
    let (outcomes, failure) = supervised(py, progress, |supervisor| {
        let runner = Runner {
            store: store.as_ref(),
            threads,
            interrupted: supervisor.interrupted(),
        };
        match &remote {
            None => all(&scenario, &seeds, sampled, &runner, supervisor),
            Some(remote) => {
                let runner = runner.elsewhere(remote);
                all(&scenario, &seeds, sampled, &runner, supervisor)
            }
        }
    })?;
    remote.map_or(Ok(()), Remote::check)?;
    match failure {
        Some(failure) => Err(error::failed(&failure)),
        None => Ok(outcomes),
    }
}

fn all(
    scenario: &Arc<Scenario>,
    seeds: &[u64],
    sampled: Sampled,
    runner: &impl Execute,
    supervisor: &Supervisor,
) -> (PyOutcomes, Option<Failure>) {
    supervisor.plan(seeds.len() as u64);
    let is_sampled = |index| match sampled {
        Sampled::First => index == 0,
        Sampled::All => true,
        Sampled::None => false,
    };
    let job = |(index, seed): (usize, &u64)| Job {
        scenario,
        seed: *seed,
        probe: is_sampled(index).then_some(&scenario.probe),
    };
    let jobs: Vec<Job<'_>> = seeds.iter().enumerate().map(job).collect();
    let mut done = Vec::with_capacity(jobs.len());
    let steps = |advance: Advance| supervisor.step(advance.steps);
    let summary = runner.execute(&jobs, &steps, &mut |_, run| done.push(run));
    let outcomes = PyOutcomes {
        done,
        taken: summary.taken,
        computed: summary.computed,
        trouble: summary.trouble.map(|it| it.to_string()),
        tables: Default::default(),
        samples: OnceLock::new(),
    };
    (outcomes, summary.failure)
}

#[pymethods]
impl PyOutcomes {
    #[getter]
    fn taken(&self) -> usize {
        self.taken
    }

    #[getter]
    fn computed(&self) -> usize {
        self.computed
    }

    #[getter]
    fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    #[getter]
    fn groups(&self, py: Python<'_>) -> PyResult<Py<PyTable>> {
        self.tidy(py, Kind::Groups)
    }

    #[getter]
    fn flows(&self, py: Python<'_>) -> PyResult<Py<PyTable>> {
        self.tidy(py, Kind::Flows)
    }

    #[getter]
    fn links(&self, py: Python<'_>) -> PyResult<Py<PyTable>> {
        self.tidy(py, Kind::Links)
    }

    #[getter]
    fn samples(&self, py: Python<'_>) -> PyResult<Py<PyTable>> {
        once(&self.samples, py, || PyTable::of(samples(&self.done)))
    }

    fn summary(&self, py: Python<'_>) -> PyTable {
        py.detach(|| {
            let outcomes = self.done.iter().map(|done| &done.outcome);
            summary(&tidy::table(Kind::Groups, outcomes), &["group"]).into()
        })
    }
}

impl PyOutcomes {
    fn tidy(&self, py: Python<'_>, kind: Kind) -> PyResult<Py<PyTable>> {
        once(&self.tables[kind as usize], py, || {
            let outcomes = self.done.iter().map(|done| &done.outcome);
            tidy::table(kind, outcomes).into()
        })
    }
}

/// The table of a cell, which is made at the first call.
fn once(
    cell: &OnceLock<Py<PyTable>>,
    py: Python<'_>,
    make: impl FnOnce() -> PyTable + Send,
) -> PyResult<Py<PyTable>> {
    if let Some(made) = cell.get() {
        return Ok(made.clone_ref(py));
    }
    let made = Py::new(py, py.detach(make))?;
    Ok(cell.get_or_init(|| made).clone_ref(py))
}

/// The means of a tidy table over the rows that agree in the columns `keys`: for each measure its mean and
/// half the width of its 95 % interval.
pub fn summary(of: &dumbbell_lab::table::Table, keys: &[&str]) -> dumbbell_lab::table::Table {
    let is_key = |name: &str| keys.contains(&name) || name == "seed";
    let measures: Vec<_> = of
        .columns
        .iter()
        .filter(|it| !is_key(&it.name) && matches!(it.values.sort(), Type::Number | Type::Whole))
        .collect();
    let names: Vec<&str> = measures.iter().map(|it| it.name.as_str()).collect();
    let rows = means::of(of, keys, &names);
    let mut heads: Vec<Head> = Vec::new();
    for column in keys.iter().filter_map(|name| of.column(name)) {
        let head = Head::new(&column.name, column.values.sort(), &column.about);
        heads.push(match &column.unit {
            Some(unit) => head.unit(unit),
            None => head,
        });
    }
    heads.push(Head::new("runs", Type::Whole, "the number of runs"));
    for column in &measures {
        let unit = column.unit.as_deref().unwrap_or_default();
        let about = format!("the mean over the runs: {}", column.about);
        heads.push(Head::new(&column.name, Type::Number, &about).unit(unit));
        let name = format!("{}_ci95", column.name);
        let about = format!("half the width of the 95 % interval of `{}`", column.name);
        heads.push(Head::new(&name, Type::Number, &about).unit(unit));
    }
    let mut builder = Builder::new("summary", heads);
    for row in &rows {
        let of_mean = |estimate: &Option<dumbbell_run::statistics::Estimate>| {
            let mean = estimate.map(|it| Cell::Number(it.mean));
            let half = estimate.and_then(|it| it.half_width).map(Cell::Number);
            [mean, half]
        };
        let keys = row.keys.iter().copied();
        let runs = [Some(Cell::Whole(row.rows as u64))];
        builder.row(
            keys.chain(runs)
                .chain(row.estimates.iter().flat_map(of_mean)),
        );
    }
    builder.table()
}

/// The samples of runs, a row for each.
fn samples(runs: &[Done]) -> Frame {
    let points = runs.iter().flat_map(|run| &run.series);
    let rows: usize = points.map(|series| series.points.len()).sum();
    let mut seeds: Vec<u64> = Vec::with_capacity(rows);
    let mut times: Vec<f64> = Vec::with_capacity(rows);
    let mut values: Vec<f64> = Vec::with_capacity(rows);
    let (mut subjects, mut quantities) = (TextBuilder::default(), TextBuilder::default());
    let (mut words, mut are_numbers) = (TextBuilder::default(), Validity::default());
    for Done { outcome, series } in runs {
        for one in series {
            let subject = match one.subject {
                Subject::Flow(flow) => &outcome.flows[flow].name,
                Subject::Link(link) => &outcome.links[link].name,
            };
            let count = one.points.len();
            seeds.resize(seeds.len() + count, outcome.seed);
            subjects.push_times(Some(subject), count);
            quantities.push_times(Some(&one.quantity), count);
            for (time, reading) in &one.points {
                times.push(*time);
                let (value, word) = match *reading {
                    Reading::Number(number) => (Some(number), None),
                    Reading::Word(word) => (None, Some(word)),
                };
                values.push(value.unwrap_or(f64::NAN));
                are_numbers.push(value.is_some());
                words.push(word);
            }
        }
    }
    let value = Column::whole(
        "value",
        "the number, in the unit of the quantity",
        Data::Number(values),
    );
    let columns = vec![
        Column::whole("seed", "the seed of the run", Data::Whole(seeds)),
        Column::whole("time_s", "when the sample was taken", Data::Number(times)).unit("s"),
        subjects.column("subject", "the flow or the link"),
        quantities.column("quantity", "what was sampled"),
        value.valid(are_numbers),
        words.column("word", "the word, if the quantity is not a number"),
    ];
    Frame::new("samples", columns)
}
