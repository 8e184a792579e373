//! Whether routers add to packets how long they wait (the AQT option of RoVegas), as a key of a link.

use dumbbell_sim::Kinds;

use super::key::{At, LinkKey, Usual};
use crate::document::Node;
use crate::form::{Form, value};

/// The key `aqt` of a link.
pub(super) struct AqtKey;

impl LinkKey for AqtKey {
    type Value = bool;

    const NAME: &'static str = "aqt";
    const AT_ROUTER: bool = true;
    const NEEDED: Option<&'static str> = None;

    fn read(node: &Node<'_>) -> Option<bool> {
        node.flag()
    }

    fn stand_in() -> bool {
        false
    }

    fn forward(set: Option<bool>, usual: &Usual) -> Option<bool> {
        Some(set.unwrap_or(usual.aqt[0]))
    }

    fn reverse(set: Option<bool>, first: Option<&bool>, _: &bool, usual: &Usual) -> bool {
        set.or(first.copied()).unwrap_or(usual.aqt[1])
    }

    fn write(aqt: &bool) -> String {
        aqt.to_string()
    }

    fn form(at: At) -> Form {
        let aqt = value::flag();
        match at {
            At::Link | At::GraphLink => aqt
                .means("whether the routers at both ends add queueing times to packets")
                .otherwise("as `aqt` of the topology says"),
            At::Reverse | At::AccessReverse => aqt
                .means("whether the router at the other end adds queueing times to packets")
                .otherwise("as the first direction"),
            At::Access | At::AccessEnd => aqt
                .means("whether a router adds queueing times to packets for a host")
                .otherwise("as `aqt` of the topology says"),
        }
    }

    fn hand_over(aqt: &bool, _: Kinds, link: &mut dumbbell_sim::Link) {
        link.stamps = *aqt;
    }
}
