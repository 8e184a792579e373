//! The congestion controls that a scenario can name: those of the registry, and those that a program
//! adds at run time.

use std::fmt;
use std::sync::{Arc, OnceLock};

use dumbbell_control::controller::{Algorithm, Controller, Origin, Signals};
use dumbbell_control::event::Path;
use dumbbell_control::parameter::{Config, Parameter, Refused, Setting};
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_tcp::recovery::Kind as RecoveryKind;

pub use crate::settings::Settings;

/// A catalogue of congestion controls.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    custom: Vec<Arc<Entry>>,
}

/// A congestion control of a flow, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// A control of the registry.
    Builtin(AnyConfig),
    /// A control that was added at run time.
    Custom(Custom),
}

/// A congestion control that was added at run time, with its parameters.
///
/// Two values are equal if their names and parameters are equal.
#[derive(Clone, Debug)]
pub struct Custom {
    entry: Arc<Entry>,
    settings: Settings,
}

/// Why a control cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The name is empty, or has characters other than a-z, 0-9, `_` and `-`.
    BadName(String),
    /// There already is a control with this name.
    Taken(String),
    /// The control lists no recovery.
    NoRecovery(String),
    /// The default of this parameter is out of its range, or the parameter's name is used twice.
    BadParameter(&'static str),
}

/// What identifies the code of an added control; computed when it is first needed.
struct Code {
    compute: Box<dyn Fn() -> Option<[u8; 32]> + Send + Sync>,
    known: OnceLock<Option<[u8; 32]>>,
}

type Factory = dyn Fn(&Settings, &Path) -> Box<dyn Controller + Send> + Send + Sync;

#[derive(Clone)]
struct Entry {
    name: String,
    summary: String,
    origin: Origin,
    needs: Signals,
    recoveries: Vec<RecoveryKind>,
    parameters: Vec<Parameter>,
    defaults: Settings,
    factory: Arc<Factory>,
    code: Option<Arc<Code>>,
}

impl Controls {
    /// Returns the controls of the registry.
    pub fn builtin() -> Self {
        Self::default()
    }

    /// Adds a control without parameters. `recoveries` lists the recoveries that suit it, the default
    /// first. `factory` makes the controller of a new connection.
    ///
    /// # Errors
    /// [`Refusal`] if the name is taken or invalid, or `recoveries` is empty.
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
    /// [`Refusal`], as for [`Controls::register`], and if a default is out of its range.
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
        self.add(Entry {
            name: name.to_owned(),
            summary: summary.to_owned(),
            origin: Origin::Published,
            needs: Signals::NONE,
            recoveries: recoveries.to_vec(),
            parameters: parameters.iter().map(|(parameter, _)| *parameter).collect(),
            defaults: Settings::new(
                parameters
                    .iter()
                    .map(|(parameter, default)| (parameter.name, *default)),
            ),
            factory: Arc::new(factory),
            code: None,
        })
    }

    fn add(&mut self, entry: Entry) -> Result<(), Refusal> {
        let name = &entry.name;
        let allowed =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(allowed) {
            return Err(Refusal::BadName(name.clone()));
        }
        if self.named(name).is_some() {
            return Err(Refusal::Taken(name.clone()));
        }
        if entry.recoveries.is_empty() {
            return Err(Refusal::NoRecovery(name.clone()));
        }
        let defaults = entry.defaults.iter();
        for (i, (parameter, (_, default))) in entry.parameters.iter().zip(defaults).enumerate() {
            let mut before = entry.parameters[..i].iter();
            let twice = before.any(|other| other.name == parameter.name);
            // `name` is the key of the control itself in a file.
            if twice || parameter.name == "name" || !parameter.kind.admits(default) {
                return Err(Refusal::BadParameter(parameter.name));
            }
        }
        self.custom.push(Arc::new(entry));
        Ok(())
    }

    /// Adds an algorithm by its type, under the algorithm's own name.
    ///
    /// # Errors
    /// [`Refusal`], as for [`Controls::register_with`].
    pub fn register_algorithm<A>(&mut self) -> Result<(), Refusal>
    where
        A: Algorithm + Send + 'static,
    {
        let recoveries: Vec<RecoveryKind> = A::RECOVERIES
            .iter()
            .filter_map(|name| RecoveryKind::named(name))
            .collect();
        let usual = A::Config::default();
        let (parameters, defaults): (_, Vec<_>) = A::Config::PARAMETERS
            .iter()
            .filter_map(|p| usual.get(p.name).map(|default| (*p, (p.name, default))))
            .unzip();
        self.add(Entry {
            name: A::NAME.to_owned(),
            summary: A::SUMMARY.to_owned(),
            origin: A::ORIGIN,
            needs: A::NEEDS,
            recoveries,
            parameters,
            defaults: Settings::new(defaults),
            factory: Arc::new(|settings: &Settings, path: &Path| {
                let mut config = A::Config::default();
                for (name, value) in settings.iter() {
                    // The catalogue has rejected every value out of a parameter's range; a
                    // parameter whose value the algorithm itself rejects keeps its default.
                    let _ = config.set(name, value);
                }
                Box::new(A::new(&config, path))
            }),
            code: None,
        })
    }

    /// Sets what identifies the code of the added controls that have no identity yet: a hash that
    /// changes whenever the code does, such as that of the program's file. It is computed at most
    /// once, when a run with such a control is looked up in a store. Where it is `None`, and for
    /// controls without an identity, runs are not stored.
    pub fn identify<F>(&mut self, code: F)
    where
        F: Fn() -> Option<[u8; 32]> + Send + Sync + 'static,
    {
        let code = Arc::new(Code {
            compute: Box::new(code),
            known: OnceLock::new(),
        });
        for entry in &mut self.custom {
            if entry.code.is_none() {
                Arc::make_mut(entry).code = Some(code.clone());
            }
        }
    }

    /// Returns whether there are controls besides those of the registry.
    pub fn has_added(&self) -> bool {
        !self.custom.is_empty()
    }

    /// Returns the control with this name or alias, with the defaults of its parameters.
    pub fn named(&self, name: &str) -> Option<Control> {
        let custom = self.custom.iter().find(|entry| entry.name == name);
        match custom {
            Some(entry) => Some(Control::Custom(Custom {
                entry: entry.clone(),
                settings: entry.defaults.clone(),
            })),
            None => AnyConfig::named(name).map(Control::Builtin),
        }
    }

    /// Returns every control with its defaults: those of the registry in its order, then the added ones.
    pub fn all(&self) -> Vec<Control> {
        let custom = self
            .custom
            .iter()
            .filter_map(|entry| self.named(&entry.name));
        registry::all()
            .map(Control::Builtin)
            .chain(custom)
            .collect()
    }
}

