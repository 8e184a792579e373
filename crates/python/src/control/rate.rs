//! A rate control in Python.

use std::cell::Cell;

use dumbbell_control::controller::Value;
use dumbbell_control::units::Instant;
use dumbbell_scenario::controls::{Alarm, Settings};
use dumbbell_tfrc::steered::{Expiry, RateControl, Report};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{PyClass, intern};

use super::event::{PyExpiry, PyFeedback};
use super::object::{Hooks, parameters};
use super::{window, words};

/// A rate control whose decisions an object of Python makes. What goes wrong raises the alarm, as for
/// [`super::adapter::PyController`].
pub struct PyRate {
    object: Option<Py<PyAny>>,
    hooks: Hooks,
    alarm: Alarm,
    rate: f64,
    sending: f64,
    wait: Option<f64>,
    now: Cell<Instant>,
}

impl PyRate {
    /// Makes the object of a new connection.
    pub fn new(
        class: &Py<PyAny>,
        hooks: Hooks,
        settings: &Settings,
        segment: u32,
        alarm: &Alarm,
    ) -> Self {
        let segment = f64::from(segment);
        let mut control = Self {
            object: None,
            hooks,
            alarm: alarm.clone(),
            // RFC 5348, section 4.2: one segment per second before the first feedback.
            rate: segment,
            sending: segment,
            wait: None,
            now: Cell::new(Instant::ZERO),
        };
        Python::attach(|py| {
            let made = parameters(py, settings).and_then(|settings| {
                let begin = (segment, settings);
                let object = class.bind(py).call_method1(intern!(py, "_begin"), begin)?;
                control.read(&object)?;
                control.object = Some(object.unbind());
                Ok(())
            });
            control.settle(made);
        });
        control
    }

    fn call<'py, E>(&mut self, py: Python<'py>, name: &Bound<'py, PyString>, now: Instant, event: E)
    where
        E: Into<PyClassInitializer<E>> + PyClass,
    {
        self.now.set(now);
        let Some(object) = &self.object else { return };
        let object = object.bind(py).clone();
        let done = Bound::new(py, event)
            .and_then(|event| object.call_method1(name, (event,)))
            .and_then(|_| self.read(&object));
        self.settle(done);
    }

    fn read(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = object.py();
        self.rate = finite(&object.getattr(intern!(py, "rate"))?, "rate")?;
        self.sending = match self.hooks.sending_rate {
            false => self.rate,
            true => {
                let rate = object.call_method0(intern!(py, "sending_rate"))?;
                finite(&rate, "sending_rate()")?
            }
        };
        let wait = object.getattr(intern!(py, "wait"))?;
        self.wait = match wait.is_none() {
            true => None,
            false => Some(positive(&wait, "wait")?),
        };
        Ok(())
    }

    fn settle(&mut self, done: PyResult<()>) {
        if let Err(error) = done {
            self.alarm.raise(self.now.get(), error);
            self.object = None;
        }
    }
}

/// A rate: neither negative nor infinite.
fn finite(value: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    match positive(value, what)? {
        rate if rate.is_finite() => Ok(rate),
        rate => Err(PyValueError::new_err(format!(
            "`{what}` is {rate}, but a rate is a finite number of bytes per second"
        ))),
    }
}

/// A number that is not negative.
fn positive(value: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    let number = window::number(value, what)?;
    match number < 0.0 {
        true => Err(PyValueError::new_err(format!(
            "`{what}` is {number}, but it cannot be negative"
        ))),
        false => Ok(number),
    }
}

impl RateControl for PyRate {
    fn on_feedback(&mut self, report: &Report) {
        if self.object.is_some() {
            let event = PyFeedback(*report);
            Python::attach(|py| self.call(py, intern!(py, "on_feedback"), report.now, event));
        }
    }

    fn on_expiry(&mut self, expiry: &Expiry) {
        if self.object.is_some() {
            let event = PyExpiry(*expiry);
            Python::attach(|py| self.call(py, intern!(py, "on_expiry"), expiry.now, event));
        }
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn sending_rate(&self) -> f64 {
        self.sending
    }

    fn wait(&self) -> Option<f64> {
        self.wait
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let Some(object) = &self.object else { return };
        let values = Python::attach(|py| {
            let found = object.bind(py).call_method0(intern!(py, "explain"))?;
            words::values(&found)
        });
        match values {
            Ok(values) => values
                .into_iter()
                .for_each(|(name, value)| out(name, value)),
            Err(error) => self.alarm.raise(self.now.get(), error),
        }
    }
}
