//! The controls of QUIC connections: ours behind a stack, and those that the stacks bring along.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{noq, quinn};
use crate::error::Error;

/// The controls that the stacks bring along, by the names that they have here, and the simulated control of the same
/// kind.
pub const OF_STACKS: [(&str, &str); 6] = [
    ("quinn:newreno", "reno"),
    ("quinn:cubic", "cubic"),
    ("quinn:bbr", "bbr1"),
    ("noq:newreno", "reno"),
    ("noq:cubic", "cubic"),
    ("noq:bbr3", "bbr"),
];

/// A QUIC stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// quinn.
    Quinn,
    /// noq, a fork of quinn.
    Noq,
}

impl Stack {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quinn => "quinn",
            Self::Noq => "noq",
        }
    }
}

/// A control, ready for connections of a stack.
#[derive(Clone)]
pub struct QuicControl {
    name: String,
    simulated: &'static str,
    is_ours: bool,
    choice: Choice,
}

/// Before the names of controls that are told when packets arrived at the receiver.
const TIMED: &str = "timed:";

#[derive(Clone)]
pub(super) enum Choice {
    Quinn(quinn::Factory),
    /// This control, behind quinn with sockets that tell when packets arrived.
    Timed(String),
    Noq(noq::Factory),
}

impl QuicControl {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stack that runs it.
    pub fn stack(&self) -> Stack {
        match self.choice {
            Choice::Quinn(_) | Choice::Timed(_) => Stack::Quinn,
            Choice::Noq(_) => Stack::Noq,
        }
    }

    /// The simulator's control of the same kind.
    pub fn simulated(&self) -> &'static str {
        self.simulated
    }

    /// Whether it is told when packets arrived at the receiver.
    pub fn is_timed(&self) -> bool {
        matches!(self.choice, Choice::Timed(_))
    }

    /// Whether it is Dumbbell's, and not the stack's own.
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    pub(super) fn choice(&self) -> &Choice {
        &self.choice
    }

    fn of_a_stack(name: &str) -> Option<Choice> {
        use ::noq::congestion as noq;
        use ::quinn::congestion as quinn;
        Some(match name {
            "quinn:newreno" => Choice::Quinn(Arc::new(quinn::NewRenoConfig::default())),
            "quinn:cubic" => Choice::Quinn(Arc::new(quinn::CubicConfig::default())),
            "quinn:bbr" => Choice::Quinn(Arc::new(quinn::BbrConfig::default())),
            "noq:newreno" => Choice::Noq(Arc::new(noq::NewRenoConfig::default())),
            "noq:cubic" => Choice::Noq(Arc::new(noq::CubicConfig::default())),
            "noq:bbr3" => Choice::Noq(Arc::new(noq::Bbr3Config::default())),
            _ => return None,
        })
    }
}

/// `NAME` is one of Dumbbell's controls, behind quinn or, if it needs what quinn lacks, behind noq. `STACK:NAME` is one
/// of [`OF_STACKS`]. `timed:NAME` is one of Dumbbell's that is told when packets arrived at the receiver, as VenoDB and
/// SARBE want it: both ends' sockets tell each other (the crate `dumbbell-quinn`).
impl FromStr for QuicControl {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        if let Some(choice) = Self::of_a_stack(name) {
            let simulated = OF_STACKS.iter().find(|(known, _)| *known == name);
            return Ok(Self {
                name: name.to_owned(),
                simulated: simulated.map_or("reno", |(_, simulated)| simulated),
                is_ours: false,
                choice,
            });
        }
        if let Some(plain) = name.strip_prefix(TIMED) {
            let control = dumbbell_quinn::Factory::timed(plain, dumbbell_quinn::Times::default())
                .map_err(|why| Error::Refused(format!("{name}: {why}")))?;
            return Ok(Self {
                name: name.to_owned(),
                simulated: control.config().name(),
                is_ours: true,
                choice: Choice::Timed(plain.to_owned()),
            });
        }
        let (choice, simulated) = match dumbbell_quinn::Factory::named(name) {
            Ok(factory) => (Choice::Quinn(Arc::new(factory)), factory.config().name()),
            Err(lacking) => match dumbbell_noq::Factory::named(name) {
                Ok(factory) => (Choice::Noq(Arc::new(factory)), factory.config().name()),
                Err(_) => {
                    let theirs = OF_STACKS.map(|(name, _)| name).join(", ");
                    return Err(Error::Refused(format!(
                        "no QUIC connection can have the control {name}: {lacking}; with the receiver's times, it is \
                         called {TIMED}{name}; the stacks' own are {theirs}"
                    )));
                }
            },
        };
        Ok(Self {
            name: name.to_owned(),
            simulated,
            is_ours: true,
            choice,
        })
    }
}

impl fmt::Debug for QuicControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QuicControl").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_runs_behind_the_stack_that_has_what_it_needs() {
        let named = |name: &str| -> QuicControl { name.parse().expect(name) };
        let of = |name: &str| {
            let control = named(name);
            (control.stack(), control.simulated(), control.is_ours())
        };
        assert_eq!(of("veno"), (Stack::Quinn, "veno", true));
        assert_eq!(of("bbr1"), (Stack::Noq, "bbr1", true));
        assert_eq!(of("timed:sarbe"), (Stack::Quinn, "sarbe", true));
        assert!(named("timed:sarbe").is_timed() && !named("venodb").is_timed());
        for (name, simulated) in OF_STACKS {
            let (stack, like, is_ours) = of(name);
            assert_eq!((like, is_ours), (simulated, false));
            assert!(name.starts_with(stack.name()), "{name}");
        }
        let refused = |name: &str| name.parse::<QuicControl>().expect_err(name).to_string();
        assert!(refused("sarbe").contains("arrival timestamps"));
        assert!(refused("fast").contains("quinn:newreno"));
    }
}
