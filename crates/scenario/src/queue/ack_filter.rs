//! ACK filtering (Balakrishnan, Padmanabhan and Katz 1997): a key beside `droptail`.

use std::ops::RangeInclusive;

use super::droptail::{self, LIMIT};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Flag, Shape, Whole};
use crate::text::table;

/// The key in files.
pub(super) const KEY: &str = "ack_filter";
/// The entry of the catalogue.
pub(super) const ENTRY: (&str, &str) = (
    "droptail = N, ack_filter = true",
    "an ACK removes older ones of its flow",
);
/// How many packets may have to wait before ACKs are filtered.
const THRESHOLD: RangeInclusive<u64> = 0..=*LIMIT.end();

/// A queue in which an ACK removes older ones of its flow (Balakrishnan, Padmanabhan and Katz 1997).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckFilter {
    /// At most so many packets in the system, the one in transmission included.
    pub limit: u32,
    /// An ACK takes the place of the oldest one that it removes; those with the same number are
    /// removed, too.
    pub replace_head: bool,
    /// Nothing is removed unless more packets than this wait.
    pub threshold: u32,
}

record! {
    /// What the key says: a filter without its queue.
    #[derive(Clone, Copy)]
    pub struct Filter {
        /// See [`AckFilter::replace_head`].
        replace_head: bool = Flag.usually(false, |form| form
            .means("an ACK takes the place of the oldest that it removes, and removes those with its own number, too")),
        /// See [`AckFilter::threshold`].
        threshold: u32 = Whole(THRESHOLD).usually(0, |form| form
            .means("nothing is removed unless more packets than this wait")),
    }
}

/// Whether there is a filter, and which. Nothing if the value is wrong.
pub(super) fn read(node: &Node<'_>) -> Option<Option<Filter>> {
    if let Some(flag) = node.as_flag() {
        let usual = Filter {
            replace_head: false,
            threshold: 0,
        };
        return Some(flag.then_some(usual));
    }
    let table = node.table(Filter::KEYS, &[], "true, or { threshold = 10 }")?;
    Record::read(&table).map(Some)
}

/// The value of the key as a schema.
pub(super) fn form() -> Form {
    value::table(&Filter::forms())
        .or(value::flag())
        .means("ACKs that a later one of the flow makes useless are removed from the queue; with `droptail`")
        .ranging("`true`, `false`, or a table")
        .usually(false)
}

impl Filter {
    /// The filter in a queue of this length.
    pub(super) fn with(self, limit: u32) -> AckFilter {
        let Self {
            replace_head,
            threshold,
        } = self;
        AckFilter {
            limit,
            replace_head,
            threshold,
        }
    }
}

impl AckFilter {
    /// The keys of `queue` as TOML.
    pub(super) fn write(self) -> Vec<(&'static str, String)> {
        let Self {
            limit,
            replace_head,
            threshold,
        } = self;
        let filter = Filter {
            replace_head,
            threshold,
        };
        vec![
            (droptail::KEY, limit.to_string()),
            (KEY, table(&filter.write())),
        ]
    }

    /// The same for the simulator.
    pub(super) fn simulated(self) -> dumbbell_sim::Queue {
        let Self {
            limit,
            replace_head,
            threshold,
        } = self;
        dumbbell_sim::Queue::AckFilter(dumbbell_sim::AckFilter {
            limit,
            replace_head,
            threshold,
        })
    }
}
