//! Claims: what a paper says of a figure, and what the runs say of the claim.
//!
//! A claim is data: its words, and a [`Test`] that turns them into a statement about numbers. The
//! test decides for the means, and says besides whether the 95 % intervals leave room for another
//! verdict ([`Judgement::firm`]). A claim is allowed to fail.

mod difference;
mod extreme;
mod gain;
mod grows;
mod keeps;
mod order;
mod places;
mod spread;
mod table;
mod value;
mod verdicts;

use std::fmt;
use std::iter::once;

use serde::{Deserialize, Serialize};

pub use difference::Difference;
pub use extreme::Extreme;
pub use gain::Gain;
pub use grows::Grows;
pub use keeps::Keeps;
pub use order::Order;
pub use spread::Spread;
pub use table::Table;
pub use value::{Bound, Value};
pub use verdicts::{Change, Settings, Verdicts};

/// A statement of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name within the experiment.
    pub id: String,
    /// What the paper says, in our words and with its numbers.
    pub text: String,
    /// Where it says so.
    pub source: String,
    /// The measure that it is about; without one, the experiment's first.
    #[serde(default)]
    pub measure: Option<String>,
    /// The statement about numbers.
    pub test: Test,
}

/// How a claim is judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// One curve is so many percent above another one.
    Gain(Gain),
    /// One curve is by so much above another one.
    Difference(Difference),
    /// All curves are almost equal.
    Spread(Spread),
    /// One curve is above all others.
    Highest(Extreme),
    /// One curve is below all others.
    Lowest(Extreme),
    /// Curves follow each other.
    Order(Order),
    /// A number is the one that is printed.
    Value(Value),
    /// Numbers are within bounds.
    Bound(Bound),
    /// A curve's advantage over the others grows along x.
    Grows(Grows),
    /// A curve keeps in all places what it has in one.
    Keeps(Keeps),
    /// It speaks of what no run can show.
    Untestable {
        /// Why.
        reason: String,
    },
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is reproduced.
    Holds,
    /// Its direction is, its number or its extent is not.
    Partly,
    /// It is not reproduced.
    Fails,
    /// Nothing here can tell.
    Untestable,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Holds, Self::Partly, Self::Fails, Self::Untestable];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Partly => "partly",
            Self::Fails => "fails",
            Self::Untestable => "untestable",
        })
    }
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The verdict on the means.
    pub verdict: Verdict,
    /// The 95 % intervals leave room for no other verdict.
    pub firm: bool,
    /// What the paper says, as a number or a relation.
    pub paper: String,
    /// What was found, in the same form.
    pub here: String,
    /// How the verdict follows, in a sentence.
    pub evidence: String,
}

impl Judgement {
    fn untestable(reason: &str) -> Self {
        Self {
            verdict: Verdict::Untestable,
            firm: true,
            paper: "-".to_owned(),
            here: "-".to_owned(),
            evidence: reason.to_owned(),
        }
    }
}

impl Test {
    /// Judges measured values.
    pub fn judge(&self, table: &Table<'_>) -> Judgement {
        let judged = match self {
            Self::Gain(test) => test.judge(table),
            Self::Difference(test) => test.judge(table),
            Self::Spread(test) => test.judge(table),
            Self::Highest(test) => test.judge(table, true),
            Self::Lowest(test) => test.judge(table, false),
            Self::Order(test) => test.judge(table),
            Self::Value(test) => test.judge(table),
            Self::Bound(test) => test.judge(table),
            Self::Grows(test) => test.judge(table),
            Self::Keeps(test) => test.judge(table),
            Self::Untestable { reason } => return Judgement::untestable(reason),
        };
        let (_, at) = self.names();
        judged.unwrap_or_else(|| {
            Judgement::untestable(if table.places(at).is_empty() {
                "none of its places is among those of this run"
            } else {
                "a curve has no number in one of its places, or 0 where a ratio is wanted"
            })
        })
    }

    /// It compares with all curves, not only with those that it names.
    pub fn is_about_all(&self) -> bool {
        match self {
            Self::Spread(_) | Self::Highest(_) | Self::Lowest(_) => true,
            Self::Grows(test) => test.over.is_empty(),
            Self::Bound(test) => test.series.is_empty(),
            _ => false,
        }
    }

    /// What is wrong with it, if anything is.
    pub(crate) fn mistake(&self) -> Option<&'static str> {
        let (_, at) = self.names();
        let rising = at.windows(2).all(|pair| pair[0] < pair[1]);
        match self {
            Self::Untestable { .. } => None,
            _ if !rising => Some("its places are not in order"),
            Self::Grows(_) if at.len() == 1 => Some("growth wants two places"),
            Self::Grows(test) if test.over.contains(&test.series) => {
                Some("a curve gains nothing over itself")
            }
            Self::Keeps(keeps) if keeps.at.contains(&keeps.of) => {
                Some("a place is not compared with itself")
            }
            Self::Gain(gain) if gain.of == gain.over => Some("a curve exceeds no part of itself"),
            Self::Difference(test) if test.of == test.over => Some("a curve is not above itself"),
            Self::Difference(test) if !(test.least > 0.0 && test.least.is_finite()) => {
                Some("`least` is above 0")
            }
            Self::Gain(gain) if !gain.paper.is_normal() => Some("the paper's number is none"),
            _ => None,
        }
    }

    /// The curves and the places that it names.
    pub fn names(&self) -> (Vec<&str>, &[f64]) {
        match self {
            Self::Gain(test) => (vec![&test.of, &test.over], std::slice::from_ref(&test.at)),
            Self::Difference(test) => (vec![&test.of, &test.over], std::slice::from_ref(&test.at)),
            Self::Spread(test) => (Vec::new(), &test.at),
            Self::Highest(test) | Self::Lowest(test) => (vec![&test.series], &test.at),
            Self::Value(test) => (vec![&test.series], std::slice::from_ref(&test.at)),
            Self::Order(test) => (test.series.iter().map(String::as_str).collect(), &test.at),
            Self::Bound(test) => (test.series.iter().map(String::as_str).collect(), &test.at),
            Self::Grows(test) => {
                let over = test.over.iter().map(String::as_str);
                (once(test.series.as_str()).chain(over).collect(), &test.at)
            }
            Self::Keeps(test) => (vec![&test.series], &test.at),
            Self::Untestable { .. } => (Vec::new(), &[]),
        }
    }
}
