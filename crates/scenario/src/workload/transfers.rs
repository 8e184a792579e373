//! Short transfers that arrive by themselves, as those of many web users together.

use std::sync::Arc;

use dumbbell_control::units::Duration;
use serde_json::{Value, json};

use super::lines;
use super::report::{SizeClasses, classes, listed};
use super::size::{SIZE, SizeKey, SizeLaw};
use crate::decimal::{self, Decimal};
use crate::document::{Node, Table};
use crate::form::value::{array, plain, table as table_form, time as time_form};
use crate::form::{Form, rule};
use crate::key::{Flag, Key, Real, Shape, Whole, Word};
use crate::limits::LONGEST_RUN;
use crate::text::{real, table, time};

/// Transfers, each on its own connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfers {
    /// When they arrive, and their sizes.
    pub arrivals: Arrivals,
    /// The largest number of transfers of one pair of hosts that are under way at the same time, 1 to 1,000,000.
    /// Others are refused when they arrive.
    pub most: u32,
    /// How they are summarised.
    pub classes: SizeClasses,
    /// Whether each is listed.
    pub list: bool,
}

/// When transfers arrive, and their sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Both are drawn.
    Drawn {
        /// How often they arrive at all pairs of hosts of the flow entry together.
        pace: Pace,
        /// The law of the times between arrivals.
        spacing: Spacing,
        /// The law of their sizes.
        size: SizeLaw,
        /// How many arrive at all pairs together; `None` means as many as the run has time for.
        number: Option<u32>,
    },
    /// Both are recorded.
    Trace(TransferTrace),
}

/// How often transfers arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// The mean payload that arrives, as a fraction of the rate of the slowest link on the path, above 0 and
    /// up to 10.
    Load(f64),
    /// Arrivals per second.
    Rate(f64),
    /// The mean time between two arrivals.
    Every(Duration),
}

/// The law of the times between arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Exponentially distributed: a Poisson process.
    Poisson,
    /// All equal.
    Regular,
}

/// Recorded transfers, the earliest first: when each arrives, in nanoseconds since the start of the flow,
/// and its size in bytes. Clones share them.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferTrace(Arc<[(u64, u64)]>);

/// The key in files.
pub(super) const KEY: &str = "transfers";
pub(super) const ENTRY: (&str, &str) = (
    "transfers = { .. }",
    "short transfers that arrive by themselves, each on its own connection",
);

const LOAD: &str = "load";
const RATE: &str = "rate";
const EVERY: &str = "every";
const TRACE: &str = "trace";
const SPACING: &str = "spacing";
const SIZE_KEY: &str = "size";
const NUMBER: &str = "number";
const MOST: &str = "most";
const CLASSES: &str = "classes";
const LIST: &str = "list";
const KEYS: [&str; 10] = [
    LOAD, RATE, EVERY, TRACE, SIZE_KEY, SPACING, NUMBER, MOST, CLASSES, LIST,
];
/// Of these, exactly one is set.
const PACES: [&str; 4] = [LOAD, RATE, EVERY, TRACE];
const EXAMPLE: &str = "{ load = 0.6, size = { exponential = \"20 kB\" } }";
/// The largest number of recorded transfers.
const LONGEST_TRACE: usize = 1_000_000;
const HELP: &str = "each line is the time of an arrival in seconds and a size in bytes, such as 0.25 20000, \
                    and no time is earlier than the one before it";

const LOADS: &str = "a number above 0 and up to 10";
const RATES: &str = "a number above 0 and up to 10000000, in transfers per second";

fn spacing() -> Key<Word<Spacing>> {
    Word {
        words: &[("poisson", Spacing::Poisson), ("regular", Spacing::Regular)],
        explain: |spacing| match spacing {
            Spacing::Poisson => "exponentially distributed, a Poisson process",
            Spacing::Regular => "all equal",
        },
    }
    .usually(Spacing::Poisson, |form| {
        form.means("the times between arrivals")
    })
}

fn most() -> Key<Whole> {
    Whole(1..=1_000_000).usually(100_000, |form| {
        form.means(
            "how many transfers of one pair of hosts may be under way together; others are refused",
        )
    })
}

fn number() -> Whole {
    Whole(1..=100_000_000)
}

