//! Errors as exceptions.

use dumbbell_lab::experiment::Malformed;
use dumbbell_run::{Failure, Stopped};
use dumbbell_scenario::{LoadError, Report};
use dumbbell_store::StoreError;
use pyo3::exceptions::{PyFileNotFoundError, PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An exception class of `dumbbell._errors`, which are written in Python so that a class can have two
/// parents.
fn class<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<Bound<'py, PyType>> {
    cell.import(py, "dumbbell._errors", name).cloned()
}

macro_rules! exceptions {
    ($( $(#[$meta:meta])* $make:ident: $name:literal, )+) => { $(
        $(#[$meta])*
        pub fn $make(message: impl Into<String>) -> PyErr {
            static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            let message = message.into();
            Python::attach(|py| match class(py, &CLASS, $name) {
                Ok(class) => PyErr::from_type(class, message),
                Err(error) => error,
            })
        }
    )+ };
}

exceptions! {
    /// What a user asked for cannot be done, for the reason that the message gives.
    refused: "Error",
    /// A scenario, or a description, is wrong.
    scenario: "ScenarioError",
    /// A store cannot be used.
    store: "StoreError",
    /// The library itself is wrong.
    panic: "Panic",
}

/// The exception for a scenario with mistakes: each with its place and a hint.
pub fn report(report: &Report) -> PyErr {
    scenario(report.render(false))
}

/// The exception for a scenario that cannot be loaded.
pub fn load(error: &LoadError) -> PyErr {
    match error {
        LoadError::Invalid(found) => report(found),
        LoadError::Unreadable { reason, .. } if reason.kind() == std::io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(error.to_string())
        }
        LoadError::Unreadable { .. } => PyOSError::new_err(error.to_string()),
        LoadError::NotText { .. } => scenario(error.to_string()),
    }
}

/// The exception for a wrong description of figures, or wrong names of them.
pub fn malformed(wrong: Malformed) -> PyErr {
    match wrong {
        Malformed::Text(found) => report(&found),
        Malformed::Words(what) => scenario(what),
    }
}

/// The exception for a store.
pub fn of_store(error: &StoreError) -> PyErr {
    store(error.to_string())
}

/// The exception for a run that stopped before its end.
pub fn stopped(stopped: Stopped) -> PyErr {
    match stopped {
        Stopped::Interrupted => PyKeyboardInterrupt::new_err(()),
        Stopped::Trace(error) => PyOSError::new_err(error.to_string()),
        Stopped::Failed(failure) => failed(&failure),
    }
}

/// The exception of a control that has failed: its own one, with the flow and the simulated time in a note.
pub fn failed(failure: &Failure) -> PyErr {
    let Some(error) = failure.error.downcast_ref::<PyErr>() else {
        return refused(failure.to_string());
    };
    Python::attach(|py| {
        let error = error.clone_ref(py);
        let (flow, at) = (&failure.flow, failure.at.as_secs_f64());
        let note = format!("in the control of the flow `{flow}`, at {at} s of simulated time");
        match error.value(py).call_method1("add_note", (note,)) {
            Ok(_) => error,
            Err(wrong) => wrong,
        }
    })
}