impl Control {
    /// Returns the control's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Builtin(config) => config.name(),
            Self::Custom(custom) => &custom.entry.name,
        }
    }

    /// Returns a one-line summary of the control.
    pub fn summary(&self) -> &str {
        match self {
            Self::Builtin(config) => config.summary(),
            Self::Custom(custom) => &custom.entry.summary,
        }
    }

    /// Returns whether the control is as published under its name; always so for a control that a
    /// program added.
    pub fn origin(&self) -> Origin {
        match self {
            Self::Builtin(config) => config.origin(),
            Self::Custom(custom) => custom.entry.origin,
        }
    }

    /// Returns the signals that the control requires; none for a control that a program added.
    pub fn needs(&self) -> Signals {
        match self {
            Self::Builtin(config) => config.needs(),
            Self::Custom(custom) => custom.entry.needs,
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
            Self::Custom(custom) => custom.entry.recoveries.clone(),
        }
    }

    /// Returns the control's parameters.
    pub fn parameters(&self) -> &[Parameter] {
        match self {
            Self::Builtin(config) => config.parameters(),
            Self::Custom(custom) => &custom.entry.parameters,
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
            Self::Custom(custom) => {
                let parameter = custom
                    .entry
                    .parameters
                    .iter()
                    .find(|p| p.name == name)
                    .ok_or(Refused::Unknown)?;
                if !parameter.kind.admits(value) {
                    return Err(Refused::Impossible(parameter.kind));
                }
                custom.settings.put(parameter.name, value);
                Ok(())
            }
        }
    }
}

impl Custom {
    /// Makes the controller of a new connection.
    pub fn build(&self, path: &Path) -> Box<dyn Controller + Send> {
        (self.entry.factory)(&self.settings, path)
    }

