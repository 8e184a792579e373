//! The rate of a link: constant, or as recorded in a trace.

use serde_json::{Value, json};

use super::key::{At, LinkKey, Usual};
use crate::document::{Node, Table};
use crate::form::value::{array, rate, table, whole};
use crate::form::{Form, range, rule};
use crate::opportunities::{Opportunities, Unsuitable};
use crate::quantity::BitRate;
use crate::text::{self, quote};

/// When a link sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Always at the same rate, 1 b/s to 10 Tb/s.
    Constant(BitRate),
    /// Only at recorded delivery opportunities.
    Recorded(Opportunities),
}

impl Rate {
    /// Returns the constant rate, or the mean rate of the recorded opportunities.
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Recorded(all) => BitRate(all.mean_rate()),
        }
    }
}

impl From<BitRate> for Rate {
    fn from(rate: BitRate) -> Self {
        Self::Constant(rate)
    }
}

const EXAMPLE: &str = "{ opportunities = [6, 12, 18] }";
/// The keys of a rate given as a table, of which exactly one is set.
const KEYS: [&str; 2] = [TIMES, TRACE];
const TIMES: &str = "opportunities";
const TRACE: &str = "trace";

/// The key `rate` of a link.
pub(super) struct RateKey;

impl LinkKey for RateKey {
    type Value = Rate;

    const NAME: &'static str = "rate";
    const AT_ROUTER: bool = false;
    const NEEDED: Option<&'static str> = Some("rate = \"2 Mb/s\"");

    fn read(node: &Node<'_>) -> Option<Rate> {
        read(node)
    }

    fn stand_in() -> Rate {
        Rate::Constant(BitRate(1))
    }

    fn forward(set: Option<Rate>, _: &Usual) -> Option<Rate> {
        set
    }

    fn reverse(set: Option<Rate>, _: Option<&Rate>, forward: &Rate, _: &Usual) -> Rate {
        set.unwrap_or_else(|| forward.clone())
    }

    fn write(rate: &Rate) -> String {
        match rate {
            Rate::Constant(rate) => quote(&rate.to_string()),
            Rate::Recorded(all) => {
                let times: Vec<String> = all.milliseconds().map(|at| at.to_string()).collect();
                text::table(&[(TIMES, format!("[{}]", times.join(", ")))])
            }
        }
    }

    fn form(at: At) -> Form {
        match at {
            At::Link | At::GraphLink => form("rate of each direction").needed().such_as([
                json!("2 Mb/s"),
                json!("1 Gb/s"),
                times(),
            ]),
            At::Reverse => form("rate of the other direction")
                .otherwise("as the first direction's")
                .such_as([json!("1 Mb/s")]),
            At::Access | At::AccessEnd => form(&format!("rate of {}", at.which()))
                .needed_or("must be set here or in each flow")
                .such_as([json!("10 Mb/s")]),
            At::AccessReverse => form("rate in the direction opposite to the data")
                .otherwise("as forward")
                .such_as([json!("1 Mb/s")]),
        }
    }

    fn hand_over(rate: &Rate, _: dumbbell_sim::Kinds, link: &mut dumbbell_sim::Link) {
        link.rate = rate.mean().0;
        link.opportunities = match rate {
            Rate::Constant(_) => None,
            Rate::Recorded(all) => Some(all.schedule().clone()),
        };
    }
}

/// Reads the rate of a link: a quantity, or a table.
fn read(node: &Node<'_>) -> Option<Rate> {
    if !node.is_table() {
        return node.rate().map(Rate::Constant);
    }
    let table = node.table(&KEYS, &[], EXAMPLE)?;
    let recorded = match (table.find(TIMES), table.find(TRACE)) {
        (None, Some(trace)) => read_trace(&trace),
        (Some(times), None) => read_times(&times),
        (Some(_), Some(_)) => {
            table.wrong(
                format!("`{}` has both `trace` and `opportunities`", node.name()),
                "keep the file, or the times",
            );
            None
        }
        (None, None) => {
            name_one(&table, node.name());
            None
        }
    };
    recorded.map(Rate::Recorded)
}

/// Records that a table sets none of its keys, unless a misspelling has been recorded.
fn name_one(table: &Table<'_>, name: &str) {
    if table.misspells(&KEYS) {
        return;
    }
    table.wrong(
        format!("`{name}` names neither `trace` nor `opportunities`"),
        format!("write for example rate = {EXAMPLE}, or rate = {{ trace = \"cell.up\" }}"),
    );
}

fn read_trace(node: &Node<'_>) -> Option<Opportunities> {
    let name = node.text("\"cell.up\"")?;
    match node.traces().load(name) {
        Ok(all) => Some(all),
        Err(wrong) => {
            node.wrong(wrong.message, wrong.help);
            None
        }
    }
}

fn read_times(node: &Node<'_>) -> Option<Opportunities> {
    let elements = node.array("[6, 12, 18]")?;
    // All are read, so that the mistakes in each are recorded.
    let times: Vec<Option<u64>> = elements
        .iter()
        .take(Opportunities::MOST + 1)
        .map(|element| element.whole(0..=Opportunities::LONGEST))
        .collect();
    let times: Vec<u64> = times.into_iter().collect::<Option<_>>()?;
    match Opportunities::new(&times) {
        Ok(all) => Some(all),
        Err(wrong) => {
            let place = match wrong {
                Unsuitable::Backwards { index } | Unsuitable::TooLate { index } => &elements[index],
                Unsuitable::Empty | Unsuitable::TooMany | Unsuitable::NoPeriod => node,
            };
            place.wrong(format!("`{}`: {wrong}", node.name()), wrong.help());
            None
        }
    }
}

fn form(meaning: &str) -> Form {
    let times = 0..=Opportunities::LONGEST;
    let most = range::number(Opportunities::MOST as u64);
    let each = range::of_numbers(&times);
    let opportunities = array(&whole(times), 1..=Opportunities::MOST)
        .means("the times at which the link may deliver 1500 bytes, in milliseconds; the schedule restarts at the last time")
        .ranging(format!("1 to {most} whole numbers in non-decreasing order, each {each}"))
        .needed_or("this or `trace` must be set")
        .such_as([json!([6, 12, 18])]);
    let trace = Form::new(
        "string",
        "the name of a file, relative to the scenario's folder",
    )
    .rule("minLength", 1)
    .means("the same times from a packet-delivery trace of Mahimahi, with one time per line")
    .needed_or("this or `opportunities` must be set");
    table(&[(TIMES, opportunities), (TRACE, trace)])
        .rule("if", rule::is_table())
        .rule("then", rule::one_of(&KEYS))
        .or(rate())
        .means(meaning)
        .ranging(format!(
            "{}, or a table with `opportunities` or `trace`",
            rate().range()
        ))
}

/// An example of opportunities.
fn times() -> Value {
    json!({ "opportunities": [6, 12, 18] })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1500 bytes every 6 ms are 2 Mb/s.
    #[test]
    fn the_mean_rate_of_opportunities() {
        let all = Opportunities::new(&[6]).unwrap();
        assert_eq!(Rate::Recorded(all).mean(), BitRate(2_000_000));
        assert_eq!(Rate::from(BitRate(5)).mean(), BitRate(5));
    }
}
