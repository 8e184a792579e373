//! The rate controls that a flow of media can name, with their parameters.
//!
//! To add a parameter: its line in the group to which it belongs ([`Common`], [`Veno`], [`Connections`]),
//! and what is made of it in the same file. To add a rate control: a variant of [`Scheme`], with what the
//! compiler then asks for in this file.

mod common;
mod connections;
mod group;
mod veno;

use dumbbell_control::parameter::{Parameter, Refused, Setting};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::receiver::ReceiverConfig;
use dumbbell_tfrc::sender::{Law, SenderConfig};
use serde_json::Value;

use crate::document::Node;
use crate::form::Form;
use crate::form::value::{alternatives, one_word, table};
use crate::parameter::{self, NAME, Parametric};
use crate::quantity::clip;
use crate::suggest;
use crate::text::{self, quote};
use group::Group;

pub use common::{Cause, Common, Mean, Min1, Profile, Switch};
pub use connections::Connections;
pub use veno::{Base, Largest, Veno};

/// The rate control of a flow of media, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateControl {
    common: Common,
    scheme: Scheme,
}

/// A way to find a rate, with the parameters of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// TCP-friendly rate control (RFC 5348).
    Tfrc,
    /// TFRC by Veno's equation (TFRC Veno, section III-B).
    TfrcVeno(Veno),
    /// As many TFRC connections as the path takes without a growing queue (Chen and Zakhor 2004).
    Multfrc(Connections),
    /// One TFRC connection at the rate of as many (Chen and Zakhor 2005).
    AioTfrc(Connections),
}

impl Scheme {
    /// All of them, with the defaults of their parameters.
    fn all() -> [Self; 4] {
        [
            Self::Tfrc,
            Self::TfrcVeno(Veno::default()),
            Self::Multfrc(Connections::default()),
            Self::AioTfrc(Connections::default()),
        ]
    }

    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tfrc => "tfrc",
            Self::TfrcVeno(_) => "tfrc-veno",
            Self::Multfrc(_) => "multfrc",
            Self::AioTfrc(_) => "aio-tfrc",
        }
    }

    /// What it does, in one line.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::Tfrc => "the rate that TCP would have by its throughput equation (RFC 5348)",
            Self::TfrcVeno(_) => "TFRC by the equation of TCP Veno (TFRC Veno, section III-B)",
            Self::Multfrc(_) => {
                "as many TFRC connections as queue hardly anything (Chen and Zakhor 2004)"
            }
            Self::AioTfrc(_) => "one TFRC connection at the rate of as many (Chen and Zakhor 2005)",
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        match self {
            Self::Tfrc => &[],
            Self::TfrcVeno(_) => Veno::PARAMETERS,
            Self::Multfrc(_) | Self::AioTfrc(_) => Connections::PARAMETERS,
        }
    }

    fn get(&self, name: &str) -> Option<Setting> {
        match self {
            Self::Tfrc => None,
            Self::TfrcVeno(veno) => veno.get(name),
            Self::Multfrc(connections) | Self::AioTfrc(connections) => connections.get(name),
        }
    }

    fn put(&mut self, name: &str, value: Setting) -> bool {
        match self {
            Self::Tfrc => false,
            Self::TfrcVeno(veno) => veno.put(name, value),
            Self::Multfrc(connections) | Self::AioTfrc(connections) => connections.put(name, value),
        }
    }
}

impl RateControl {
    fn new(scheme: Scheme) -> Self {
        Self {
            common: Common::default(),
            scheme,
        }
    }

