//! What a control in Python knows of the path without doing anything for it: the round-trip time, its least
//! value, and the backlog, by the estimators of the controls in Rust.

use std::sync::{Mutex, MutexGuard, PoisonError};

use dumbbell_control::estimate::backlog;
use dumbbell_control::estimate::base_rtt::{BaseReset, BaseRtt};
use dumbbell_control::estimate::rtt::Rtt;
use dumbbell_control::event::Sample;
use dumbbell_control::units::{Duration, Instant};
use pyo3::prelude::*;

use super::window::segments;

/// See `_native.pyi`.
#[pyclass(name = "Signals", module = "dumbbell._native", frozen)]
#[derive(Default)]
pub struct PySignals(Mutex<Known>);

#[derive(Clone, Copy, Default)]
struct Known {
    now: Instant,
    last: Option<Duration>,
    smoothed: Rtt,
    base: BaseRtt,
}

impl PySignals {
    fn known(&self) -> MutexGuard<'_, Known> {
        // A panic cannot leave the values in a wrong state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a sample, as the controls in Rust do: round-trip times of new data alone.
    pub fn observe(&self, sample: &Sample) {
        let mut known = self.known();
        known.now = sample.now;
        if let Some(rtt) = sample.rtt_of_new_data() {
            known.last = Some(rtt);
            known.smoothed.smooth(rtt);
            known.base.observe(rtt);
        }
    }

    /// Notes the time of an event.
    pub fn advance(&self, now: Instant) {
        self.known().now = now;
    }
}

#[pymethods]
impl PySignals {
    #[getter]
    fn now(&self) -> f64 {
        self.known().now.as_secs_f64()
    }

    #[getter]
    fn rtt(&self) -> Option<f64> {
        self.known().last.map(Duration::as_secs_f64)
    }

    #[getter]
    fn srtt(&self) -> Option<f64> {
        // Eighths of a nanosecond, at most 2^40, are exact.
        let eighths = self.known().smoothed.eighths()?;
        Some(eighths.get() as f64 / 8e9)
    }

    #[getter]
    fn base_rtt(&self) -> Option<f64> {
        self.known().base.duration().map(Duration::as_secs_f64)
    }

    fn backlog(&self, cwnd: f64) -> f64 {
        let known = *self.known();
        let window = segments(cwnd).unwrap_or_default();
        backlog::estimate(window, &known.smoothed, &known.base).unwrap_or(0.0)
    }

    fn forget_base_rtt(&self) {
        self.known().base.lose(BaseReset::OnLoss);
    }
}
