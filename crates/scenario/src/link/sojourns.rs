//! Whether a link measures how long packets wait in its queue, as a key of a link.

use dumbbell_sim::Kinds;

use super::key::{At, LinkKey, Usual};
use crate::document::Node;
use crate::form::{Form, value};

/// The key `sojourns` of a link.
pub(super) struct SojournsKey;

impl LinkKey for SojournsKey {
    type Value = bool;

    const NAME: &'static str = "sojourns";
    const AT_ROUTER: bool = true;
    const NEEDED: Option<&'static str> = None;

    fn read(node: &Node<'_>) -> Option<bool> {
        node.flag()
    }

    fn stand_in() -> bool {
        false
    }

    fn forward(set: Option<bool>, _: &Usual) -> Option<bool> {
        Some(set.unwrap_or(false))
    }

    fn reverse(set: Option<bool>, first: Option<&bool>, _: &bool, _: &Usual) -> bool {
        set.or(first.copied()).unwrap_or(false)
    }

    fn write(sojourns: &bool) -> String {
        sojourns.to_string()
    }

    fn form(at: At) -> Form {
        let sojourns = value::flag()
            .means("whether the percentiles of the time that packets wait are measured, although the queue does not need to");
        match at {
            At::Reverse | At::AccessReverse => sojourns.otherwise("as the first direction"),
            At::Link | At::GraphLink | At::Access | At::AccessEnd => sojourns.usually(false),
        }
    }

    fn hand_over(sojourns: &bool, _: Kinds, link: &mut dumbbell_sim::Link) {
        link.sojourns = *sojourns;
    }
}
