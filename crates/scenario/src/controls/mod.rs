//! The congestion controls and the rate controls that a scenario can name: those of the registry, and
//! those that a program adds at run time.

mod added;
mod custom;

use std::sync::Arc;

use dumbbell_control::controller::{Controller, Origin, Signals};
use dumbbell_control::event::Path;
use dumbbell_control::parameter::{Parameter, Refused, Setting};
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_tcp::recovery::Kind as RecoveryKind;

use crate::adding::Code;
use crate::rate_controls::{AddedRate, CustomRate, RateControl};

pub use crate::adding::{Alarm, Raised, Refusal, Settings};
pub use added::Added;
pub use custom::Custom;

/// A catalogue of congestion controls and rate controls.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    custom: Vec<Arc<Added>>,
    rates: Vec<Arc<AddedRate>>,
}

/// A congestion control of a flow, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// A control of the registry.
    Builtin(AnyConfig),
    /// A control that was added at run time.
    Custom(Custom),
}

impl Controls {
    /// Returns the controls of the registry.
    pub fn builtin() -> Self {
        Self::default()
    }

    /// Adds a control.
    ///
    /// # Errors
    /// [`Refusal`] if the name is taken or invalid, a default is out of its range, or the control lists
    /// no recovery.
    pub fn add(&mut self, added: Added) -> Result<(), Refusal> {
        let name = &added.declaration.name;
        if let Some(fault) = added.fault() {
            return Err(fault);
        }
        if self.named(name).is_some() {
            return Err(Refusal::Taken(name.clone()));
        }
        self.custom.push(Arc::new(added));
        Ok(())
    }

    /// Adds a rate control for media.
    ///
    /// # Errors
    /// [`Refusal`] if the name is taken or invalid, or a default is out of its range.
    pub fn add_rate(&mut self, added: AddedRate) -> Result<(), Refusal> {
        if let Some(fault) = added.fault() {
            return Err(fault);
        }
        if self.rate_named(added.name()).is_some() {
            return Err(Refusal::Taken(added.name().to_owned()));
        }
        self.rates.push(Arc::new(added));
        Ok(())
    }

    /// Adds a control without parameters. `recoveries` lists the recoveries that suit it, the default
    /// first. `factory` makes the controller of a new connection.
    ///
    /// # Errors
    /// [`Refusal`], as for [`Controls::add`].
    pub fn register<F>(
        &mut self,
        name: &str,
        summary: &str,
        recoveries: &[RecoveryKind],
        factory: F,
    ) -> Result<(), Refusal>
    where
        F: Fn(&Path) -> Box<dyn Controller + Send> + Send + Sync + 'static,
    {
        self.register_with(name, summary, recoveries, &[], move |_, path| factory(path))
    }

    /// Adds a control with parameters and their defaults.
    ///
    /// # Errors
    /// [`Refusal`], as for [`Controls::add`].
    pub fn register_with<F>(
        &mut self,
        name: &str,
        summary: &str,
        recoveries: &[RecoveryKind],
        parameters: &[(Parameter, Setting)],
        factory: F,
    ) -> Result<(), Refusal>
    where
        F: Fn(&Settings, &Path) -> Box<dyn Controller + Send> + Send + Sync + 'static,
    {
        let mut added = Added::new(name, move |settings, path, _| factory(settings, path))
            .summary(summary)
            .recoveries(recoveries);
        for (parameter, default) in parameters {
            added = added.parameter(*parameter, *default);
        }
        self.add(added)
    }

    /// Adds an algorithm by its type, under the algorithm's own name.
    ///
    /// # Errors
    /// [`Refusal`], as for [`Controls::add`].
    pub fn register_algorithm<A>(&mut self) -> Result<(), Refusal>
    where
        A: dumbbell_control::controller::Algorithm + Send + 'static,
    {
        self.add(Added::algorithm::<A>())
    }

    /// Sets what identifies the code of the added controls that have no identity yet: a hash that
    /// changes whenever the code does, such as that of the program's file. See [`Added::identified`].
    pub fn identify<F>(&mut self, code: F)
    where
        F: Fn() -> Option<[u8; 32]> + Send + Sync + 'static,
    {
        let code = Code::new(code);
        for added in &mut self.custom {
            if !added.declaration.has_identity() {
                Arc::make_mut(added).identify_by(&code);
            }
        }
        for added in &mut self.rates {
            if !added.declaration.has_identity() {
                Arc::make_mut(added).declaration.identify_by(&code);
            }
        }
    }

