//! The rate controls that are told the fate of each packet: NADA, SCReAM, and GCC if it is built in.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::Duration;
use dumbbell_media::control::Control;
use dumbbell_media::feedback::Interval;
#[cfg(feature = "gcc")]
use dumbbell_media::gcc;
use dumbbell_media::nada::{self, Nada};
use dumbbell_media::scream::{self, Scream};

use super::group::ratio;

/// The largest rate in bit/s.
pub(super) const MOST_RATE: u32 = 4_000_000_000;
/// The shortest time of what must not be zero.
pub(super) const SHORT: Duration = Duration::from_millis(1);

/// A rate control that is told the fate of each packet, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// NADA (RFC 8698).
    Nada(nada::Config),
    /// SCReAM (RFC 8298).
    Scream(scream::Config),
    /// GCC, of WebRTC.
    #[cfg(feature = "gcc")]
    Gcc(gcc::Config),
}

impl Told {
    /// Makes the control of a new flow.
    pub fn control(&self) -> Box<dyn Control + Send> {
        match self {
            Self::Nada(config) => Box::new(Nada::new(*config)),
            Self::Scream(config) => Box::new(Scream::new(*config)),
            #[cfg(feature = "gcc")]
            Self::Gcc(config) => Box::new(gcc::Gcc::new(*config)),
        }
    }

    /// Returns when the receiver reports.
    pub fn interval(&self) -> Interval {
        match self {
            Self::Nada(config) => {
                Interval::Fixed(Duration::from_nanos((config.delta * 1e9 + 0.5) as u64))
            }
            Self::Scream(_) => Interval::ByRate,
            #[cfg(feature = "gcc")]
            Self::Gcc(config) => Interval::Fixed(config.interval),
        }
    }
}

/// A ratio between so many millionths.
pub(super) const fn share(least: u32, most: u32) -> Kind {
    Kind::Ratio(ratio(least), ratio(most))
}

/// A time of up to a minute.
pub(super) const fn span(least: Duration) -> Kind {
    Kind::Duration(least, Duration::from_secs(60))
}
