//! The rate of a link: constant, over time, as recorded in a trace, or in regular grants.

use dumbbell_control::units::Duration;
use dumbbell_sim::{InService, Steps, VaryingRate};
use serde_json::{Value, json};

use super::key::{At, LinkKey, Usual};
use super::part::transmission;
use super::slots::{self, Slots};
use crate::document::{Node, Table};
use crate::form::value::{array, rate, rate_or_outage, table, whole};
use crate::form::{Form, range, rule};
use crate::key::record::Record;
use crate::key::{Shape, Word};
use crate::opportunities::{Opportunities, Unsuitable};
use crate::quantity::BitRate;
use crate::steps;
use crate::text::{self, quote};

/// When a link sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Always at the same rate, 1 b/s to 10 Tb/s.
    Constant(BitRate),
    /// Only at recorded delivery opportunities.
    Recorded(Opportunities),
    /// At a rate that changes.
    Steps {
        /// The rates over time, in bits per second; 0 is an outage.
        steps: Steps,
        /// What happens to the packet in transmission when the rate changes.
        in_service: InService,
    },
    /// Only at regular moments.
    Slots(Slots),
}

impl Rate {
    /// Returns the constant rate, or the mean rate of the opportunities, slots or steps; of steps that do not start
    /// over, the first rate that is not zero.
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Recorded(all) => BitRate(all.mean_rate()),
            Self::Steps { steps, .. } => {
                let positive = steps.steps().map(|(_, rate)| rate).find(|rate| *rate > 0);
                let mean = steps.period().map(|_| steps.mean());
                BitRate(mean.or(positive).unwrap_or(1).max(1))
            }
            Self::Slots(slots) => BitRate(slots.simulated().mean_rate()),
        }
    }
}

impl From<BitRate> for Rate {
    fn from(rate: BitRate) -> Self {
        Self::Constant(rate)
    }
}

const EXAMPLE: &str = "{ opportunities = [6, 12, 18] }";
/// The keys of a rate given as a table, of which exactly one is set, and all keys.
const SORTS: [&str; 4] = [TIMES, TRACE, steps::STEPS, SLOTS];
const KEYS: [&str; 6] = [TIMES, TRACE, steps::STEPS, steps::EVERY, IN_SERVICE, SLOTS];
const SLOTS: &str = "slots";
const IN_SERVICE: &str = "in_service";
const STEPS_EXAMPLE: &str = "steps = [[\"0 s\", \"10 Mb/s\"], [\"20 s\", \"2 Mb/s\"]]";
const TIMES: &str = "opportunities";
const TRACE: &str = "trace";

/// What happens to the packet in transmission when the rate changes.
const WHEN_IT_CHANGES: Word<InService> = Word {
    words: &[
        ("adapts", InService::Adapts),
        ("finishes", InService::Finishes),
    ],
    explain: |rule| match rule {
        InService::Adapts => "its rest is transmitted at the new rate, and waits in an outage",
        InService::Finishes => "it is transmitted at the old rate, even into an outage",
    },
};

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
            Rate::Steps { steps, in_service } => {
                let mut keys = steps::write(steps, |rate| quote(&BitRate(rate).to_string()));
                keys.push((IN_SERVICE, WHEN_IT_CHANGES.write(in_service)));
                text::table(&keys)
            }
            Rate::Slots(slots) => text::table(&[(SLOTS, text::table(&slots.write()))]),
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
            Rate::Constant(_) | Rate::Steps { .. } => None,
            Rate::Recorded(all) => Some(all.schedule().clone()),
            Rate::Slots(slots) => Some(slots.simulated()),
        };
        match rate {
            Rate::Steps { steps, in_service } => {
                transmission(link).rate = Some(VaryingRate {
                    steps: steps.clone(),
                    in_service: *in_service,
                });
            }
            Rate::Slots(slots) if slots.request > Duration::ZERO => {
                transmission(link).request = crate::simulated::time(slots.request);
            }
            _ => {}
        }
    }
}

/// Reads the rate of a link: a quantity, or a table.
fn read(node: &Node<'_>) -> Option<Rate> {
    if !node.is_table() {
        return node.rate().map(Rate::Constant);
    }
    let table = node.table(&KEYS, &[], EXAMPLE)?;
    let [key] = table.present(&SORTS)[..] else {
        name_one(&table, node.name());
        return None;
    };
    if key != steps::STEPS {
        for beside in [steps::EVERY, IN_SERVICE] {
            if let Some(beside) = table.find(beside) {
                let message = format!("`{}` is a key beside `steps`", beside.name());
                beside.wrong(
                    message,
                    format!("leave it out, or replace `{key}` by `steps`"),
                );
            }
        }
    }
    let value = table.find(key)?;
    match key {
        TRACE => read_trace(&value).map(Rate::Recorded),
        TIMES => read_times(&value).map(Rate::Recorded),
        SLOTS => Record::read(&value.table(Slots::KEYS, &[], slots::EXAMPLE)?).map(Rate::Slots),
        _ => read_steps(&table, &value),
    }
}

fn read_steps(table: &Table<'_>, node: &Node<'_>) -> Option<Rate> {
    let steps = steps::read(table, STEPS_EXAMPLE, |value| {
        value.rate_or_outage().map(|rate| rate.0)
    });
    let in_service = table
        .find(IN_SERVICE)
        .map_or(Some(InService::Adapts), |word| WHEN_IT_CHANGES.read(&word));
    let steps = steps?;
    if steps.bounds().1 == 0 {
        node.wrong(
            format!("`{}` is always 0", node.name()),
            "a rate of 0 is an outage; one of the steps must be above 0",
        );
        return None;
    }
    Some(Rate::Steps {
        steps,
        in_service: in_service?,
    })
}

/// Records that a table sets none of these keys, unless a misspelling has been recorded, or several.
fn name_one(table: &Table<'_>, name: &str) {
    if let [first, second, ..] = table.present(&SORTS)[..] {
        table.wrong(
            format!("`{name}` has both `{first}` and `{second}`"),
            "keep one of them",
        );
        return;
    }
    if table.misspells(&KEYS) {
        return;
    }
    table.wrong(
        format!("`{name}` names none of `opportunities`, `trace`, `steps` and `slots`"),
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
        .needed_or("this or another key must be set")
        .such_as([json!([6, 12, 18])]);
    let trace = Form::new(
        "string",
        "the name of a file, relative to the scenario's folder",
    )
    .rule("minLength", 1)
    .means("the same times from a packet-delivery trace of Mahimahi, with one time per line")
    .needed_or("this or another key must be set");
    let [steps, every] = steps::forms(
        &rate_or_outage(),
        "rates",
        json!([["0 s", "10 Mb/s"], ["20 s", "2 Mb/s"]]),
    );
    let steps = (
        steps.0,
        steps.1.needed_or("this or another key must be set"),
    );
    let in_service = WHEN_IT_CHANGES
        .form()
        .means("what happens to the packet in transmission when the rate changes")
        .otherwise("`\"adapts\"`");
    let slots = table(&Slots::forms())
        .means("grants at regular moments, as in a cell: the link sends only then")
        .needed_or("this or another key must be set");
    table(&[
        (TIMES, opportunities),
        (TRACE, trace),
        steps,
        every,
        (IN_SERVICE, in_service),
        (SLOTS, slots),
    ])
    .rule("if", rule::is_table())
    .rule("then", rule::one_of(&SORTS))
    .or(rate())
    .means(meaning)
    .ranging(format!(
        "{}, or a table with `opportunities`, `trace`, `steps` or `slots`",
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
