//! The loss recovery of a TCP flow, with its options.

use dumbbell_tcp::recovery::{Any, Kind, NewReno, PartialAckTimer, Reno, Tahoe};
use serde_json::Value;

use crate::document::Node;
use crate::form::Form;
use crate::form::value::{alternatives, one_word, table, words};
use crate::key::record::{Record, record};
use crate::key::{Flag, Key, Shape, Word};
use crate::parameter::NAME;
use crate::quantity::clip;
use crate::suggest;
use crate::text::{self, quote};

/// The key in files.
pub(crate) const KEY: &str = "recovery";

/// A loss recovery with its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Tahoe: go-back-N.
    Tahoe,
    /// Reno's fast recovery (RFC 5681).
    Reno(RenoChoices),
    /// NewReno (RFC 6582).
    NewReno(NewRenoChoices),
    /// Recovery with selective acknowledgements (RFC 6675).
    Sack,
    /// Vegas: Reno with fine-grained timers.
    Vegas,
}

/// The window at the end of a NewReno recovery episode (RFC 6582, section 3.2, step 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exit {
    /// `ssthresh` (option 2).
    #[default]
    Ssthresh,
    /// `min(ssthresh, max(flight, 1) + 1)` (option 1).
    Flight,
}

fn careful() -> Key<Flag> {
    Flag.usually(Reno::default().careful, |form| {
        form.means(
            "whether, after an episode, duplicate ACKs count only above the data that was outstanding at its beginning",
        )
        .ranging("")
    })
}

fn exit_growth() -> Key<Flag> {
    Flag.usually(Reno::default().exit_growth, |form| {
        form.means(
            "whether the ACK that ends an episode also lets the window grow, as in ns-2 but not in RFC 5681",
        )
        .ranging("")
    })
}

const TIMER: Word<PartialAckTimer> = Word {
    words: &[
        ("impatient", PartialAckTimer::Impatient),
        ("slow-but-steady", PartialAckTimer::SlowButSteady),
    ],
    explain: |timer| match timer {
        PartialAckTimer::Impatient => "the first of an episode",
        PartialAckTimer::SlowButSteady => "each",
    },
};
const EXIT: Word<Exit> = Word {
    words: &[("ssthresh", Exit::Ssthresh), ("flight", Exit::Flight)],
    explain: |exit| match exit {
        Exit::Ssthresh => "ssthresh",
        Exit::Flight => "min(ssthresh, max(flight, 1) + 1)",
    },
};

record! {
    /// The options of Reno's recovery.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RenoChoices {
        /// See [`Reno::careful`].
        careful: bool = careful(),
        /// See [`Reno::exit_growth`].
        exit_growth: bool = exit_growth(),
    }
}

record! {
    /// The options of NewReno's recovery.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct NewRenoChoices {
        /// See [`Reno::careful`].
        careful: bool = careful(),
        /// See [`Reno::exit_growth`].
        exit_growth: bool = exit_growth(),
        /// Which partial ACKs restart the retransmission timer.
        timer: PartialAckTimer = TIMER.usually(PartialAckTimer::default(), |form| form
            .means("the partial ACKs that restart the retransmission timer")),
        /// The window at the end of an episode.
        exit: Exit = EXIT.usually(Exit::default(), |form| form
            .means("the window at the end of an episode (RFC 6582, section 3.2, step 3)")),
    }
}

const EXAMPLE: &str = "\"newreno\"";

impl Recovery {
    /// Returns a recovery with its default options.
    pub fn new(kind: Kind) -> Self {
        let Reno {
            careful,
            exit_growth,
        } = Reno::default();
        match kind {
            Kind::Tahoe => Self::Tahoe,
            Kind::Reno => Self::Reno(RenoChoices {
                careful,
                exit_growth,
            }),
            Kind::NewReno => Self::NewReno(NewRenoChoices {
                careful,
                exit_growth,
                timer: PartialAckTimer::default(),
                exit: Exit::default(),
            }),
            Kind::Sack => Self::Sack,
            Kind::Vegas => Self::Vegas,
        }
    }