    /// The rate control of this name with the defaults of its parameters.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|control| control.name() == name)
    }

    /// Every rate control with its defaults.
    pub fn all() -> impl Iterator<Item = Self> {
        Scheme::all().into_iter().map(Self::new)
    }

    /// What it has in common with all of them.
    pub fn common(&self) -> &Common {
        &self.common
    }

    /// What it does, with the parameters of its own.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Its name in files.
    pub fn name(&self) -> &'static str {
        self.scheme.name()
    }

    /// What its parameters are.
    pub fn parameters(&self) -> Vec<Parameter> {
        [Common::PARAMETERS, self.scheme.parameters()].concat()
    }

    /// The value of a parameter; `None` if there is no such parameter.
    pub fn get(&self, name: &str) -> Option<Setting> {
        self.common.get(name).or_else(|| self.scheme.get(name))
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Refused`] if there is no such parameter, or the value is not within its range.
    pub fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused> {
        let all = self.parameters();
        let known = all.iter().find(|parameter| parameter.name == name);
        let kind = known.ok_or(Refused::Unknown)?.kind;
        if kind.admits(value) && (self.common.put(name, value) || self.scheme.put(name, value)) {
            Ok(())
        } else {
            Err(Refused::Impossible(kind))
        }
    }

    /// What a sender of such segments, in bytes, is told.
    pub fn sender(&self, segment: u32) -> SenderConfig {
        let (law, all_in_one) = match &self.scheme {
            Scheme::Tfrc | Scheme::Multfrc(_) => (Law::Reno, None),
            Scheme::TfrcVeno(veno) => (Law::Veno(veno.config()), None),
            Scheme::AioTfrc(connections) => (Law::Reno, Some(connections.config())),
        };
        SenderConfig {
            law,
            all_in_one,
            ..self.common.sender(segment)
        }
    }

    /// What a receiver of such segments, in bytes, is told.
    pub fn receiver(&self, segment: u32) -> ReceiverConfig {
        self.common.receiver(segment)
    }

    /// What decides how many connections there are, where there may be several.
    pub fn several(&self) -> Option<ParallelConfig> {
        match &self.scheme {
            Scheme::Tfrc | Scheme::TfrcVeno(_) | Scheme::AioTfrc(_) => None,
            Scheme::Multfrc(connections) => Some(connections.config()),
        }
    }

    /// Whether it is told why packets are lost.
    pub fn asks_for_causes(&self) -> bool {
        match self.common.causes {
            Cause::Ignored | Cause::Ecn => false,
            Cause::Agent | Cause::AccessPoint => true,
        }
    }
}

impl Parametric for RateControl {
    fn name(&self) -> &str {
        self.scheme.name()
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.parameters()
    }

    fn set(&mut self, name: &'static str, value: Setting) -> bool {
        self.set(name, value).is_ok()
    }
}

/// Reads the value of `rate_control`: a name, or a table with a name and parameters.
pub(crate) fn read(node: &Node<'_>) -> Option<RateControl> {
    if !node.is_table() {
        return read_name(node);
    }
    let table = node.open(&[NAME], "{ name = \"tfrc-veno\", theta1 = 0.8 }")?;
    let name = table.need(NAME, "name = \"tfrc-veno\"")?;
    let mut control = read_name(&name.called("rate_control.name"))?;
    parameter::read_all(&table, &mut control);
    if let Scheme::TfrcVeno(Veno { theta1, theta2, .. }) = control.scheme
        && theta2 > theta1
    {
        table.wrong(
            "`theta2` is above `theta1`",
            "a loss of congestion leaves no more of the window than a random one",
        );
    }
    Some(control)
}

fn read_name(node: &Node<'_>) -> Option<RateControl> {
    let name = node.text("\"tfrc\"")?;
    let found = RateControl::named(name);
    if found.is_none() {
        let names = Scheme::all().map(|scheme| scheme.name());
        node.wrong(
            format!("there is no rate control `{}`", clip(name)),
            suggest::help(name, "the rate controls are", &names),
        );
    }
    found
}

/// A rate control as TOML.
pub(crate) fn write(control: &RateControl) -> String {
    let mut keys = vec![(NAME, quote(control.name()))];
    for parameter in control.parameters() {
        if let Some(value) = control.get(parameter.name) {
            keys.push((parameter.name, parameter::write(value)));
        }
    }
    text::table(&keys)
}

/// The value of `rate_control` as a schema.
pub(crate) fn schema() -> Value {
    let all: Vec<RateControl> = RateControl::all().collect();
    let words: Vec<(&str, String)> = all.iter().map(word).collect();
    let word = one_word(&words)
        .means("the rate control: a name, or a table with `name` and its parameters")
        .ranging("")
        .needed_or("must be set in a flow of media");
    alternatives(&word, all.iter().map(table_form))
}

fn word(control: &RateControl) -> (&'static str, String) {
    (control.name(), control.scheme.summary().to_owned())
}

/// A rate control as a table.
fn table_form(control: &RateControl) -> Form {
    let name = one_word(&[word(control)])
        .means("which rate control it is")
        .ranging("")
        .needed();
    let mut forms = vec![(NAME, name)];
    for parameter in control.parameters() {
        let usual = control.get(parameter.name);
        forms.push((parameter.name, parameter::form(&parameter, usual)));
    }
    table(&forms).means(format!(
        "`{}`, {}",
        control.name(),
        control.scheme.summary()
    ))
}

#[cfg(test)]
mod tests {
    use super::group::ratio;
    use super::*;
    use dumbbell_control::units::Ratio;

    #[test]
    fn every_default_is_within_its_range_and_every_name_stands_once() {
        for control in RateControl::all() {
            let mut names = Vec::new();
            for parameter in control.parameters() {
                let default = control.get(parameter.name);
                assert!(
                    default.is_some_and(|value| parameter.kind.admits(value)),
                    "{} {}",
                    control.name(),
                    parameter.name
                );
                assert!(!names.contains(&parameter.name), "{}", parameter.name);
                names.push(parameter.name);
            }
        }
    }

    #[test]
    fn what_a_scheme_does_not_have_is_refused() {
        let mut plain = RateControl::named("tfrc").unwrap();
        let high = Setting::Ratio(ratio(900_000));
        assert_eq!(plain.set("theta1", high), Err(Refused::Unknown));
        let mut veno = RateControl::named("tfrc-veno").unwrap();
        assert_eq!(veno.set("theta1", high), Ok(()));
        assert_eq!(veno.get("theta1"), Some(high));
        let out = Setting::Ratio(Ratio::ONE);
        assert!(matches!(
            veno.set("theta1", out),
            Err(Refused::Impossible(_))
        ));
    }
}
