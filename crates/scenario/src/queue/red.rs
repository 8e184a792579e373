//! Random early detection (Floyd and Jacobson 1993).

use std::ops::RangeInclusive;

use dumbbell_control::units::Bytes;
use serde_json::json;

use super::Discipline;
use super::droptail;
use super::limit::LIMIT;
use crate::document::{Misplaced, Node, Table};
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Amount, Chance, Flag, Real, Shape, Whole};
use crate::limits::LARGEST_WIRE;
use crate::sort::Sort;
use crate::text;

/// The permitted mean packet sizes, in bytes.
const MEAN_PACKET: RangeInclusive<u64> = 1..=LARGEST_WIRE;
const EXAMPLE: &str = "{ limit = 60, min = 5, max = 15 }";
/// Words that a user may try as keys.
const MISPLACED: [Misplaced; 3] = [
    ("max_p", "the probability near `max` is called `pmax`"),
    (
        "w",
        "the weight of a new sample in the average is called `weight`",
    ),
    (droptail::KEY, LENGTH),
];
const LENGTH: &str = "the length of a RED queue is its `limit`";

/// An average number of packets.
const fn average(example: &'static str) -> Real {
    Real {
        range: 0.0..=1e7,
        what: "an average number of packets, from 0 to 10,000,000",
        words: "an average number of packets, 0 to 10,000,000",
        example,
    }
}

const WEIGHT: Real = Real {
    range: 1e-9..=1.0,
    what: "a plain number above 0 (1e-9) and up to 1",
    words: "above 0 (1e-9) and up to 1",
    example: "0.002",
};

record! {
    /// Random early detection (Floyd and Jacobson 1993).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Red {
        /// The largest number of packets in the system, including the one in transmission.
        limit: u32 = Whole(LIMIT).needed(droptail::LIMIT_EXAMPLE, |form| form
            .means("the largest number of packets in the system, including the one in transmission")
            .such_as([json!(60)])),
        /// Packets are dropped or marked while at least this many packets wait on average.
        min: f64 = average("5").usually(5.0, |form| form
            .means("packets are dropped or marked while the average number of waiting packets is at least this")),
        /// All packets are dropped while at least this many packets wait on average.
        max: f64 = average("15").usually(15.0, |form| form
            .means("all packets are dropped while the average number of waiting packets is at least this; above `min`")),
        /// Weight of a new sample in the average.
        weight: f64 = WEIGHT.usually(0.002, |form| form
            .means("weight of a new sample in the average")),
        /// Probability of a drop or mark as the average approaches `max`.
        pmax: f64 = Chance.usually(0.1, |form| form
            .means("probability of a drop or mark as the average approaches `max`")),
        /// If true, the probability rises from `pmax` to 1 between `max` and twice `max`.
        gentle: bool = Flag.usually(false, |form| form
            .means("whether the probability rises from `pmax` to 1 between `max` and twice `max`")),
        /// If true, packets of an ECN-capable transport are marked instead of dropped early.
        ecn: bool = Flag.usually(false, |form| form
            .means("whether packets of an ECN-capable transport are marked instead of dropped early")),
        /// Mean packet size, used to age the average while the link is idle.
        mean_packet: Bytes = Amount(MEAN_PACKET).usually(Bytes(500), |form| form
            .means("mean packet size, used to age the average while the link is idle")),
    }
    check(min, max) = in_order;
}

/// Rejects thresholds unless the upper one is above the lower one.
fn in_order(table: &Table<'_>, min: f64, max: f64) -> Option<()> {
    if min < max {
        return Some(());
    }
    let place = table.find("max").or_else(|| table.find("min"))?;
    place.wrong(
        format!("`max` is {max:?}, and `min` is {min:?}"),
        "`max` must be above `min`: packets are dropped or marked between the two",
    );
    None
}

impl Sort for Red {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::Queue;

    const KEY: &'static str = "red";
    const ENTRY: (&'static str, &'static str) = (
        "red = { .. }",
        "random early detection: drops or marks packets before the queue is full",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &MISPLACED, EXAMPLE)?)
    }

    fn write(red: &Self) -> String {
        text::table(&Record::write(red))
    }

    fn form() -> Form {
        value::table(&Self::forms())
            .means("random early detection: packets are dropped or marked before the queue is full")
            .otherwise("none")
    }

    fn simulated(red: &Self, (): ()) -> dumbbell_sim::Queue {
        let Self {
            limit,
            min,
            max,
            weight,
            pmax,
            gentle,
            ecn,
            mean_packet,
        } = *red;
        dumbbell_sim::Queue::Red(dumbbell_sim::Red {
            min,
            max,
            weight,
            pmax,
            gentle,
            ecn,
            limit,
            mean_size: mean_packet.0 as u16,
        })
    }
}

impl Discipline for Red {
    const BESIDE_ANOTHER: &'static str = "keep one; the length of a RED queue is its `limit`";

    fn limit(red: &Self) -> Option<u32> {
        Some(red.limit)
    }

    fn marks(red: &Self) -> bool {
        red.ecn
    }
}
