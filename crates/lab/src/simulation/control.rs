//! A controller in a simulated flow: one of the registry, or one registered at run time.

use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::event::{Ack, Loss, Sample, Timeout};
use dumbbell_control::registry::Any;
use dumbbell_control::units::{Rate, Segments};

/// Any controller: closed where it is hot, open where people build.
pub enum Control {
    /// One of the registry.
    Builtin(Any),
    /// One registered at run time.
    Custom(Box<dyn Controller + Send>),
}

macro_rules! each {
    ($control:expr, $inner:ident => $call:expr) => {
        match $control {
            Control::Builtin($inner) => $call,
            Control::Custom($inner) => $call,
        }
    };
}

impl Controller for Control {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        each!(self, control => control.on_sample(sample));
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        each!(self, control => control.on_ack(ack));
    }
    fn on_loss(&mut self, loss: &Loss) {
        each!(self, control => control.on_loss(loss));
    }
    fn on_timeout(&mut self, timeout: &Timeout) {
        each!(self, control => control.on_timeout(timeout));
    }
    #[inline]
    fn window(&self) -> Window {
        each!(self, control => control.window())
    }
    fn restrict(&mut self, cwnd: Segments) {
        each!(self, control => control.restrict(cwnd));
    }
    fn pacing(&self) -> Option<Rate> {
        each!(self, control => control.pacing())
    }
    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        each!(self, control => control.explain(out));
    }
}
