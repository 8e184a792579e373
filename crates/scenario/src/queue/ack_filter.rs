//! ACK filtering (Balakrishnan, Padmanabhan and Katz 1997): a key beside `droptail`.

use std::ops::RangeInclusive;

use super::droptail;
use super::limit::LIMIT;
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
    "an arriving ACK removes older ACKs of its flow",
);
/// The permitted thresholds.
const THRESHOLD: RangeInclusive<u64> = 0..=*LIMIT.end();

/// A queue in which an arriving ACK removes older ACKs of its flow (Balakrishnan, Padmanabhan and Katz
/// 1997).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckFilter {
    /// The largest number of packets in the system, including the one in transmission.
    pub limit: u32,
    /// If true, an ACK takes the position of the oldest ACK that it removes, and ACKs with the same
    /// number are also removed.
    pub replace_head: bool,
    /// ACKs are removed only if more packets than this are waiting.
    pub threshold: u32,
}

record! {
    /// The value of the key: a filter without its queue.
    #[derive(Clone, Copy)]
    pub struct Filter {
        /// See [`AckFilter::replace_head`].
        replace_head: bool = Flag.usually(false, |form| form
            .means("whether an ACK takes the position of the oldest ACK that it removes, and also removes ACKs with the same number")),
        /// See [`AckFilter::threshold`].
        threshold: u32 = Whole(THRESHOLD).usually(0, |form| form
            .means("ACKs are removed only if more packets than this are waiting")),
    }
}

/// Reads whether there is a filter, and which one; returns `None` if the value is wrong.
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

/// Returns the value of the key as a schema.
pub(super) fn form() -> Form {
    value::table(&Filter::forms())
        .or(value::flag())
        .means("whether an arriving ACK removes the ACKs of its flow that it makes useless; only with `droptail`")
        .ranging("`true`, `false`, or a table")
        .usually(false)
}

impl Filter {
    /// Returns the filter in a queue with this limit.
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
    /// Returns the keys of `queue` as TOML.
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

    /// Returns the simulator's queue.
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
