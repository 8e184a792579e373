//! The class `Scenario`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Scenario, ScenarioFile, named_flows};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::Deserialize as _;
use toml::{Spanned, Table};

use crate::control::Classes;
use crate::table::display;
use crate::{error, value};

/// The name of a scenario that comes from a mapping, in messages.
const NO_FILE: &str = "scenario";
/// The name of values that are set, in messages.
pub const SET: &str = "set";

/// A network, its flows and how long they run: what a scenario file says (docs/scenario.md).
///
/// It is made of a mapping in the shape of a file, by `Scenario.load` of a file, by `Scenario.parse` of its
/// text, or by `dumbbell.dumbbell`. It does not change; `set` makes another one.
#[pyclass(name = "Scenario", module = "dumbbell._native", frozen, subclass)]
pub struct PyScenario {
    /// The text with the values that are set beside it.
    file: ScenarioFile,
    source: Source,
    controls: Controls,
    read: Arc<Scenario>,
}

/// What a scenario was made of.
#[derive(Clone)]
struct Source {
    name: String,
    text: String,
    /// Where the traces lie that it names; `None` if it may name none.
    folder: Option<PathBuf>,
    /// Values that are set, as `PATH=VALUE`.
    set: Vec<String>,
    /// The controls in Python that it names.
    classes: Classes,
}

impl Source {
    fn file(&self) -> ScenarioFile {
        let Self {
            name, text, folder, ..
        } = self;
        let mut file = match folder {
            Some(folder) => ScenarioFile::in_folder(folder, name, text),
            None => ScenarioFile::of_text(name, text),
        };
        self.set.iter().for_each(|value| file.set_from(SET, value));
        file
    }
}

impl PyScenario {
    fn of(mut source: Source) -> PyResult<Self> {
        let controls = source.classes.controls()?;
        let file = source.file();
        let read = file.scenario(&controls).map_err(|it| error::report(&it))?;
        source.classes = source.classes.used_in(&read);
        Ok(Self {
            file,
            source,
            controls,
            read: Arc::new(read),
        })
    }

    /// The scenario.
    pub fn read(&self) -> &Arc<Scenario> {
        &self.read
    }

    /// Its file, with the values that are set.
    pub fn file(&self) -> &ScenarioFile {
        &self.file
    }

    /// The scenario as it is now, with the present code of its controls in Python, and these.
    ///
    /// # Errors
    /// Whatever has become wrong in their classes.
    pub fn present(&self, py: Python<'_>) -> PyResult<(Arc<Scenario>, Classes)> {
        if self.source.classes.is_empty() {
            return Ok((self.read.clone(), Classes::default()));
        }
        let classes = self.source.classes.renewed(py)?;
        let read = self.file.scenario(&classes.controls()?);
        Ok((Arc::new(read.map_err(|it| error::report(&it))?), classes))
    }

    /// The controls in Python that it names.
    pub fn classes(&self) -> &Classes {
        &self.source.classes
    }

    /// The document, with the values that are set.
    fn document(&self) -> PyResult<Table> {
        let draft = self.file.draft(&self.controls);
        let draft = draft.map_err(|it| error::report(&it))?;
        let document = Spanned::new(0..0, draft.document().clone());
        let table = Table::deserialize(toml::de::Deserializer::from(document));
        table.map_err(|wrong| error::scenario(wrong.to_string()))
    }
}

/// `PATH=VALUE` for a path and a value of Python. Controls in it are added to `classes`.
pub fn setting(path: &str, value: &Bound<'_, PyAny>, classes: &mut Classes) -> PyResult<String> {
    Ok(format!("{path}={}", value::toml(value, path, classes)?))
}

