//! Keys of a link that are the probability of something that happens to packets in flight.

use dumbbell_sim::Kinds;

use super::key::{At, LinkKey, Usual};
use super::part::flight;
use crate::document::Node;
use crate::form::{Form, value};
use crate::text;

/// The key `duplicate` of a link.
pub(super) struct DuplicateKey;

/// The key `corrupt` of a link.
pub(super) struct CorruptKey;

macro_rules! chance {
    ($key:ident, $name:ident, $meaning:literal) => {
        impl LinkKey for $key {
            type Value = f64;

            const NAME: &'static str = stringify!($name);
            const AT_ROUTER: bool = false;
            const NEEDED: Option<&'static str> = None;

            fn read(node: &Node<'_>) -> Option<f64> {
                node.probability()
            }

            fn stand_in() -> f64 {
                0.0
            }

            fn forward(set: Option<f64>, _: &Usual) -> Option<f64> {
                Some(set.unwrap_or(0.0))
            }

            fn reverse(set: Option<f64>, _: Option<&f64>, _: &f64, _: &Usual) -> f64 {
                set.unwrap_or(0.0)
            }

            fn is_written(chance: &f64) -> bool {
                *chance > 0.0
            }

            fn write(chance: &f64) -> String {
                text::real(*chance)
            }

            fn form(_: At) -> Form {
                value::probability().means($meaning).usually(0)
            }

            fn hand_over(chance: &f64, _: Kinds, link: &mut dumbbell_sim::Link) {
                if *chance > 0.0 {
                    flight(link).$name = *chance;
                }
            }
        }
    };
}

chance!(
    DuplicateKey,
    duplicate,
    "probability that a packet arrives twice"
);
chance!(
    CorruptKey,
    corrupt,
    "probability that a packet is damaged: its receiver discards it"
);
