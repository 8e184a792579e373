//! The congestion controls that a transfer can name: Dumbbell's, and quinn's own.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use dumbbell_quinn::Factory;
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};

use crate::error::Error;

/// A control, ready for connections of quinn.
#[derive(Clone)]
pub struct Control {
    name: String,
    factory: Arc<dyn ControllerFactory + Send + Sync>,
}

/// The controls that quinn brings along, by the names that they have here.
pub const OF_QUINN: [&str; 3] = ["quinn:newreno", "quinn:cubic", "quinn:bbr"];

impl Control {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn factory(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        Arc::clone(&self.factory)
    }

    /// Dumbbell's controls that quinn can run, and then quinn's own.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let ours = dumbbell_quinn::dumbbell_quic::Choice::all(dumbbell_quinn::SIGNALS);
        ours.filter_map(|(name, choice)| choice.is_ok().then_some(name))
            .chain(OF_QUINN)
    }
}

impl FromStr for Control {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let factory: Arc<dyn ControllerFactory + Send + Sync> = match name {
            "quinn:newreno" => Arc::new(NewRenoConfig::default()),
            "quinn:cubic" => Arc::new(CubicConfig::default()),
            "quinn:bbr" => Arc::new(BbrConfig::default()),
            _ => Arc::new(Factory::named(name).map_err(|why| {
                let known: Vec<_> = Self::names().collect();
                Error::Input(format!(
                    "a transfer cannot run the control `{name}`: {why}; it can run {}",
                    known.join(", ")
                ))
            })?),
        };
        Ok(Self {
            name: name.to_owned(),
            factory,
        })
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Control").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_control() {
        for name in Control::names() {
            let control: Control = name.parse().expect(name);
            assert_eq!(control.name(), name);
        }
        assert!(Control::names().any(|name| name == "veno"));
    }

    #[test]
    fn a_control_that_quinn_cannot_run_is_refused_with_those_that_it_can() {
        // BBR needs a pacer that obeys, which quinn lacks; the other name is wrong.
        for name in ["bbr", "vino"] {
            let why = name.parse::<Control>().expect_err(name).to_string();
            assert!(why.contains(name) && why.contains("quinn:bbr"), "{why}");
        }
    }
}
