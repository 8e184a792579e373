//! What every added control declares: its name, a summary, its parameters, and the identity of its code.

use std::fmt;
use std::sync::{Arc, OnceLock};

use dumbbell_control::parameter::{Parameter, Refused, Setting};

use super::{Refusal, Settings};

/// What identifies the code of an added control; computed when it is first needed.
pub(crate) struct Code {
    compute: Box<dyn Fn() -> Option<[u8; 32]> + Send + Sync>,
    known: OnceLock<Option<[u8; 32]>>,
}

/// What every added control declares.
#[derive(Clone)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) defaults: Settings,
    code: Option<Arc<Code>>,
}

impl Code {
    pub(crate) fn new(compute: impl Fn() -> Option<[u8; 32]> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            compute: Box::new(compute),
            known: OnceLock::new(),
        })
    }
}

impl Declaration {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            summary: String::new(),
            parameters: Vec::new(),
            defaults: Settings::default(),
            code: None,
        }
    }

    pub(crate) fn add(&mut self, parameter: Parameter, default: Setting) {
        self.parameters.push(parameter);
        self.defaults.push(parameter.name, default);
    }

    pub(crate) fn identify(
        &mut self,
        compute: impl Fn() -> Option<[u8; 32]> + Send + Sync + 'static,
    ) {
        self.code = Some(Code::new(compute));
    }

    /// Sets the identity of the code, unless it has one.
    pub(crate) fn identify_by(&mut self, code: &Arc<Code>) {
        self.code.get_or_insert_with(|| code.clone());
    }

    pub(crate) fn has_identity(&self) -> bool {
        self.code.is_some()
    }

    /// Returns why the declaration is invalid. `reserved` are names that no parameter may have, besides
    /// `name`, which is the key of the control itself in a file.
    pub(crate) fn fault(&self, reserved: &[&str]) -> Option<Refusal> {
        let allowed =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
        if self.name.is_empty() || !self.name.bytes().all(allowed) {
            return Some(Refusal::BadName(self.name.clone()));
        }
        let defaults = self.defaults.iter();
        for (i, (parameter, (_, default))) in self.parameters.iter().zip(defaults).enumerate() {
            let mut before = self.parameters[..i].iter();
            let twice = before.any(|other| other.name == parameter.name)
                || parameter.name == "name"
                || reserved.contains(&parameter.name);
            if twice || !parameter.kind.admits(default) {
                return Some(Refusal::BadParameter(parameter.name));
            }
        }
        None
    }

    /// Changes a parameter in `settings`, which are settings of this declaration.
    pub(crate) fn set(
        &self,
        settings: &mut Settings,
        name: &str,
        value: Setting,
    ) -> Result<(), Refused> {
        let mut parameters = self.parameters.iter();
        let parameter = parameters
            .find(|p| p.name == name)
            .ok_or(Refused::Unknown)?;
        if !parameter.kind.admits(value) {
            return Err(Refused::Impossible(parameter.kind));
        }
        settings.put(parameter.name, value);
        Ok(())
    }

    /// Returns the hash that identifies the code, if it is known.
    pub(crate) fn code(&self) -> Option<[u8; 32]> {
        let code = self.code.as_ref()?;
        *code.known.get_or_init(|| (code.compute)())
    }

    /// Returns whether the other declares the same control: the same name, and the same code as far as
    /// it is known.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same_code = match (&self.code, &other.code) {
            (Some(mine), Some(yours)) if Arc::ptr_eq(mine, yours) => true,
            _ => self.code() == other.code(),
        };
        self.name == other.name && same_code
    }
}

impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declaration")
            .field("name", &self.name)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}
