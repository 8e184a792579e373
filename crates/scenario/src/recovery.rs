//! Which loss recovery a TCP flow uses, and with which choices.

use dumbbell_tcp::recovery::{Any, Kind, NewReno, PartialAckTimer, Reno, Tahoe, Vegas};

use super::document::{Node, Table};
use super::quantity::clip;
use super::suggest;

/// A loss recovery with its choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Go-back-N.
    Tahoe,
    /// RFC 5681.
    Reno {
        /// See [`Reno::careful`].
        careful: bool,
        /// See [`Reno::exit_growth`].
        exit_growth: bool,
    },
    /// RFC 6582.
    NewReno {
        /// See [`Reno::careful`].
        careful: bool,
        /// See [`Reno::exit_growth`].
        exit_growth: bool,
        /// Which partial ACKs restart the retransmission timer.
        timer: PartialAckTimer,
        /// The window at the end of an episode.
        exit: Exit,
    },
    /// RFC 6675.
    Sack,
    /// Vegas' fine-grained timers.
    Vegas,
}

/// The window with which NewReno ends an episode (RFC 6582, section 3.2, step 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exit {
    /// `ssthresh` (option 2).
    #[default]
    Ssthresh,
    /// `min(ssthresh, max(flight, 1) + 1)` (option 1).
    Flight,
}

pub(super) const TIMERS: [(&str, PartialAckTimer); 2] = [
    ("impatient", PartialAckTimer::Impatient),
    ("slow-but-steady", PartialAckTimer::SlowButSteady),
];
pub(super) const EXITS: [(&str, Exit); 2] =
    [("ssthresh", Exit::Ssthresh), ("flight", Exit::Flight)];
const EXAMPLE: &str = "\"newreno\"";

impl Recovery {
    /// A recovery with its usual choices.
    pub fn new(kind: Kind) -> Self {
        let Reno {
            careful,
            exit_growth,
        } = Reno::default();
        match kind {
            Kind::Tahoe => Self::Tahoe,
            Kind::Reno => Self::Reno {
                careful,
                exit_growth,
            },
            Kind::NewReno => Self::NewReno {
                careful,
                exit_growth,
                timer: PartialAckTimer::default(),
                exit: Exit::default(),
            },
            Kind::Sack => Self::Sack,
            Kind::Vegas => Self::Vegas,
        }
    }

    /// Which one it is, without its choices.
    pub fn kind(self) -> Kind {
        match self {
            Self::Tahoe => Kind::Tahoe,
            Self::Reno { .. } => Kind::Reno,
            Self::NewReno { .. } => Kind::NewReno,
            Self::Sack => Kind::Sack,
            Self::Vegas => Kind::Vegas,
        }
    }

    /// The recovery of a new connection.
    pub fn build(self) -> Any {
        match self {
            Self::Tahoe => Any::Tahoe(Tahoe),
            Self::Reno {
                careful,
                exit_growth,
            } => Any::Reno(Reno {
                careful,
                exit_growth,
            }),
            Self::NewReno {
                careful,
                exit_growth,
                timer,
                exit,
            } => {
                let entry = Reno {
                    careful,
                    exit_growth,
                };
                Any::NewReno(NewReno::new(entry, timer, exit == Exit::Flight))
            }
            Self::Sack => Any::Sack(Box::default()),
            Self::Vegas => Any::Vegas(Vegas::default()),
        }
    }
}

/// The keys of a recovery as a table. NewReno has them all.
pub(super) fn keys(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Reno => &["name", "careful", "exit_growth"],
        Kind::NewReno => &["name", "careful", "exit_growth", "timer", "exit"],
        Kind::Tahoe | Kind::Sack | Kind::Vegas => &["name"],
    }
}

/// Reads the value of `recovery`: a name, or a table with a name and choices.
pub(super) fn read(node: &Node<'_>) -> Option<Recovery> {
    if !node.is_table() {
        return kind(node).map(Recovery::new);
    }
    let table = node.open(keys(Kind::NewReno), EXAMPLE)?;
    let kind = kind(&table.need("name", "name = \"newreno\"")?)?;
    let keys = keys(kind);
    let table = node
        .clone()
        .called(format!("recovery `{}`", kind.name()))
        .table(keys, &[], EXAMPLE)?;
    choices(&table, keys, Recovery::new(kind))
}

fn choices(table: &Table<'_>, keys: &[&'static str], usual: Recovery) -> Option<Recovery> {
    let find = |key| keys.contains(&key).then(|| table.find(key)).flatten();
    let new_careful = find("careful").map(|n| n.flag());
    let new_growth = find("exit_growth").map(|n| n.flag());
    let new_timer = find("timer").map(|n| n.word(&TIMERS));
    let new_exit = find("exit").map(|n| n.word(&EXITS));
    Some(match usual {
        Recovery::Reno {
            careful,
            exit_growth,
        } => Recovery::Reno {
            careful: new_careful.unwrap_or(Some(careful))?,
            exit_growth: new_growth.unwrap_or(Some(exit_growth))?,
        },
        Recovery::NewReno {
            careful,
            exit_growth,
            timer,
            exit,
        } => Recovery::NewReno {
            careful: new_careful.unwrap_or(Some(careful))?,
            exit_growth: new_growth.unwrap_or(Some(exit_growth))?,
            timer: new_timer.unwrap_or(Some(timer))?,
            exit: new_exit.unwrap_or(Some(exit))?,
        },
        plain @ (Recovery::Tahoe | Recovery::Sack | Recovery::Vegas) => plain,
    })
}

fn kind(node: &Node<'_>) -> Option<Kind> {
    let text = node.text(EXAMPLE)?;
    let found = Kind::named(text);
    if found.is_none() {
        let names: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
        node.wrong(
            format!("there is no recovery `{}`", clip(text)),
            suggest::help(text, "the recoveries are", &names),
        );
    }
    found
}
