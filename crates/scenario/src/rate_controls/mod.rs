//! The rate controls that a media flow can name, with their parameters: the built-in ones, and those that
//! a program adds at run time.
//!
//! To add a parameter of a built-in one: add its line to the group to which it belongs ([`Common`], [`Veno`],
//! [`Connections`], [`Nada`], [`Scream`]), and use its value in the same file. To build one in: add a variant of [`Scheme`], and complete this file wherever the compiler then reports an error.

mod added;
mod common;
mod connections;
#[cfg(feature = "gcc")]
mod gcc;
mod group;
mod media;
mod nada;
mod scream;
mod veno;

use crate::document::Table;
use crate::parameter::Parametric;
use dumbbell_control::parameter::{Kind, Parameter, Refused, Setting};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::receiver::ReceiverConfig;
use dumbbell_tfrc::sender::{Law, SenderConfig};
use group::Group;

pub use added::{AddedRate, CustomRate};
pub use common::{Cause, Common, Mean, Min1, Profile, Switch};
pub use connections::Connections;
#[cfg(feature = "gcc")]
pub use gcc::Gcc;
pub use media::Told;
pub use nada::{Average, Nada};
pub use scream::Scream;
pub use veno::{Base, Largest, Veno};

/// The rate control of a media flow, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateControl {
    common: Common,
    scheme: Scheme,
}

/// A method of determining the rate, with its specific parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// TCP-friendly rate control (RFC 5348).
    Tfrc,
    /// TFRC with the throughput equation of TCP Veno (TFRC Veno, section III-B).
    TfrcVeno(Veno),
    /// As many TFRC connections as the path can carry without a growing queue (Chen and Zakhor 2004).
    Multfrc(Connections),
    /// One TFRC connection at the rate of several connections (Chen and Zakhor 2005).
    AioTfrc(Connections),
    /// NADA (RFC 8698).
    Nada(Nada),
    /// SCReAM (RFC 8298).
    Scream(Scream),
    /// GCC, of WebRTC.
    #[cfg(feature = "gcc")]
    Gcc(Gcc),
    /// A rate control that was added at run time, with a receiver of TFRC.
    Custom(CustomRate),
}

/// The name of GCC, which exists only in builds with the feature `gcc`.
pub(crate) const GCC: &str = "gcc";

/// The common parameters that concern the receiver alone, which an added rate control has, too.
const RECEIVING: &[&str] = &["discounting", "discount_mean", "causes"];

impl Scheme {
    /// Returns all built-in schemes, with the defaults of their parameters.
    fn all() -> impl Iterator<Item = Self> {
        let all = [
            Self::Tfrc,
            Self::TfrcVeno(Veno::default()),
            Self::Multfrc(Connections::default()),
            Self::AioTfrc(Connections::default()),
            Self::Nada(Nada::default()),
            Self::Scream(Scream::default()),
            #[cfg(feature = "gcc")]
            Self::Gcc(Gcc::default()),
        ];
        all.into_iter()
    }

    /// Returns the scheme's name in files.
    pub fn name(&self) -> &str {
        match self {
            Self::Tfrc => "tfrc",
            Self::TfrcVeno(_) => "tfrc-veno",
            Self::Multfrc(_) => "multfrc",
            Self::AioTfrc(_) => "aio-tfrc",
            Self::Nada(_) => "nada",
            Self::Scream(_) => "scream",
            #[cfg(feature = "gcc")]
            Self::Gcc(_) => GCC,
            Self::Custom(custom) => custom.name(),
        }
    }

    /// Returns a one-line summary.
    pub fn summary(&self) -> &str {
        match self {
            Self::Tfrc => {
                "the rate that TCP would have according to its throughput equation (RFC 5348)"
            }
            Self::TfrcVeno(_) => "TFRC with the equation of TCP Veno (TFRC Veno, section III-B)",
            Self::Multfrc(_) => {
                "the number of TFRC connections is increased as long as the queue stays nearly empty (Chen and Zakhor 2004)"
            }
            Self::AioTfrc(_) => "one TFRC connection at the rate of several (Chen and Zakhor 2005)",
            Self::Nada(_) => {
                "for interactive media, by a delay to which losses and marks add (RFC 8698)"
            }
            Self::Scream(_) => {
                "for interactive media, by a window that follows a target of the queueing delay (RFC 8298)"
            }
            #[cfg(feature = "gcc")]
            Self::Gcc(_) => {
                "WebRTC's, by a crate that is not ours: a trend of the delay, losses, and probes"
            }
            Self::Custom(custom) => custom.summary(),
        }
    }