    /// Returns the hash that identifies the control's code, if it is known: see
    /// [`Controls::identify`].
    pub fn code(&self) -> Option<[u8; 32]> {
        let code = self.entry.code.as_ref()?;
        *code.known.get_or_init(|| (code.compute)())
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.settings == other.settings
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(name) => write!(
                f,
                "`{name}` cannot be a control's name: use a-z, 0-9, `_` and `-`"
            ),
            Self::Taken(name) => write!(f, "there is already a control `{name}`"),
            Self::NoRecovery(name) => {
                write!(f, "the control `{name}` names no loss recovery to go with")
            }
            Self::BadParameter(name) => {
                write!(
                    f,
                    "the parameter `{name}` is there twice, or its default is out of its range"
                )
            }
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_control::algorithm::reno::Reno;
    use dumbbell_control::parameter::Kind;
    use dumbbell_control::units::{Bytes, Ratio, Segments};

    fn path() -> Path {
        Path::new(Bytes(1000)).with_initial_window(Segments::whole(2))
    }

    fn reno(path: &Path) -> Box<dyn Controller + Send> {
        Box::new(Reno::new(&Default::default(), path))
    }

    #[test]
    fn a_program_can_add_a_control() {
        let mut controls = Controls::builtin();
        controls
            .register("mine", "my own", &[RecoveryKind::NewReno], reno)
            .unwrap();
        let Some(Control::Custom(mine)) = controls.named("mine") else {
            panic!("not found")
        };
        assert_eq!(mine.build(&path()).window().cwnd, Segments::whole(2));
        assert_eq!(
            controls.all().last().map(|c| c.name().to_owned()),
            Some("mine".to_owned())
        );
    }

    #[test]
    fn parameters_stay_in_their_ranges_and_reach_the_factory() {
        let gain = Parameter {
            name: "gain",
            kind: Kind::Ratio(Ratio::ZERO, Ratio::ONE),
            doc: "A gain.",
        };
        let half = Setting::Ratio(Ratio::from_millionths(500_000));
        let mut controls = Controls::builtin();
        let factory = |settings: &Settings, path: &Path| {
            let Some(Setting::Ratio(gain)) = settings.get("gain") else {
                panic!("no gain")
            };
            reno(&path.with_initial_window(Segments::whole(10).scaled(gain)))
        };
        controls
            .register_with(
                "mine",
                "",
                &[RecoveryKind::Reno],
                &[(gain, Setting::Ratio(Ratio::ONE))],
                factory,
            )
            .unwrap();
        let mut mine = controls.named("mine").unwrap();
        assert_eq!(mine.set("gane", half), Err(Refused::Unknown));
        let three = Setting::Ratio(Ratio::from_millionths(3_000_000));
        assert_eq!(mine.set("gain", three), Err(Refused::Impossible(gain.kind)));
        assert_eq!(mine.set("gain", half), Ok(()));
        assert_ne!(Some(&mine), controls.named("mine").as_ref());
        let Control::Custom(mine) = mine else {
            panic!("not custom")
        };
        assert_eq!(mine.build(&path()).window().cwnd, Segments::whole(5));
    }

    #[test]
    fn names_are_taken_once() {
        let mut controls = Controls::builtin();
        let add = |controls: &mut Controls, name: &str, recoveries: &[RecoveryKind]| {
            controls.register(name, "", recoveries, reno)
        };
        let usual = [RecoveryKind::Reno];
        assert_eq!(
            add(&mut controls, "veno", &usual),
            Err(Refusal::Taken("veno".into()))
        );
        assert_eq!(add(&mut controls, "mine", &usual), Ok(()));
        assert_eq!(
            add(&mut controls, "mine", &usual),
            Err(Refusal::Taken("mine".into()))
        );
        assert_eq!(
            add(&mut controls, "My Own", &usual),
            Err(Refusal::BadName("My Own".into()))
        );
        assert_eq!(
            add(&mut controls, "other", &[]),
            Err(Refusal::NoRecovery("other".into()))
        );
        let gain = Parameter {
            name: "gain",
            kind: Kind::Count(1, 3),
            doc: "A gain.",
        };
        let bad = controls.register_with(
            "other",
            "",
            &usual,
            &[(gain, Setting::Count(4))],
            |_, path| reno(path),
        );
        assert_eq!(bad, Err(Refusal::BadParameter("gain")));
    }

    #[test]
    fn a_reconstruction_is_marked() {
        let controls = Controls::builtin();
        let named = |name| controls.named(name).unwrap();
        assert_eq!(named("veno").origin(), Origin::Published);
        assert_eq!(named("veno").description(), named("veno").summary());
        assert_eq!(named("new-veno").origin(), Origin::Reconstruction);
        assert!(
            named("new-veno")
                .description()
                .ends_with(" (reconstructed)")
        );
    }

    #[test]
    fn an_algorithm_can_be_added_by_its_type() {
        let mut controls = Controls::builtin();
        // Its name is in the registry already.
        assert_eq!(
            controls.register_algorithm::<Reno>(),
            Err(Refusal::Taken("reno".into()))
        );
    }

    #[test]
    fn the_identity_of_code_is_computed_once_and_never_replaced() {
        use std::sync::atomic::{AtomicU8, Ordering};
        let calls = Arc::new(AtomicU8::new(0));
        let mut controls = Controls::builtin();
        let add = |controls: &mut Controls, name: &str| {
            let added = controls.register(name, "", &[RecoveryKind::Reno], reno);
            added.unwrap();
        };
        let code = |controls: &Controls, name: &str| match controls.named(name) {
            Some(Control::Custom(custom)) => custom.code(),
            _ => panic!("not custom"),
        };
        assert!(!controls.has_added());
        add(&mut controls, "first");
        assert!(controls.has_added());
        assert_eq!(code(&controls, "first"), None);
        let counted = calls.clone();
        controls.identify(move || Some([counted.fetch_add(1, Ordering::Relaxed); 32]));
        add(&mut controls, "second");
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        controls.identify(|| None);
        for _ in 0..2 {
            assert_eq!(code(&controls, "first"), Some([0; 32]));
            assert_eq!(code(&controls.clone(), "second"), None);
        }
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }
}
