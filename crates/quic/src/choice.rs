//! The controls that a QUIC stack can run, by name, with parameters that suit QUIC.

use std::error::Error;
use std::fmt;

use dumbbell_control::controller::Signals;
use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::{self, AnyConfig};

/// A control with its parameters, which a stack with certain signals can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    config: AnyConfig,
    signals: Signals,
}

impl Choice {
    /// The control with this name or alias, with the parameters that suit QUIC where they differ from the paper's:
    ///
    /// * `counting = "abc"`, `abc_limit = 255`: growth counts all that an ACK covers (RFC 9002, section 7.3.1), as of
    ///   simulated QUIC flows. By default an ACK counts as one segment, and a window would grow too slowly, since a QUIC
    ///   ACK usually covers several packets.
    /// * `stamp_source = "ack"` for VenoDB, if the stack knows no receiver times.
    ///
    /// # Errors
    /// [`Unusable`] if there is no such control, or if the stack lacks a signal that the control requires.
    pub fn named(name: &str, signals: Signals) -> Result<Self, Unusable> {
        let Some(mut config) = AnyConfig::named(name) else {
            return Err(Unusable::Unknown(name.to_owned()));
        };
        // A control without such a parameter keeps its own.
        let _ = config.set("counting", Setting::Choice("abc"));
        let _ = config.set("abc_limit", Setting::Count(255));
        if !signals.receiver_time {
            let _ = config.set("stamp_source", Setting::Choice("ack"));
        }
        Self::new(config, signals)
    }

    /// A control with exactly these parameters.
    ///
    /// # Errors
    /// [`Unusable::Lacking`] if the stack lacks a signal that the control requires with these parameters.
    pub fn new(config: AnyConfig, signals: Signals) -> Result<Self, Unusable> {
        match config.check(signals) {
            Ok(()) => Ok(Self { config, signals }),
            Err(lacking) => Err(Unusable::Lacking(lacking)),
        }
    }

    /// The parameters.
    pub fn config(&self) -> &AnyConfig {
        &self.config
    }

    /// The signals that the stack provides.
    pub fn signals(&self) -> Signals {
        self.signals
    }

    /// Every control of the registry, as a stack with these signals can run it, or why it cannot.
    pub fn all(signals: Signals) -> impl Iterator<Item = (&'static str, Result<Self, Unusable>)> {
        registry::names().map(move |name| (name, Self::named(name, signals)))
    }
}

/// A stack cannot run a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// There is no control with this name.
    Unknown(String),
    /// The stack lacks a signal that the control requires.
    Lacking(dumbbell_control::controller::Lacking),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "there is no control `{name}`; there are")?;
                for (i, known) in registry::names().enumerate() {
                    write!(f, "{}{known}", if i == 0 { " " } else { ", " })?;
                }
                Ok(())
            }
            Self::Lacking(lacking) => lacking.fmt(f),
        }
    }
}

impl Error for Unusable {}

/// Defines the type by which a program chooses a control for a stack with certain signals.
///
/// ```
/// use dumbbell_quic::control::controller::Signals;
///
/// dumbbell_quic::chooser! {
///     /// Creates a control for each path of each connection.
///     Factory, Signals::RTT
/// }
///
/// assert!(Factory::named("veno").is_ok());
/// assert!(Factory::named("bbr").is_err());
/// ```
#[macro_export]
macro_rules! chooser {
    ($( #[$doc:meta] )+ $name:ident, $signals:expr) => {
        $( #[$doc] )+
        #[derive(Clone, Copy, Debug)]
        pub struct $name($crate::Choice);

        impl $name {
            /// The control with this name, with parameters that suit QUIC
            /// ([`Choice::named`](dumbbell_quic::Choice::named)).
            ///
            /// # Errors
            /// [`Unusable`](dumbbell_quic::Unusable) if there is no such control, or if it requires more than the stack
            /// provides.
            pub fn named(name: &str) -> Result<Self, $crate::Unusable> {
                $crate::Choice::named(name, $signals).map(Self)
            }

            /// A control with exactly these parameters.
            ///
            /// # Errors
            /// [`Unusable`](dumbbell_quic::Unusable) if the control requires more than the stack provides.
            pub fn new(
                config: $crate::control::registry::AnyConfig,
            ) -> Result<Self, $crate::Unusable> {
                $crate::Choice::new(config, $signals).map(Self)
            }

            /// The control's parameters.
            pub fn config(&self) -> &$crate::control::registry::AnyConfig {
                self.0.config()
            }
        }
    };
}