    fn parameters(&self) -> &[Parameter] {
        match self {
            Self::Tfrc => &[],
            Self::TfrcVeno(_) => Veno::PARAMETERS,
            Self::Multfrc(_) | Self::AioTfrc(_) => Connections::PARAMETERS,
            Self::Nada(_) => Nada::PARAMETERS,
            Self::Scream(_) => Scream::PARAMETERS,
            #[cfg(feature = "gcc")]
            Self::Gcc(_) => Gcc::PARAMETERS,
            Self::Custom(custom) => custom.parameters(),
        }
    }

    /// Returns whether the scheme uses a common parameter.
    fn uses(&self, common: &str) -> bool {
        match self {
            Self::Tfrc | Self::TfrcVeno(_) | Self::Multfrc(_) | Self::AioTfrc(_) => true,
            Self::Nada(_) | Self::Scream(_) => false,
            #[cfg(feature = "gcc")]
            Self::Gcc(_) => false,
            Self::Custom(_) => RECEIVING.contains(&common),
        }
    }

    /// Returns whether a parameter has no effect because of another one.
    fn ignores(&self, name: &str) -> bool {
        matches!(self, Self::TfrcVeno(veno) if veno.ignores(name))
    }

    fn get(&self, name: &str) -> Option<Setting> {
        match self {
            Self::Tfrc => None,
            Self::TfrcVeno(veno) => veno.get(name),
            Self::Multfrc(connections) | Self::AioTfrc(connections) => connections.get(name),
            Self::Nada(nada) => nada.get(name),
            Self::Scream(scream) => scream.get(name),
            #[cfg(feature = "gcc")]
            Self::Gcc(gcc) => gcc.get(name),
            Self::Custom(custom) => custom.get(name),
        }
    }