#[pymethods]
impl PyScenario {
    #[new]
    fn new(mapping: &Bound<'_, PyAny>) -> PyResult<Self> {
        if mapping.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "a scenario is made of a mapping; for a file there is Scenario.load(path), and for TOML \
                 text Scenario.parse(text)",
            ));
        }
        let mut classes = Classes::default();
        let table = value::table(mapping, NO_FILE, &mut classes)?;
        let text = toml::to_string(&table).map_err(|wrong| error::scenario(wrong.to_string()))?;
        Self::of(Source {
            name: NO_FILE.to_owned(),
            text,
            folder: Some(PathBuf::new()),
            set: Vec::new(),
            classes,
        })
    }

    /// Reads a scenario file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let name = path.display().to_string();
        // Loading checks that it is text, with a message that tells the place.
        let text = py.detach(|| {
            ScenarioFile::load(&path).and_then(|_| {
                std::fs::read_to_string(&path).map_err(|reason| {
                    dumbbell_scenario::LoadError::Unreadable {
                        file: name.clone(),
                        reason,
                    }
                })
            })
        });
        Self::of(Source {
            text: text.map_err(|it| error::load(&it))?,
            folder: Some(path.parent().unwrap_or(Path::new("")).to_owned()),
            name,
            set: Vec::new(),
            classes: Classes::default(),
        })
    }

    /// Reads the text of a scenario file; `name` is shown in mistakes.
    #[staticmethod]
    #[pyo3(signature = (text, name="scenario"))]
    fn parse(text: &str, name: &str) -> PyResult<Self> {
        Self::of(Source {
            name: name.to_owned(),
            text: text.to_owned(),
            folder: Some(PathBuf::new()),
            set: Vec::new(),
            classes: Classes::default(),
        })
    }

    /// Makes the scenario with other values: of a path and its value, or of a mapping from paths to values.
    ///
    /// Paths are those of sweeps and of `--set`: `scenario.set("bottleneck.delay", "5 ms")`.
    #[pyo3(signature = (path, value=None, /))]
    fn set(&self, path: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut source = self.source.clone();
        match (path.cast::<PyDict>(), value) {
            (Ok(values), None) => {
                for (path, value) in values {
                    let path = path.extract::<String>()?;
                    let set = setting(&path, &value, &mut source.classes)?;
                    source.set.push(set);
                }
            }
            (Err(_), Some(value)) => {
                let path = path.extract::<String>()?;
                let set = setting(&path, value, &mut source.classes)?;
                source.set.push(set);
            }
            (Ok(_), Some(_)) | (Err(_), None) => {
                return Err(PyTypeError::new_err(
                    "set takes a path and a value, or a mapping from paths to values",
                ));
            }
        }
        Self::of(source)
    }

    /// Its name, or that of its file.
    #[getter]
    fn name(&self) -> &str {
        self.read.name.as_deref().unwrap_or(&self.source.name)
    }

    /// How long it runs, in seconds of simulated time.
    #[getter]
    fn duration(&self) -> f64 {
        self.read.duration.as_secs_f64()
    }

    /// How long it goes on before it is measured, in seconds of simulated time.
    #[getter]
    fn warmup(&self) -> f64 {
        self.read.warmup.as_secs_f64()
    }

    /// The seed of all random numbers, unless a run gives another one.
    #[getter]
    fn seed(&self) -> u64 {
        self.read.seed
    }

    /// The names of its flows.
    #[getter]
    fn flows(&self) -> Vec<String> {
        let flows = named_flows(&self.read);
        flows.map(|(_, name)| name).collect()
    }

    /// The text of its file, with the values that were set.
    fn to_toml(&self) -> PyResult<String> {
        if self.source.set.is_empty() {
            return Ok(self.source.text.clone());
        }
        let document = self.document()?;
        toml::to_string(&document).map_err(|wrong| error::scenario(wrong.to_string()))
    }

    /// Its file as a mapping, with the values that were set.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        value::python_dict(py, &self.document()?)
    }

    /// The classes of the controls in Python that it names.
    #[getter]
    fn controls(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.source.classes.classes(py)
    }

    /// The scenario as TOML with every default spelled out: equal for equal scenarios.
    fn canonical(&self) -> String {
        self.read.canonical()
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        display(slf, "scenario")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        display(slf, "scenario_html")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|it| it.get().read == self.read)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.read.canonical().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Self { source, file, .. } = slf.get();
        // Where it is read again, the files of its traces may not be there.
        let is_whole = file.trace_files(&slf.get().controls).is_empty();
        let (text, set) = match is_whole {
            true => (source.text.clone(), source.set.clone()),
            false => (slf.get().canonical(), Vec::new()),
        };
        let restore = slf.get_type().getattr("_restore")?;
        let state = (source.name.as_str(), text, set, source.classes.classes(py));
        Ok((restore, state).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    #[pyo3(signature = (name, text, set, controls=vec![]))]
    fn _restore(
        name: String,
        text: String,
        set: Vec<String>,
        controls: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut classes = Classes::default();
        for control in &controls {
            classes.add(control)?;
        }
        Self::of(Source {
            name,
            text,
            folder: None,
            set,
            classes,
        })
    }
}
