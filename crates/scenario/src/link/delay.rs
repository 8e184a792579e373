//! The propagation delay of a link: constant, or over time.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_sim::{Flight, Kinds, Steps};
use serde_json::json;

use super::key::{At, LinkKey, Usual};
use crate::document::Node;
use crate::form::{Form, value};
use crate::steps;
use crate::text;

/// The permitted propagation delays.
const DELAY: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

/// The propagation delay of a link, up to an hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Always the same.
    Constant(Duration),
    /// A packet has the delay of the moment of its departure.
    Steps {
        /// The delays over time, in nanoseconds.
        steps: Steps,
        /// Whether a packet that would overtake another arrives together with it instead.
        keep_order: bool,
    },
}

impl Delay {
    /// Returns the constant delay; of steps the mean of a period or, if there is no period, the first delay.
    pub fn mean(&self) -> Duration {
        match self {
            Self::Constant(delay) => *delay,
            Self::Steps { steps, .. } => Duration::from_nanos(steps.mean()),
        }
    }
}

impl From<Duration> for Delay {
    fn from(delay: Duration) -> Self {
        Self::Constant(delay)
    }
}

const KEYS: [&str; 3] = [steps::STEPS, steps::EVERY, KEEP_ORDER];
const KEEP_ORDER: &str = "keep_order";
const EXAMPLE: &str = "{ steps = [[\"0 s\", \"20 ms\"], [\"15 s\", \"45 ms\"]], every = \"30 s\" }";
const STEPS_EXAMPLE: &str = "steps = [[\"0 s\", \"20 ms\"], [\"15 s\", \"45 ms\"]]";

/// The key `delay` of a link.
pub(super) struct DelayKey;

impl LinkKey for DelayKey {
    type Value = Delay;

    const NAME: &'static str = "delay";
    const AT_ROUTER: bool = false;
    const NEEDED: Option<&'static str> = Some("delay = \"10 ms\"");

    fn read(node: &Node<'_>) -> Option<Delay> {
        if !node.is_table() {
            return node.time(DELAY).map(Delay::Constant);
        }
        let table = node.table(&KEYS, &[], EXAMPLE)?;
        let steps = steps::read(&table, STEPS_EXAMPLE, |value| {
            value.time(DELAY).map(Duration::as_nanos)
        });
        let keep_order = table
            .find(KEEP_ORDER)
            .map_or(Some(true), |node| node.flag());
        Some(Delay::Steps {
            steps: steps?,
            keep_order: keep_order?,
        })
    }

    fn stand_in() -> Delay {
        Delay::Constant(Duration::ZERO)
    }

    fn forward(set: Option<Delay>, _: &Usual) -> Option<Delay> {
        set
    }

    fn reverse(set: Option<Delay>, _: Option<&Delay>, forward: &Delay, _: &Usual) -> Delay {
        set.unwrap_or_else(|| forward.clone())
    }

    fn write(delay: &Delay) -> String {
        match delay {
            Delay::Constant(delay) => text::time(*delay),
            Delay::Steps { steps, keep_order } => {
                let mut keys = steps::write(steps, |ns| text::time(Duration::from_nanos(ns)));
                keys.push((KEEP_ORDER, keep_order.to_string()));
                text::table(&keys)
            }
        }
    }

    fn form(at: At) -> Form {
        let of = |whose: &str| form().means(format!("propagation delay {whose}"));
        match at {
            At::Link | At::GraphLink => of("of each direction").needed().such_as([json!("10 ms")]),
            At::Reverse => of("of the other direction")
                .otherwise("as the first direction's")
                .such_as([json!("10 ms")]),
            At::Access | At::AccessEnd => of(&format!("of {}", at.which()))
                .needed_or("must be set here or in each flow")
                .such_as([json!("1 ms")]),
            At::AccessReverse => of("in the direction opposite to the data")
                .otherwise("as forward")
                .such_as([json!("10 ms")]),
        }
    }

    fn hand_over(delay: &Delay, _: Kinds, link: &mut dumbbell_sim::Link) {
        link.delay = crate::simulated::time(delay.mean());
        if let Delay::Steps { steps, keep_order } = delay {
            let mut flight = Flight::new(steps.clone());
            flight.keep_order = *keep_order;
            link.flight = Some(Box::new(flight));
        }
    }
}

fn form() -> Form {
    let delay = value::time(DELAY);
    let [steps, every] = steps::forms(
        &delay,
        "delays",
        json!([["0 s", "20 ms"], ["15 s", "45 ms"]]),
    );
    let keep_order = value::flag()
        .means("whether a packet that would overtake another arrives together with it instead")
        .usually(true);
    let steps = (steps.0, steps.1.needed());
    value::table(&[steps, every, (KEEP_ORDER, keep_order)])
        .or(delay.clone())
        .ranging(format!("{}, or a table with `steps`", delay.range()))
}
