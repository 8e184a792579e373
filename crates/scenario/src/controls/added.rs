//! A control that a program adds at run time.

use std::fmt;
use std::sync::Arc;

use dumbbell_control::controller::{Algorithm, Controller, Origin, Signals};
use dumbbell_control::event::Path;
use dumbbell_control::parameter::{Config, Parameter, Setting};
use dumbbell_tcp::recovery::Kind as RecoveryKind;

use crate::adding::{Alarm, Code, Declaration, Refusal, Settings};

type Factory = dyn Fn(&Settings, &Path, &Alarm) -> Box<dyn Controller + Send> + Send + Sync;

/// A congestion control to be [added](super::Controls::add) to a catalogue.
///
/// ```
/// use dumbbell_control::algorithm::reno::{self, Reno};
/// use dumbbell_control::controller::{Algorithm, Signals};
/// use dumbbell_scenario::controls::{Added, Controls};
///
/// let mut controls = Controls::builtin();
/// let mine = Added::new("mine", |_, path, _| Box::new(Reno::new(&reno::Config::default(), path)))
///     .summary("Reno under another name")
///     .needs(Signals::RTT)
///     .identified(|| Some([7; 32]));
/// controls.add(mine)?;
/// assert_eq!(controls.named("mine").unwrap().summary(), "Reno under another name");
/// # Ok::<(), dumbbell_scenario::controls::Refusal>(())
/// ```
#[derive(Clone)]
#[must_use = "it must be added to a catalogue"]
pub struct Added {
    pub(super) declaration: Declaration,
    pub(super) origin: Origin,
    pub(super) needs: Signals,
    pub(super) recoveries: Vec<RecoveryKind>,
    factory: Arc<Factory>,
}

impl Added {
    /// Makes a control with this name, which suits the recoveries `reno`, `newreno` and `sack`, needs no
    /// signals, and has no parameters and no identity. `factory` makes the controller of a new
    /// connection. A controller that may fail keeps the [`Alarm`].
    pub fn new<F>(name: &str, factory: F) -> Self
    where
        F: Fn(&Settings, &Path, &Alarm) -> Box<dyn Controller + Send> + Send + Sync + 'static,
    {
        Self {
            declaration: Declaration::new(name),
            origin: Origin::Published,
            needs: Signals::NONE,
            recoveries: vec![
                RecoveryKind::Reno,
                RecoveryKind::NewReno,
                RecoveryKind::Sack,
            ],
            factory: Arc::new(factory),
        }
    }

    /// Makes a control of an algorithm's type, under the algorithm's own name.
    pub fn algorithm<A: Algorithm + Send + 'static>() -> Self {
        let recoveries = A::RECOVERIES.iter();
        let mut added = Self::new(A::NAME, |settings, path, _| {
            let mut config = A::Config::default();
            for (name, value) in settings.iter() {
                // The catalogue has rejected every value out of a parameter's range; a parameter
                // whose value the algorithm itself rejects keeps its default.
                let _ = config.set(name, value);
            }
            Box::new(A::new(&config, path))
        })
        .summary(A::SUMMARY)
        .origin(A::ORIGIN)
        .needs(A::NEEDS)
        .recoveries(
            &recoveries
                .filter_map(|name| RecoveryKind::named(name))
                .collect::<Vec<_>>(),
        );
        let usual = A::Config::default();
        for parameter in A::Config::PARAMETERS {
            if let Some(default) = usual.get(parameter.name) {
                added = added.parameter(*parameter, default);
            }
        }
        added
    }

    /// Sets the one-line summary.
    pub fn summary(mut self, summary: &str) -> Self {
        summary.clone_into(&mut self.declaration.summary);
        self
    }

    /// Sets whether the control is as published under its name.
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Sets the signals that the control requires. A scenario whose path does not provide them is
    /// rejected.
    pub fn needs(mut self, needs: Signals) -> Self {
        self.needs = needs;
        self
    }

    /// Sets the recoveries that suit the control, the default first.
    pub fn recoveries(mut self, recoveries: &[RecoveryKind]) -> Self {
        self.recoveries = recoveries.to_vec();
        self
    }

    /// Adds a parameter with its default.
    pub fn parameter(mut self, parameter: Parameter, default: Setting) -> Self {
        self.declaration.add(parameter, default);
        self
    }

    /// Sets what identifies the control's code: a hash that changes whenever the code does. It is
    /// computed at most once, when it is needed to look up a run in a store. Where it is `None`, and
    /// for a control without an identity, runs are not stored.
    pub fn identified<F>(mut self, code: F) -> Self
    where
        F: Fn() -> Option<[u8; 32]> + Send + Sync + 'static,
    {
        self.declaration.identify(code);
        self
    }

    pub(super) fn identify_by(&mut self, code: &Arc<Code>) {
        self.declaration.identify_by(code);
    }

    pub(super) fn fault(&self) -> Option<Refusal> {
        let none = || Refusal::NoRecovery(self.declaration.name.clone());
        let fault = self.declaration.fault(&[]);
        fault.or_else(|| self.recoveries.is_empty().then(none))
    }

    pub(super) fn build(
        &self,
        settings: &Settings,
        path: &Path,
        alarm: &Alarm,
    ) -> Box<dyn Controller + Send> {
        (self.factory)(settings, path, alarm)
    }
}

impl fmt::Debug for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Added").field(&self.declaration).finish()
    }
}