    /// Returns whether there are controls besides those of the registry.
    pub fn has_added(&self) -> bool {
        !self.custom.is_empty() || !self.rates.is_empty()
    }

    /// Returns the control with this name or alias, with the defaults of its parameters.
    pub fn named(&self, name: &str) -> Option<Control> {
        let custom = self.custom.iter();
        let mut custom = custom.filter(|added| added.declaration.name == name);
        match custom.next() {
            Some(added) => Some(Control::Custom(Custom::new(added))),
            None => AnyConfig::named(name).map(Control::Builtin),
        }
    }

    /// Returns every control with its defaults: those of the registry in its order, then the added ones.
    pub fn all(&self) -> Vec<Control> {
        let custom = self.custom.iter();
        let custom = custom.map(|added| Control::Custom(Custom::new(added)));
        registry::all()
            .map(Control::Builtin)
            .chain(custom)
            .collect()
    }

    /// Returns the rate control with this name, with the defaults of its parameters.
    pub fn rate_named(&self, name: &str) -> Option<RateControl> {
        let mut rates = self.rates.iter().filter(|added| added.name() == name);
        match rates.next() {
            Some(added) => Some(RateControl::custom(CustomRate::new(added))),
            None => RateControl::named(name),
        }
    }

    /// Returns every rate control with its defaults: the built-in ones, then the added ones.
    pub fn all_rates(&self) -> Vec<RateControl> {
        let rates = self.rates.iter();
        let custom = rates.map(|added| RateControl::custom(CustomRate::new(added)));
        RateControl::all().chain(custom).collect()
    }
}

impl Control {
    /// Returns the control's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Builtin(config) => config.name(),
            Self::Custom(custom) => &custom.added.declaration.name,
        }
    }

    /// Returns a one-line summary of the control.
    pub fn summary(&self) -> &str {
        match self {
            Self::Builtin(config) => config.summary(),
            Self::Custom(custom) => &custom.added.declaration.summary,
        }
    }

    /// Returns whether the control is as published under its name.
    pub fn origin(&self) -> Origin {
        match self {
            Self::Builtin(config) => config.origin(),
            Self::Custom(custom) => custom.added.origin,
        }
    }

    /// Returns the signals that the control requires.
    pub fn needs(&self) -> Signals {
        match self {
            Self::Builtin(config) => config.needs(),
            Self::Custom(custom) => custom.added.needs,
        }
    }

    /// Returns whether the control may set a rate or hears of departures. Those of the library that do need a host
    /// that paces; what an added one does is not known.
    pub(crate) fn hears_departures(&self) -> bool {
        match self {
            Self::Builtin(config) => config.needs().pacing,
            Self::Custom(_) => true,
        }
    }

    /// Returns the summary, with a note if the control is a reconstruction.
    pub fn description(&self) -> String {
        format!("{}{}", self.summary(), self.origin().mark())
    }

    /// Returns the recoveries that suit the control, the default first.
    pub fn recoveries(&self) -> Vec<RecoveryKind> {
        match self {
            Self::Builtin(config) => config
                .recoveries()
                .iter()
                .filter_map(|name| RecoveryKind::named(name))
                .collect(),
            Self::Custom(custom) => custom.added.recoveries.clone(),
        }
    }

    /// Returns the control's parameters.
    pub fn parameters(&self) -> &[Parameter] {
        match self {
            Self::Builtin(config) => config.parameters(),
            Self::Custom(custom) => &custom.added.declaration.parameters,
        }
    }

    /// Returns the value of a parameter; `None` if there is no such parameter.
    pub fn get(&self, name: &str) -> Option<Setting> {
        match self {
            Self::Builtin(config) => config.get(name),
            Self::Custom(custom) => custom.settings.get(name),
        }
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Refused`] if there is no such parameter, or the value is out of its range.
    pub fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused> {
        match self {
            Self::Builtin(config) => config.set(name, value),
            Self::Custom(custom) => custom.set(name, value),
        }
    }
}

#[cfg(test)]
mod tests;
