//! Values that change at given times: `{ steps = [["0 s", ..], ["15 s", ..]], every = "30 s" }`.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_sim::{Steps, StepsError, Time};
use serde_json::{Value, json};

use crate::document::{Node, Table};
use crate::form::range::number;
use crate::form::{Form, value};
use crate::limits::{LONGEST_RUN, MOMENT};
use crate::simulated;
use crate::text;

/// The key of the steps.
pub(crate) const STEPS: &str = "steps";
/// The key of the time after which they start over.
pub(crate) const EVERY: &str = "every";
/// The largest number of steps.
const MOST: usize = 100_000;
/// The permitted periods.
const PERIOD: RangeInclusive<Duration> = Duration::from_micros(1)..=LONGEST_RUN;

/// Reads the steps in a table whose values `each` reads; `example` is an example of the steps.
pub(crate) fn read(
    table: &Table<'_>,
    example: &'static str,
    each: impl Fn(&Node<'_>) -> Option<u64>,
) -> Option<Steps> {
    let every = table.find(EVERY);
    let period = every.as_ref().map(|node| node.time(PERIOD));
    let node = table.need(STEPS, example)?;
    let elements = node.array(example)?;
    if elements.len() > MOST {
        let most = format!("there are at most {}", number(MOST as u64));
        node.wrong(format!("`{}` has too many steps", node.name()), most);
        return None;
    }
    // All are read, so that the mistakes in each are recorded.
    let steps: Vec<_> = elements
        .iter()
        .map(|step| read_step(step, example, &each))
        .collect();
    let steps: Vec<(Time, u64)> = steps.into_iter().collect::<Option<_>>()?;
    let period = match period {
        Some(period) => Some(simulated::time(period?)),
        None => None,
    };
    let wrong = match Steps::new(steps, period) {
        Ok(steps) => return Some(steps),
        Err(wrong) => wrong,
    };
    let (place, help) = match wrong {
        StepsError::LateStart => (&elements[0], "the first step is at \"0 s\""),
        StepsError::Backwards { index } => (
            &elements[index],
            "each step is later than the one before it",
        ),
        StepsError::ShortPeriod => (
            every.as_ref().unwrap_or(&node),
            "`every` is longer than the time of the last step",
        ),
        // The times are in range.
        StepsError::Empty | StepsError::TooLong => (&node, "give at least one step"),
    };
    place.wrong(format!("`{}`: {wrong}", node.name()), help);
    None
}

fn read_step(
    step: &Node<'_>,
    example: &'static str,
    each: impl Fn(&Node<'_>) -> Option<u64>,
) -> Option<(Time, u64)> {
    let pair = step.array(example)?;
    let [at, value] = &pair[..] else {
        step.wrong(
            format!("a step of `{}` is a time and a value", step.name()),
            format!("write for example {example}"),
        );
        return None;
    };
    let (at, value) = (at.time(MOMENT), each(value));
    Some((simulated::time(at?), value?))
}

/// Returns the keys as TOML, with the values that `each` writes.
pub(crate) fn write(steps: &Steps, each: impl Fn(u64) -> String) -> Vec<(&'static str, String)> {
    let time = |time: Time| text::time(Duration::from_nanos(time.as_nanos()));
    let pairs: Vec<String> = steps
        .steps()
        .map(|(at, value)| format!("[{}, {}]", time(at), each(value)))
        .collect();
    let mut keys = vec![(STEPS, format!("[{}]", pairs.join(", ")))];
    keys.extend(steps.period().map(|period| (EVERY, time(period))));
    keys
}

/// Returns the keys as schemas, with values of this form; `what` is what they are, in the plural.
pub(crate) fn forms(each: &Form, what: &str, example: Value) -> [(&'static str, Form); 2] {
    let pair = Form::new("array", "")
        .rule(
            "items",
            json!([value::time(MOMENT).schema(), each.schema()]),
        )
        .rule("minItems", 2)
        .rule("maxItems", 2);
    let most = number(MOST as u64);
    let steps = value::array(&pair, 1..=MOST)
        .means(format!("{what} over time: each holds from its time on"))
        .ranging(format!(
            "1 to {most} pairs of a time and {}; the first time is 0, and each is later than the one before it",
            each.range()
        ))
        .such_as([example]);
    let every = value::time(PERIOD)
        .means("the time after which the steps start over, later than the last of them")
        .otherwise("never: the last step holds for ever");
    [(STEPS, steps), (EVERY, every)]
}