/// Reads the value of the key.
pub(super) fn read(node: &Node<'_>) -> Option<Transfers> {
    let table = node.table(&KEYS, &[], EXAMPLE)?;
    let arrivals = arrivals(&table);
    let most = most().read(&table, MOST);
    let classes = classes().read(&table, CLASSES);
    let list = listed().read(&table, LIST);
    Some(Transfers {
        arrivals: arrivals?,
        most: most?,
        classes: classes?,
        list: list?,
    })
}

fn arrivals(table: &Table<'_>) -> Option<Arrivals> {
    let pace = match table.present(&PACES)[..] {
        [TRACE] => {
            for key in table.present(&[SIZE_KEY, SPACING, NUMBER]) {
                if let Some(node) = table.find(key) {
                    node.wrong(
                        format!("a recorded trace determines `{key}`"),
                        "leave it out, or leave `trace` out",
                    );
                }
            }
            let trace = TransferTrace::read(&table.find(TRACE)?);
            return trace.map(Arrivals::Trace);
        }
        [LOAD] => positive(&table.find(LOAD)?, 10.0, LOADS, "0.6").map(Pace::Load),
        [RATE] => positive(&table.find(RATE)?, 1e7, RATES, "20").map(Pace::Rate),
        [_] => {
            let range = Duration::from_nanos(100)..=LONGEST_RUN;
            table.find(EVERY)?.time(range).map(Pace::Every)
        }
        [] if table.misspells(&PACES) => None,
        [] => {
            table.wrong(
                "`transfers` does not say when they arrive",
                "set one of `load`, `rate`, `every` and `trace`, for example load = 0.6",
            );
            None
        }
        [first, second, ..] => {
            table.wrong(
                format!("`transfers` has both `{first}` and `{second}`"),
                "keep one",
            );
            None
        }
    };
    let size = SizeKey
        .needed("size = { exponential = \"20 kB\" }", |form| form)
        .read(table, SIZE_KEY);
    let spacing = spacing().read(table, SPACING);
    let number = match table.find(NUMBER) {
        Some(node) => number().read(&node).map(Some),
        None => Some(None),
    };
    Some(Arrivals::Drawn {
        pace: pace?,
        spacing: spacing?,
        size: size?,
        number: number?,
    })
}

/// Reads a number above zero and up to `most`.
fn positive(node: &Node<'_>, most: f64, what: &str, example: &str) -> Option<f64> {
    let least = 1e-9;
    node.real(least..=most, what, example)
}

/// Returns the value of the key as TOML.
pub(super) fn write(transfers: &Transfers) -> String {
    let mut keys = Vec::new();
    match &transfers.arrivals {
        Arrivals::Drawn {
            pace,
            spacing: law,
            size,
            number: limit,
        } => {
            keys.push(match pace {
                Pace::Load(load) => (LOAD, real(*load)),
                Pace::Rate(rate) => (RATE, real(*rate)),
                Pace::Every(gap) => (EVERY, time(*gap)),
            });
            keys.push((SPACING, spacing().write(law)));
            keys.push((SIZE_KEY, SizeKey.write(size)));
            if let Some(limit) = limit {
                keys.push((NUMBER, limit.to_string()));
            }
        }
        Arrivals::Trace(trace) => keys.push((TRACE, trace.write())),
    }
    keys.push((MOST, transfers.most.to_string()));
    keys.push((CLASSES, classes().write(&transfers.classes)));
    keys.push((LIST, Flag.write(&transfers.list)));
    table(&keys)
}

/// Returns the value of the key as a schema.
pub(super) fn form() -> Form {
    let amount = |words: &'static str, most: f64| {
        Real {
            range: 1e-9..=most,
            what: words,
            words,
            example: "1",
        }
        .form()
        .needed_or("one of `load`, `rate`, `every` and `trace` must be set")
    };
    let load = amount("above 0 and up to 10", 10.0)
        .means("the mean payload that arrives, as a fraction of the rate of the slowest link on the path")
        .such_as([json!(0.6)]);
    let rate = amount("above 0 and up to 10,000,000", 1e7)
        .means("the mean number of transfers that arrive per second")
        .such_as([json!(20)]);
    let every = time_form(Duration::from_nanos(100)..=LONGEST_RUN)
        .means("the mean time between two arrivals")
        .needed_or("one of `load`, `rate`, `every` and `trace` must be set")
        .such_as([json!("50 ms")]);
    let trace = TransferTrace::form();
    let size = SizeKey
        .form()
        .means("the sizes of the transfers, in bytes of payload")
        .needed_or("must be set, unless `trace` is");
    let number = number()
        .form()
        .means("how many transfers arrive in all")
        .otherwise("as many as the run has time for");
    table_form(&[
        (LOAD, load),
        (RATE, rate),
        (EVERY, every),
        (TRACE, trace),
        (SIZE_KEY, size),
        (SPACING, spacing().form()),
        (NUMBER, number),
        (MOST, most().form()),
        (CLASSES, classes().form()),
        (LIST, listed().form()),
    ])
    .rule("if", rule::is_table())
    .rule("then", rule::one_of(&PACES))
    .means("short transfers that arrive by themselves, each on its own connection; with `count`, each of that many pairs of hosts carries an equal part")
    .otherwise("none")
}

