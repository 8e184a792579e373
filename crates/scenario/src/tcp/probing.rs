//! How often a flow requests queueing times from routers (the AQT option of RoVegas).

use std::ops::RangeInclusive;

use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::document::Node;
use crate::form::{Form, range, value};
use crate::key::{Key, Shape};
use crate::text::quote;

/// The key `probe_every`.
pub(super) struct Every;

impl TcpKey for Every {
    type Shape = AnyNumber;

    /// The default is every segment for a control that requires queueing times.
    fn key() -> Key<AnyNumber> {
        AnyNumber.usually(None, |form| {
            form.means("the interval, in data segments, at which a segment and its ACK carry the AQT option (12 bytes each) and collect their queueing times; `1` for a control that needs it")
                .such_as([json!(1)])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.probe_every = tcp.probe_every.unwrap_or(0);
    }
}

/// A number of segments, or none.
pub(super) struct AnyNumber;

const EVERY: RangeInclusive<u64> = 1..=1_000_000;
const NONE: &str = "none";

impl Shape for AnyNumber {
    type Value = Option<u32>;

    fn read(&self, node: &Node<'_>) -> Option<Option<u32>> {
        match node.as_text() {
            Some(NONE) => Some(None),
            Some(_) => {
                node.wrong(
                    "`probe_every` is a number of segments or \"none\"",
                    "write for example probe_every = 1, for every segment",
                );
                None
            }
            None => node.whole(EVERY).map(|n| Some(n as u32)),
        }
    }

    fn write(&self, every: &Option<u32>) -> String {
        every.map_or(quote(NONE), |n| n.to_string())
    }

    fn form(&self) -> Form {
        let range = range::of_numbers(&EVERY);
        value::whole(EVERY)
            .or_word(NONE)
            .ranging(format!("segments, {range}, or `\"none\"`"))
    }
}