    fn put(&mut self, name: &str, value: Setting) -> bool {
        match self {
            Self::Tfrc => false,
            Self::TfrcVeno(veno) => veno.put(name, value),
            Self::Multfrc(connections) | Self::AioTfrc(connections) => connections.put(name, value),
            Self::Nada(nada) => nada.put(name, value),
            Self::Scream(scream) => scream.put(name, value),
            #[cfg(feature = "gcc")]
            Self::Gcc(gcc) => gcc.put(name, value),
            Self::Custom(custom) => custom.set(name, value).is_ok(),
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

    /// Returns an added rate control.
    pub(crate) fn custom(custom: CustomRate) -> Self {
        Self::new(Scheme::Custom(custom))
    }

    /// Returns the built-in rate control with this name, with the defaults of its parameters.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|control| control.name() == name)
    }

    /// Returns every built-in rate control with its defaults. [`Controls::all_rates`](crate::controls::Controls::all_rates) has the added ones, too.
    pub fn all() -> impl Iterator<Item = Self> {
        Scheme::all().map(Self::new)
    }

    /// Returns the parameters that all rate controls have.
    pub fn common(&self) -> &Common {
        &self.common
    }

    /// Returns the scheme, with its specific parameters.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Returns the rate control's name in files.
    pub fn name(&self) -> &str {
        self.scheme.name()
    }

    /// Returns the descriptions of its parameters.
    pub fn parameters(&self) -> Vec<Parameter> {
        let common = Common::PARAMETERS
            .iter()
            .filter(|p| self.scheme.uses(p.name));
        common.chain(self.scheme.parameters()).copied().collect()
    }

    /// Returns the value of a parameter; `None` if there is no such parameter.
    pub fn get(&self, name: &str) -> Option<Setting> {
        let common = self.common.get(name).filter(|_| self.scheme.uses(name));
        common.or_else(|| self.scheme.get(name))
    }

    /// Returns whether a parameter is a rate.
    pub fn is_rate(&self, name: &str) -> bool {
        let all = self.parameters();
        let known = all.iter().find(|parameter| parameter.name == name);
        known.is_some_and(|parameter| matches!(parameter.kind, Kind::Rate(..)))
    }

    /// Returns whether it says by which rule its rate changed last.
    pub fn names_rules(&self) -> bool {
        matches!(self.scheme, Scheme::Nada(_) | Scheme::Scream(_))
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Refused`] if there is no such parameter, or the value is out of its range.
    pub fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused> {
        let all = self.parameters();
        let known = all.iter().find(|parameter| parameter.name == name);
        let kind = known.ok_or(Refused::Unknown)?.kind;
        let mut put = || {
            (self.scheme.uses(name) && self.common.put(name, value)) || self.scheme.put(name, value)
        };
        if kind.admits(value) && put() {
            Ok(())
        } else {
            Err(Refused::Impossible(kind))
        }
    }

    /// Returns the rate control if it is told the fate of each packet, so that it has ends of its own.
    pub fn told(&self) -> Option<Told> {
        match &self.scheme {
            Scheme::Nada(nada) => Some(Told::Nada(nada.config())),
            Scheme::Scream(scream) => Some(Told::Scream(scream.config())),
            #[cfg(feature = "gcc")]
            Scheme::Gcc(gcc) => Some(Told::Gcc(gcc.config())),
            Scheme::Tfrc
            | Scheme::TfrcVeno(_)
            | Scheme::Multfrc(_)
            | Scheme::AioTfrc(_)
            | Scheme::Custom(_) => None,
        }
    }

    /// Returns the configuration of a sender of segments of `segment` bytes; that of TFRC for a
    /// rate control that has a sender of its own.
    pub fn sender(&self, segment: u32) -> SenderConfig {
        let (law, all_in_one) = match &self.scheme {
            Scheme::Tfrc
            | Scheme::Multfrc(_)
            | Scheme::Nada(_)
            | Scheme::Scream(_)
            | Scheme::Custom(_) => (Law::Reno, None),
            Scheme::TfrcVeno(veno) => (Law::Veno(veno.config()), None),
            Scheme::AioTfrc(connections) => (Law::Reno, Some(connections.config())),
            #[cfg(feature = "gcc")]
            Scheme::Gcc(_) => (Law::Reno, None),
        };
        SenderConfig {
            law,
            all_in_one,
            ..self.common.sender(segment)
        }
    }

    /// Returns the configuration of a receiver of segments of `segment` bytes.
    pub fn receiver(&self, segment: u32) -> ReceiverConfig {
        self.common.receiver(segment)
    }

    /// Returns how the number of connections is controlled, if the flow may have several connections.
    pub fn several(&self) -> Option<ParallelConfig> {
        match &self.scheme {
            Scheme::Tfrc
            | Scheme::TfrcVeno(_)
            | Scheme::AioTfrc(_)
            | Scheme::Nada(_)
            | Scheme::Scream(_)
            | Scheme::Custom(_) => None,
            Scheme::Multfrc(connections) => Some(connections.config()),
            #[cfg(feature = "gcc")]
            Scheme::Gcc(_) => None,
        }
    }

    /// Returns a one-line summary of it.
    pub(crate) fn summary(&self) -> &str {
        self.scheme.summary()
    }

    /// Returns whether a parameter has no effect because of another one.
    pub(crate) fn ignores(&self, name: &str) -> bool {
        self.scheme.ignores(name)
    }

    /// Reports parameters in its table that do not go together.
    pub(crate) fn check(&self, table: &Table<'_>) {
        match &self.scheme {
            Scheme::TfrcVeno(veno) => veno.check(table),
            Scheme::Nada(nada) => nada.check(table),
            Scheme::Scream(scream) => scream.check(table),
            #[cfg(feature = "gcc")]
            Scheme::Gcc(gcc) => gcc.check(table),
            Scheme::Tfrc | Scheme::Multfrc(_) | Scheme::AioTfrc(_) | Scheme::Custom(_) => {}
        }
    }

    /// Returns whether the rate control requires to be told the causes of losses.
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

#[cfg(test)]
mod tests;