impl TransferTrace {
    /// Makes a trace of transfers: when each arrives, in nanoseconds, and its size in bytes. `None` if there
    /// is none, a time is earlier than the one before it, or a value is out of range.
    pub fn new(transfers: Vec<(u64, u64)>) -> Option<Self> {
        let ordered = transfers.windows(2).all(|pair| pair[0].0 <= pair[1].0);
        let known =
            |&(at, bytes): &(u64, u64)| at <= LONGEST_RUN.as_nanos() && SIZE.contains(&bytes);
        let valid = !transfers.is_empty() && ordered && transfers.iter().all(known);
        valid.then(|| Self(transfers.into()))
    }

    /// Returns when each transfer arrives, in nanoseconds since the start of the flow, and its size in bytes.
    pub fn transfers(&self) -> &[(u64, u64)] {
        &self.0
    }

    fn read(node: &Node<'_>) -> Option<Self> {
        let mut last = 0;
        let mut entry = |at: &str, size: &str| {
            let at = Decimal::parse(at)
                .and_then(|at| at.times(1_000_000_000))
                .ok()?;
            let bytes = size.parse().ok().filter(|size| SIZE.contains(size))?;
            let valid = last <= at
                && at <= LONGEST_RUN.as_nanos()
                && size.bytes().all(|byte| byte.is_ascii_digit());
            last = at;
            valid.then_some((at, bytes))
        };
        let transfers = if node.is_array() {
            let elements = node.array("[[0.25, 20000]]")?;
            let mut transfers = Vec::with_capacity(elements.len());
            for element in &elements {
                let pair = element.array("[0.25, 20000]")?;
                let numbers: Vec<String> = pair.iter().filter_map(Node::as_number).collect();
                let found = match &numbers[..] {
                    [at, bytes] if pair.len() == 2 => entry(at, bytes),
                    _ => None,
                };
                let Some(found) = found else {
                    element.wrong(
                        "`trace` has an entry that cannot be read",
                        "each is [seconds, bytes], such as [0.25, 20000], and no time is earlier than the one before it",
                    );
                    return None;
                };
                transfers.push(found);
            }
            transfers
        } else {
            lines::read(node, "\"transfers.txt\"", LONGEST_TRACE, HELP, |line| {
                let mut words = line.split_ascii_whitespace();
                let found = entry(words.next()?, words.next()?)?;
                words.next().is_none().then_some(found)
            })?
        };
        if transfers.len() > LONGEST_TRACE {
            node.wrong(
                "`trace` has too many transfers",
                format!("it has at most {LONGEST_TRACE}"),
            );
            return None;
        }
        let trace = Self::new(transfers);
        if trace.is_none() {
            node.wrong("`trace` has no transfer", "give at least one");
        }
        trace
    }

    fn write(&self) -> String {
        let entry = |&(at, bytes): &(u64, u64)| format!("[{}, {bytes}]", decimal::show(at, 9));
        let entries: Vec<String> = self.0.iter().map(entry).collect();
        format!("[{}]", entries.join(", "))
    }

    fn form() -> Form {
        let pair = array(&Form::new("number", "").rule("minimum", plain(0.0)), 2..=2);
        let example: Value = json!([[0, 20000], [0.25, 1200]]);
        array(&pair, 1..=LONGEST_TRACE)
            .or(Form::text("[^\\u0000]+", "the name of a file"))
            .means("recorded transfers: an array, or a file with one per line: when it arrives, in seconds since the start of the flow, and its size in bytes")
            .ranging("1 to 1,000,000 pairs of seconds, which do not decrease, and bytes, or the name of a file, relative to the scenario's folder")
            .needed_or("one of `load`, `rate`, `every` and `trace` must be set")
            .such_as([example])
    }
}
