//! The controls that files can name.

use dumbbell_scenario::controls::Controls;
use pyo3::prelude::*;

use crate::control::Classes;

/// The controls that a file can name where no scenario brings its own: the built-in ones, and the classes
/// that are registered.
///
/// # Errors
/// `ScenarioError` if a registered class cannot be added.
pub fn known() -> PyResult<Controls> {
    Classes::default().controls()
}
