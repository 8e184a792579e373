//! Reproductions of the papers, and the matrix of controls and paths.

use std::path::PathBuf;
use std::time::Instant;

use dumbbell_lab::claim::Settings;
use dumbbell_lab::figure::Kind;
use dumbbell_lab::report;
use dumbbell_lab::reproduction::{
    self, Chosen, Interrupted, NotWritten, Opened, Panel, Plan, Reproduction, Shown,
};
use dumbbell_run::Stopped;
use dumbbell_scenario::controls::Controls;
use dumbbell_store::{Runner, Store};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::run::open;
use crate::supervise::{supervised, threads};
use crate::table::PyTable;
use crate::{control, error};

/// See `_native.pyi`.
#[pyclass(name = "Reproduced", module = "dumbbell._native", frozen)]
pub struct PyReproduced {
    found: Reproduction,
    /// How long it took.
    seconds: f64,
}

/// What a reproduction is made with, besides what it is made of.
#[derive(FromPyObject)]
pub struct Means {
    /// The number of parallel runs.
    #[pyo3(item)]
    pub jobs: Option<usize>,
    #[pyo3(item)]
    pub store: Option<PathBuf>,
}

/// See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (names, means, quick, seed, against=None, progress=None))]
pub fn reproduce(
    py: Python<'_>,
    names: Vec<String>,
    means: Means,
    quick: bool,
    seed: u64,
    against: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyReproduced> {
    let settings = Settings { seed, quick };
    let known = control::known(py)?;
    let plan = py.detach(|| planned(&names, settings, against, &known))?;
    let threads = threads(means.jobs);
    execute(py, plan, means, threads, progress)
}

fn planned(
    names: &[String],
    settings: Settings,
    against: Option<PathBuf>,
    known: &Controls,
) -> PyResult<Plan> {
    let library = dumbbell_papers::library(known).map_err(error::malformed)?;
    let opened = library.open(names, known).map_err(error::malformed)?;
    let Opened { library, names } = opened;
    let chosen = library.choose(&names, settings);
    let mut chosen: Chosen = chosen.map_err(|it| error::scenario(it.to_string()))?;
    if let Some(folder) = against {
        let compared = chosen.against(&folder);
        chosen = compared.map_err(|it| error::refused(it.to_string()))?;
    }
    Plan::new(chosen).map_err(error::malformed)
}

/// Makes the runs of a plan.
///
/// # Errors
/// `StoreError` if the store cannot be used, `KeyboardInterrupt`, the exception of a control.
pub fn execute(
    py: Python<'_>,
    plan: Plan,
    Means { store, .. }: Means,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyReproduced> {
    let store: Option<Store> = open(store)?;
    let found = supervised(py, progress, move |supervisor| {
        supervisor.plan(plan.runs() as u64);
        let runner = Runner {
            store: store.as_ref(),
            threads,
            interrupted: supervisor.interrupted(),
        };
        let begun = Instant::now();
        let found = plan.run(&runner, |advance| supervisor.step(advance.steps), |_| {});
        found.map(|found| PyReproduced {
            found,
            seconds: begun.elapsed().as_secs_f64(),
        })
    })?;
    found.map_err(|Interrupted { failure }| {
        error::stopped(failure.map_or(Stopped::Interrupted, Stopped::Failed))
    })
}

fn not_written(wrong: NotWritten) -> PyErr {
    match wrong {
        NotWritten::Drawing(reason) => error::refused(reason),
        wrong => PyOSError::new_err(wrong.to_string()),
    }
}

/// A drawing or a table of a figure: the figure, its name, title, kind, labels of the axes, whether the
/// horizontal one is logarithmic, and its values.
type Drawing<'p> = (
    &'p str,
    &'p str,
    &'p str,
    &'static str,
    (&'p str, &'p str, bool),
    PyTable,
);

fn shown<'p>(figure: &'p str, title: &'p str, panel: &'p Panel) -> Drawing<'p> {
    let (kind, labels) = match &panel.shown {
        Shown::Table(_) => ("table", ("", "", false)),
        Shown::Measured(shown) | Shown::Sampled { figure: shown, .. } => {
            let kind = match shown.kind {
                Kind::Curves if matches!(panel.shown, Shown::Sampled { .. }) => "samples",
                Kind::Curves => "curves",
                Kind::Bars => "bars",
                Kind::Map => "map",
            };
            (kind, (&*shown.x_label, &*shown.y_label, shown.log_x))
        }
    };
    let title = match panel.title.as_str() {
        "" => title,
        own => own,
    };
    (
        figure,
        &panel.stem,
        title,
        kind,
        labels,
        panel.table().into(),
    )
}

#[pymethods]
impl PyReproduced {
    #[getter]
    fn claims(&self) -> PyTable {
        self.found.claims().into()
    }

    #[getter]
    fn sentences(&self) -> PyTable {
        self.found.sentences().into()
    }

    #[getter]
    fn changes(&self) -> PyTable {
        self.found.changes().into()
    }

    #[getter]
    fn figures(&self) -> Vec<(&str, PyTable)> {
        let figures = self.found.figures();
        let figures = figures.map(|it| (it.experiment.name.as_str(), it.table().into()));
        figures.collect()
    }

    #[getter]
    fn drawings(&self) -> Vec<Drawing<'_>> {
        let figures = self.found.figures();
        let drawings = figures.flat_map(|figure| {
            let about = &figure.experiment;
            let panels = figure.panels().iter();
            panels.map(|panel| shown(&about.name, &about.title, panel))
        });
        drawings.collect()
    }

    #[getter]
    fn matrix(&self) -> Option<PyTable> {
        self.found.matrix.as_ref().map(|it| it.table().into())
    }

    #[getter]
    fn command(&self) -> String {
        self.found.command()
    }

    #[getter]
    fn computed(&self) -> usize {
        self.found.counts.simulated
    }

    #[getter]
    fn taken(&self) -> usize {
        self.found.counts.kept
    }

    #[getter]
    fn trouble(&self) -> Option<String> {
        self.found.trouble.as_ref().map(ToString::to_string)
    }

    fn report(&self, py: Python<'_>) -> String {
        py.detach(|| report::html(&self.found.document(self.seconds)))
    }

    fn write(&self, py: Python<'_>, folder: PathBuf) -> PyResult<PathBuf> {
        py.detach(|| {
            reproduction::prepare(&folder)?;
            self.found.write(&folder, self.seconds)
        })
        .map_err(not_written)
    }
}
