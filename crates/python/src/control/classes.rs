//! The classes that scenarios name: those that are given in a scenario, and those that are registered.

use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dumbbell_scenario::controls::{Control, Controls};
use dumbbell_scenario::rate_controls::Scheme;
use dumbbell_scenario::{Scenario, Traffic};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::declare::Declared;
use crate::error;
use crate::supervise::threads;

static REGISTERED: Mutex<Classes> = Mutex::new(Classes(Vec::new()));

fn lock() -> MutexGuard<'static, Classes> {
    // A panic cannot leave the list in a wrong state.
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Classes of controls, no two of the same name.
#[derive(Clone, Default)]
pub struct Classes(Vec<Arc<Declared>>);

impl Classes {
    /// Adds a class, and returns the name by which a file names it.
    ///
    /// # Errors
    /// `ScenarioError` if another class has the name; whatever is wrong in the class.
    pub fn add(&mut self, class: &Bound<'_, PyAny>) -> PyResult<String> {
        let declared = Arc::new(Declared::of(class)?);
        let name = declared.name.clone();
        match self.0.iter_mut().find(|it| it.name == name) {
            None => self.0.push(declared),
            Some(known) if known.is_same(&declared) => *known = declared,
            Some(_) => {
                return Err(error::scenario(format!(
                    "two different controls are called `{name}`: set `name` in one of the classes"
                )));
            }
        }
        Ok(name)
    }

    /// Returns the catalogue with these classes and, where no class of these has the name, those that are
    /// registered.
    ///
    /// # Errors
    /// `ScenarioError` if a class cannot be added.
    pub fn controls(&self) -> PyResult<Controls> {
        let mut controls = Controls::builtin();
        let registered = lock().clone();
        let is_free = |it: &&Arc<Declared>| !self.0.iter().any(|own| own.name == it.name);
        for declared in self.0.iter().chain(registered.0.iter().filter(is_free)) {
            declared.add(&mut controls)?;
        }
        Ok(controls)
    }

    /// Returns the classes that a scenario uses, of these and of those that are registered.
    pub fn used_in(&self, scenario: &Scenario) -> Self {
        let mut used = Self::default();
        let registered = lock().clone();
        for (name, is_rate) in names(scenario) {
            let named = |it: &&Arc<Declared>| it.name == name && it.is_rate == is_rate;
            let mut all = self.0.iter().chain(&registered.0);
            let is_new = !used.0.iter().any(|it| it.name == name);
            if let Some(declared) = all.find(named)
                && is_new
            {
                used.0.push(declared.clone());
            }
        }
        used
    }

    /// Returns these classes as they are now: a function or a number that one refers to may have changed.
    pub fn renewed(&self, py: Python<'_>) -> PyResult<Self> {
        let mut renewed = Self::default();
        for declared in &self.0 {
            renewed.add(declared.class.bind(py))?;
        }
        Ok(renewed)
    }

    /// Returns the number of threads for runs with these controls, where the caller asks for `jobs`: one if
    /// there are any, because they take turns for the interpreter's lock.
    pub fn threads(&self, jobs: Option<usize>) -> usize {
        match self.is_empty() {
            true => threads(jobs),
            false => 1,
        }
    }

    /// Returns the class of this name, if it is one of these.
    pub fn named(&self, name: &str) -> Self {
        let found = self.0.iter().filter(|it| it.name == name);
        Self(found.cloned().collect())
    }

    /// Returns the classes themselves.
    pub fn classes(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.0.iter().map(|it| it.class.clone_ref(py)).collect()
    }

    /// Adds classes of another scenario with the same names.
    pub fn join(&mut self, others: &Self) {
        for other in &others.0 {
            if !self.0.iter().any(|it| it.name == other.name) {
                self.0.push(other.clone());
            }
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Warns of classes with which runs cannot be kept in a store, because part of their code is not known.
    ///
    /// # Errors
    /// The warning, if it is to be an exception.
    pub fn warn(&self, py: Python<'_>) -> PyResult<()> {
        for it in &self.0 {
            if let Some(why) = &it.unknown {
                let name = &it.name;
                let text =
                    format!("runs with the control `{name}` are not kept in the store: {why}");
                let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 3)?;
            }
        }
        Ok(())
    }
}

/// The names of the added controls of a scenario, and whether they are rate controls.
fn names(scenario: &Scenario) -> impl Iterator<Item = (&str, bool)> {
    scenario
        .flows
        .iter()
        .filter_map(|flow| match &flow.traffic {
            Traffic::Tcp(_) | Traffic::Workload(_) => {
                let tcp = flow.traffic.tcp()?;
                matches!(tcp.control, Control::Custom(_)).then(|| (tcp.control.name(), false))
            }
            Traffic::Media(media) => matches!(media.control.scheme(), Scheme::Custom(_))
                .then(|| (media.control.name(), true)),
            Traffic::Udp(_) => None,
        })
}

/// Returns whether a value is the class of a control or a rate control.
pub fn is_control(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !value.is_instance_of::<PyType>() {
        return Ok(false);
    }
    let declaration = value.py().import("dumbbell._declaration")?;
    declaration.call_method1("is_control", (value,))?.extract()
}

/// See `_native.pyi`.
#[pyfunction]
pub fn register(class: &Bound<'_, PyAny>) -> PyResult<String> {
    let declared = Arc::new(Declared::of(class)?);
    // It must be possible to add it.
    declared.add(&mut Controls::builtin())?;
    let name = declared.name.clone();
    drop(taken(&name));
    lock().0.push(declared);
    Ok(name)
}

/// See `_native.pyi`.
#[pyfunction]
pub fn unregister(name: &str) -> bool {
    !taken(name).is_empty()
}

/// Takes the classes of this name from those that are registered. They are dropped without the lock, because
/// that may run Python.
fn taken(name: &str) -> Vec<Arc<Declared>> {
    let mut registered = lock();
    let all = std::mem::take(&mut registered.0);
    let (taken, left) = all.into_iter().partition(|it| it.name == name);
    registered.0 = left;
    taken
}

/// See `_native.pyi`.
#[pyfunction]
pub fn registered(py: Python<'_>) -> Vec<Py<PyAny>> {
    let registered = lock().clone();
    registered.classes(py)
}

/// The classes that are registered, with their present code.
///
/// # Errors
/// Whatever has become wrong in one.
pub fn registered_now(py: Python<'_>) -> PyResult<Classes> {
    let registered = lock().clone();
    registered.renewed(py)
}

/// The controls that a file can name where no scenario brings its own, with their present code.
///
/// # Errors
/// As for [`registered_now`], and `ScenarioError` if a registered class cannot be added.
pub fn known(py: Python<'_>) -> PyResult<Controls> {
    registered_now(py)?.controls()
}
