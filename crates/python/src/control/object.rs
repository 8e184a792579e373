//! What an object of a control is given, and which of its methods are called.

use dumbbell_control::parameter::Setting;
use dumbbell_control::units::Segments;
use dumbbell_scenario::controls::Settings;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Which optional methods a class has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hooks {
    pub on_sent: bool,
    pub on_sample: bool,
    pub window: bool,
    pub pacing: bool,
    pub sending_rate: bool,
}

/// The parameters of a connection as Python's values.
pub fn parameters<'py>(py: Python<'py>, settings: &Settings) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in settings.iter() {
        match value {
            Setting::Flag(flag) => dict.set_item(name, flag)?,
            Setting::Count(count) => dict.set_item(name, count)?,
            Setting::Ratio(ratio) => dict.set_item(name, f64::from(ratio.millionths()) / 1e6)?,
            Setting::Choice(word) => dict.set_item(name, word)?,
            Setting::Duration(span) => dict.set_item(name, span.as_secs_f64())?,
            Setting::Segments(Segments::MAX) => dict.set_item(name, f64::INFINITY)?,
            Setting::Segments(count) => dict.set_item(name, count.as_f64())?,
        }
    }
    Ok(dict)
}
