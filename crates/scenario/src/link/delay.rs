//! The propagation delay of a link.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_sim::Kinds;
use serde_json::json;

use super::key::{At, LinkKey, Usual};
use crate::document::Node;
use crate::form::{Form, value};
use crate::text;

/// The permitted propagation delays.
const DELAY: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

/// The key `delay` of a link.
pub(super) struct DelayKey;

impl LinkKey for DelayKey {
    type Value = Duration;

    const NAME: &'static str = "delay";
    const AT_ROUTER: bool = false;
    const NEEDED: Option<&'static str> = Some("delay = \"10 ms\"");

    fn read(node: &Node<'_>) -> Option<Duration> {
        node.time(DELAY)
    }

    fn stand_in() -> Duration {
        Duration::ZERO
    }

    fn forward(set: Option<Duration>, _: &Usual) -> Option<Duration> {
        set
    }

    fn reverse(
        set: Option<Duration>,
        _: Option<&Duration>,
        forward: &Duration,
        _: &Usual,
    ) -> Duration {
        set.unwrap_or(*forward)
    }

    fn write(delay: &Duration) -> String {
        text::time(*delay)
    }

    fn form(at: At) -> Form {
        let of = |whose: &str| value::time(DELAY).means(format!("propagation delay {whose}"));
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

    fn hand_over(delay: &Duration, _: Kinds, link: &mut dumbbell_sim::Link) {
        link.delay = crate::simulated::time(*delay);
    }
}