    /// Returns the kind of recovery, without its options.
    pub fn kind(self) -> Kind {
        match self {
            Self::Tahoe => Kind::Tahoe,
            Self::Reno(_) => Kind::Reno,
            Self::NewReno(_) => Kind::NewReno,
            Self::Sack => Kind::Sack,
            Self::Vegas => Kind::Vegas,
        }
    }

    /// Makes the recovery of a new connection.
    pub(crate) fn build(self) -> Any {
        match self {
            Self::Tahoe => Any::Tahoe(Tahoe),
            Self::Reno(RenoChoices {
                careful,
                exit_growth,
            }) => Any::Reno(Reno {
                careful,
                exit_growth,
            }),
            Self::NewReno(NewRenoChoices {
                careful,
                exit_growth,
                timer,
                exit,
            }) => {
                let entry = Reno {
                    careful,
                    exit_growth,
                };
                Any::NewReno(NewReno::new(entry, timer, exit == Exit::Flight))
            }
            Self::Sack => Any::Sack(Box::default()),
            Self::Vegas => Any::Vegas(Box::default()),
        }
    }
}

/// Returns the options of a recovery as schemas.
fn choices(kind: Kind) -> Vec<(&'static str, Form)> {
    match kind {
        Kind::Reno => RenoChoices::forms(),
        Kind::NewReno => NewRenoChoices::forms(),
        Kind::Tahoe | Kind::Sack | Kind::Vegas => Vec::new(),
    }
}

/// Returns the keys of a recovery as a table. NewReno has all of them.
fn keys(kind: Kind) -> Vec<&'static str> {
    let choices = match kind {
        Kind::Reno => RenoChoices::KEYS,
        Kind::NewReno => NewRenoChoices::KEYS,
        Kind::Tahoe | Kind::Sack | Kind::Vegas => &[],
    };
    [&[NAME], choices].concat()
}

/// Reads the value of `recovery`: a name, or a table with a name and options.
pub(crate) fn read(node: &Node<'_>) -> Option<Recovery> {
    if !node.is_table() {
        return kind(node).map(Recovery::new);
    }
    let table = node.open(&keys(Kind::NewReno), EXAMPLE)?;
    let kind = kind(&table.need(NAME, "name = \"newreno\"")?)?;
    let table = node
        .clone()
        .called(format!("recovery `{}`", kind.name()))
        .table(&keys(kind), &[], EXAMPLE)?;
    match kind {
        Kind::Reno => RenoChoices::read(&table).map(Recovery::Reno),
        Kind::NewReno => NewRenoChoices::read(&table).map(Recovery::NewReno),
        Kind::Tahoe | Kind::Sack | Kind::Vegas => Some(Recovery::new(kind)),
    }
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

/// Returns a recovery as TOML.
pub(crate) fn write(recovery: Recovery) -> String {
    let name = quote(recovery.kind().name());
    let choices = match recovery {
        Recovery::Tahoe | Recovery::Sack | Recovery::Vegas => return name,
        Recovery::Reno(choices) => choices.write(),
        Recovery::NewReno(choices) => choices.write(),
    };
    text::table(&[&[(NAME, name)], &choices[..]].concat())
}

/// Returns the value of `recovery` as a schema.
pub(crate) fn schema() -> Value {
    let kinds = Kind::ALL.map(|kind| (kind.name(), kind));
    let word = words(&kinds, |kind| kind.summary().to_owned())
        .means("the loss recovery: a name, or a table with `name` and its choices")
        .ranging("")
        .otherwise("the control's default recovery");
    alternatives(&word, Kind::ALL.into_iter().map(table_form))
}

/// Returns a recovery as a table in a schema.
fn table_form(kind: Kind) -> Form {
    let name = one_word(&[(kind.name(), kind.summary().to_owned())])
        .means("which recovery it is")
        .ranging("")
        .needed();
    let forms = [&[(NAME, name)], &choices(kind)[..]].concat();
    table(&forms).means(format!("`{}`, {}", kind.name(), kind.summary()))
}

/// Returns the entries of the catalogue.
pub(crate) fn entries() -> Vec<(&'static str, &'static str)> {
    Kind::ALL.map(|kind| (kind.name(), kind.summary())).to_vec()
}
