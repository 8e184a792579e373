//! A congestion control in Python as a controller.

use std::cell::Cell;

use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::event::{Ack, Loss, Path, Sample, Sent, Timeout};
use dumbbell_control::units::{Instant, Rate, Segments};
use dumbbell_scenario::controls::{Alarm, Settings};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{PyClass, intern};

use super::event::{PyAck, PyLoss, PySample, PySent, PyTimeout};
use super::object::{Hooks, parameters};
use super::signals::PySignals;
use super::{window, words};

/// A controller whose decisions an object of Python makes.
///
/// Whatever goes wrong in Python raises the alarm, which ends the run. Until the run has ended, the window
/// stays as it was, and Python is not called again.
pub struct PyController {
    object: Option<Py<PyAny>>,
    signals: Option<Py<PySignals>>,
    hooks: Hooks,
    alarm: Alarm,
    window: Window,
    pacing: Option<Rate>,
    now: Cell<Instant>,
}

impl PyController {
    /// Makes the object of a new connection.
    pub fn new(
        class: &Py<PyAny>,
        hooks: Hooks,
        settings: &Settings,
        path: &Path,
        alarm: &Alarm,
    ) -> Self {
        let mut controller = Self {
            object: None,
            signals: None,
            hooks,
            alarm: alarm.clone(),
            window: Window {
                cwnd: path.initial_window.clamp(Segments::ONE, Segments::CAP),
                ssthresh: path.ssthresh,
            },
            pacing: None,
            now: Cell::new(Instant::ZERO),
        };
        Python::attach(|py| {
            let made = controller.begin(class.bind(py), settings, path);
            controller.settle(made);
        });
        controller
    }

    fn begin(
        &mut self,
        class: &Bound<'_, PyAny>,
        settings: &Settings,
        path: &Path,
    ) -> PyResult<()> {
        let py = class.py();
        let signals = Bound::new(py, PySignals::default())?;
        let ssthresh = match self.window.ssthresh {
            Segments::MAX => f64::INFINITY,
            limit => limit.as_f64(),
        };
        let begin = (
            &signals,
            self.window.cwnd.as_f64(),
            ssthresh,
            path.mss.0,
            parameters(py, settings)?,
        );
        let object = class.call_method1(intern!(py, "_begin"), begin)?;
        self.read(&object)?;
        self.object = Some(object.unbind());
        self.signals = Some(signals.unbind());
        Ok(())
    }

    /// Calls a method with an event, and reads the window after it.
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

    /// Reads the window and the rate from the object.
    fn read(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = object.py();
        let cwnd = match self.hooks.window {
            false => object.getattr(intern!(py, "cwnd"))?,
            true => object.call_method0(intern!(py, "window"))?,
        };
        let number = window::number(&cwnd, "cwnd")?;
        let cwnd = window::cwnd(number)?;
        if !self.hooks.window && (number < 1.0 || cwnd == Segments::CAP) {
            // The object goes on with the window that the sender has.
            object.setattr(intern!(py, "cwnd"), cwnd.as_f64())?;
        }
        let ssthresh = object.getattr(intern!(py, "ssthresh"))?;
        let ssthresh = window::ssthresh(window::number(&ssthresh, "ssthresh")?)?;
        if self.hooks.pacing {
            self.pacing = window::pacing(&object.call_method0(intern!(py, "pacing"))?)?;
        }
        self.window = Window { cwnd, ssthresh };
        Ok(())
    }

    /// Ends the run if something went wrong.
    fn settle(&mut self, done: PyResult<()>) {
        if let Err(error) = done {
            self.alarm.raise(self.now.get(), error);
            self.object = None;
        }
    }

    fn advance(&self, now: Instant) {
        if let Some(signals) = &self.signals {
            signals.get().advance(now);
        }
    }
}

impl Controller for PyController {
    fn on_sent(&mut self, sent: &Sent) {
        if self.hooks.on_sent && self.object.is_some() {
            self.advance(sent.now);
            Python::attach(|py| self.call(py, intern!(py, "on_sent"), sent.now, PySent(*sent)));
        }
    }

    fn on_sample(&mut self, sample: &Sample) {
        self.now.set(sample.now);
        if let Some(signals) = &self.signals {
            signals.get().observe(sample);
        }
        if self.hooks.on_sample && self.object.is_some() {
            Python::attach(|py| {
                self.call(py, intern!(py, "on_sample"), sample.now, PySample(*sample));
            });
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        if self.object.is_some() {
            Python::attach(|py| self.call(py, intern!(py, "on_ack"), ack.now, PyAck(*ack)));
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.object.is_some() {
            self.advance(loss.now);
            Python::attach(|py| self.call(py, intern!(py, "on_loss"), loss.now, PyLoss(*loss)));
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if self.object.is_some() {
            self.advance(timeout.now);
            let (now, event) = (timeout.now, PyTimeout(*timeout));
            Python::attach(|py| self.call(py, intern!(py, "on_timeout"), now, event));
        }
    }

    fn window(&self) -> Window {
        self.window
    }

    fn restrict(&mut self, cwnd: Segments) {
        let cwnd = cwnd.max(Segments::ONE);
        if cwnd >= self.window.cwnd {
            return;
        }
        if self.object.is_none() {
            self.window.cwnd = cwnd;
            return;
        }
        Python::attach(|py| {
            let Some(object) = &self.object else { return };
            let object = object.bind(py).clone();
            let done = object
                .call_method1(intern!(py, "restrict"), (cwnd.as_f64(),))
                .and_then(|_| self.read(&object));
            self.settle(done);
        });
    }

    fn pacing(&self) -> Option<Rate> {
        self.pacing
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
