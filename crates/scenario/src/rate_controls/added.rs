//! Rate controls that a program adds at run time.

use std::fmt;
use std::sync::Arc;

use dumbbell_control::parameter::{Parameter, Refused, Setting};
use dumbbell_tfrc::steered::RateControl as Steers;

use crate::adding::{Alarm, Declaration, Refusal, Settings};

type Factory = dyn Fn(&Settings, u32, &Alarm) -> Box<dyn Steers + Send> + Send + Sync;

/// A rate control to be [added](crate::controls::Controls::add_rate) to a catalogue.
///
/// Its receiver is that of TFRC, so it also has the parameters that concern the receiver alone:
/// `discounting`, `discount_mean` and `causes`.
///
/// ```
/// use dumbbell_scenario::Scenario;
/// use dumbbell_scenario::controls::Controls;
/// use dumbbell_scenario::rate_controls::AddedRate;
/// use dumbbell_tfrc::steered::{Expiry, RateControl, Report};
///
/// struct Constant;
///
/// impl RateControl for Constant {
///     fn on_feedback(&mut self, _: &Report) {}
///     fn on_expiry(&mut self, _: &Expiry) {}
///     fn rate(&self) -> f64 {
///         25_000.0
///     }
/// }
///
/// let mut controls = Controls::builtin();
/// let constant = AddedRate::new("constant", |_, _segment, _| Box::new(Constant));
/// controls.add_rate(constant.summary("200 kb/s, whatever happens"))?;
/// let text = r#"
///     duration = "10 s"
///     [dumbbell]
///     access     = { rate = "10 Mb/s", delay = "1 ms" }
///     bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 } }
///     [[flow]]
///     rate_control = "constant"
/// "#;
/// assert!(Scenario::parse("example", text, &controls).is_ok());
/// # Ok::<(), dumbbell_scenario::controls::Refusal>(())
/// ```
#[derive(Clone)]
#[must_use = "it must be added to a catalogue"]
pub struct AddedRate {
    pub(crate) declaration: Declaration,
    factory: Arc<Factory>,
}

/// A rate control that was added at run time, with its own parameters.
///
/// Two values are equal if their names, their parameters and the identities of their code are equal.
#[derive(Clone, Debug)]
pub struct CustomRate {
    added: Arc<AddedRate>,
    settings: Settings,
}

impl AddedRate {
    /// Makes a rate control with this name, without parameters of its own and without an identity.
    /// `factory` makes the control of a new connection, whose segments have this size in bytes. A control
    /// that may fail keeps the [`Alarm`].
    pub fn new<F>(name: &str, factory: F) -> Self
    where
        F: Fn(&Settings, u32, &Alarm) -> Box<dyn Steers + Send> + Send + Sync + 'static,
    {
        Self {
            declaration: Declaration::new(name),
            factory: Arc::new(factory),
        }
    }

    /// Sets the one-line summary.
    pub fn summary(mut self, summary: &str) -> Self {
        summary.clone_into(&mut self.declaration.summary);
        self
    }

    /// Adds a parameter with its default.
    pub fn parameter(mut self, parameter: Parameter, default: Setting) -> Self {
        self.declaration.add(parameter, default);
        self
    }

    /// Sets what identifies its code: see [`Added::identified`](crate::controls::Added::identified).
    pub fn identified<F>(mut self, code: F) -> Self
    where
        F: Fn() -> Option<[u8; 32]> + Send + Sync + 'static,
    {
        self.declaration.identify(code);
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.declaration.name
    }

    pub(crate) fn fault(&self) -> Option<Refusal> {
        self.declaration.fault(super::RECEIVING)
    }
}

impl CustomRate {
    pub(crate) fn new(added: &Arc<AddedRate>) -> Self {
        Self {
            added: added.clone(),
            settings: added.declaration.defaults.clone(),
        }
    }

    /// Makes the control of a new connection, whose segments have this size in bytes. If it fails, it
    /// raises the alarm.
    pub fn build(&self, segment: u32, alarm: &Alarm) -> Box<dyn Steers + Send> {
        (self.added.factory)(&self.settings, segment, alarm)
    }

    /// Returns the hash that identifies its code, if it is known.
    pub fn code(&self) -> Option<[u8; 32]> {
        self.added.declaration.code()
    }

    pub(super) fn name(&self) -> &str {
        self.added.name()
    }

    pub(super) fn summary(&self) -> &str {
        &self.added.declaration.summary
    }

    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.added.declaration.parameters
    }

    pub(super) fn get(&self, name: &str) -> Option<Setting> {
        self.settings.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused> {
        let declaration = &self.added.declaration;
        declaration.set(&mut self.settings, name, value)
    }
}

impl PartialEq for CustomRate {
    fn eq(&self, other: &Self) -> bool {
        self.added.declaration.is_same(&other.added.declaration) && self.settings == other.settings
    }
}

impl Eq for CustomRate {}

impl fmt::Debug for AddedRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AddedRate").field(&self.declaration).finish()
    }
}
