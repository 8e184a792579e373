//! Flows of media: packets at a rate that is controlled, of which none is sent again.

use std::ops::RangeInclusive;

use dumbbell_control::units::Bytes;

use super::control::{describe, range, setting};
use super::document::{Misplaced, Node, Table};
use super::quantity::clip;
use super::{relay, suggest};
use crate::rate_controls::{RateControl, Scheme};

/// A flow of media, which always has something to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// The rate control with its parameters.
    pub control: RateControl,
    /// What a data packet carries: the segment size of the equation, at least 1 byte.
    pub segment: Bytes,
    /// Headers of a data packet.
    pub overhead: Bytes,
    /// Bytes of a feedback packet on the wire, at least 1.
    pub feedback: Bytes,
}

/// The keys that only a flow of media has.
pub(super) const KEYS: [&str; 4] = ["rate_control", "segment", "overhead", "feedback"];
/// Keys of other flows that one may look for in a flow of media.
pub(super) const MISPLACED: [Misplaced; 7] = [
    (relay::KEY, relay::MISPLACED),
    (
        "payload",
        "a flow of media has `segment`, what a packet carries",
    ),
    (
        "header",
        "a flow of media has `overhead`, the headers of a packet",
    ),
    (
        "packet",
        "a flow of media has `segment` and `overhead`; `packet` belongs to a UDP flow",
    ),
    (
        "recovery",
        "a flow of media resends nothing; `recovery` belongs to a TCP flow",
    ),
    (
        "size",
        "a flow of media always has something to send; a finite transfer is a TCP flow",
    ),
    (
        "stop",
        "a flow of media sends to the end of the run; `stop` belongs to a UDP flow",
    ),
];
/// What `segment` may be, in bytes.
pub(super) const SEGMENT: RangeInclusive<u64> = 1..=60_000;
/// What `overhead` may be, in bytes.
pub(super) const OVERHEAD: RangeInclusive<u64> = 0..=5_000;
/// What `feedback` may be, in bytes.
pub(super) const FEEDBACK: RangeInclusive<u64> = 1..=60_000;
pub(super) const EXAMPLE: &str = "{ rate_control = \"tfrc\" }";

impl Media {
    /// Bytes of a data packet on the wire.
    pub fn wire_bytes(&self) -> u64 {
        self.segment.0 + self.overhead.0
    }
}

/// Reads the keys of a flow of media.
pub(super) fn read(table: &Table<'_>) -> Option<Media> {
    let control = table
        .need("rate_control", "rate_control = \"tfrc\"")
        .and_then(|n| read_control(&n));
    let size = |key, range, usual| {
        let found = table.find(key);
        found.map_or(Some(Bytes(usual)), |n| n.size(range))
    };
    let segment = size("segment", SEGMENT, 1000);
    let overhead = size("overhead", OVERHEAD, 40);
    let feedback = size("feedback", FEEDBACK, 40);
    Some(Media {
        control: control?,
        segment: segment?,
        overhead: overhead?,
        feedback: feedback?,
    })
}

/// A name, or a table with a name and parameters.
fn read_control(node: &Node<'_>) -> Option<RateControl> {
    if !node.is_table() {
        return named(node);
    }
    let table = node.open(&["name"], "{ name = \"tfrc-veno\", theta1 = 0.8 }")?;
    let name = table.need("name", "name = \"tfrc-veno\"")?;
    let mut control = named(&name.called("rate_control.name"))?;
    let parameters = control.parameters();
    for (span, key, value) in table.entries() {
        if key == "name" {
            continue;
        }
        let Some(parameter) = parameters.iter().find(|p| p.name == key) else {
            let message = format!("`{}` has no parameter `{}`", control.name(), clip(key));
            table.wrong_at(span, message, describe(&parameters, key));
            continue;
        };
        let Some(setting) = setting(&value, parameter.kind) else {
            continue;
        };
        if control.set(parameter.name, setting).is_err() {
            value.wrong(
                format!("`{key}` is out of range"),
                format!("it is {}", range(parameter.kind)),
            );
        }
    }
    if control.number("theta2") > control.number("theta1") {
        table.wrong(
            "`theta2` is above `theta1`",
            "a loss of congestion leaves no more of the window than a random one",
        );
    }
    Some(control)
}

fn named(node: &Node<'_>) -> Option<RateControl> {
    let name = node.text("\"tfrc\"")?;
    let found = RateControl::named(name);
    if found.is_none() {
        let names = Scheme::ALL.map(Scheme::name);
        node.wrong(
            format!("there is no rate control `{}`", clip(name)),
            suggest::help(name, "the rate controls are", &names),
        );
    }
    found
}
