//! How much a queue holds at most: packets, bytes, or what the link sends in a time.

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};
use dumbbell_sim::Time;

use crate::document::Node;
use crate::form::{Form, value};
use crate::key::Shape;
use crate::quantity;
use crate::text::{size, time};

/// How much a queue holds at most, the packet in transmission included. A packet that finds the link idle
/// is always admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many packets.
    Packets(u32),
    /// So many bytes.
    Bytes(Bytes),
    /// What the link sends in this time at its rate of the moment.
    Time(Duration),
}

/// The permitted numbers of packets.
pub(super) const LIMIT: RangeInclusive<u64> = 1..=10_000_000;
/// The permitted sizes, in bytes.
pub(super) const SIZES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// The permitted times.
pub(super) const TIMES: RangeInclusive<Duration> =
    Duration::from_nanos(1)..=Duration::from_secs(1_000);
/// The permitted limits in words.
pub(super) const RANGE: &str = "1 to 10,000,000 packets, a size up to 1 TB such as `\"64 kB\"`, or a time up to 1,000 s of the link's rate such as `\"50 ms\"`";

/// A limit as the value of a key.
pub(super) struct Room;

impl Shape for Room {
    type Value = Limit;

    fn read(&self, node: &Node<'_>) -> Option<Limit> {
        let quantity = |text: &&str| text.contains(|c: char| c.is_alphabetic());
        let Some(text) = node.as_text().filter(quantity) else {
            return node
                .whole(LIMIT)
                .map(|packets| Limit::Packets(packets as u32));
        };
        match quantity::time(text) {
            Ok(_) => node.time(TIMES).map(Limit::Time),
            Err(_) => node.size(SIZES).map(Limit::Bytes),
        }
    }

    fn write(&self, limit: &Limit) -> String {
        match *limit {
            Limit::Packets(packets) => packets.to_string(),
            Limit::Bytes(bytes) => size(bytes.0),
            Limit::Time(span) => time(span),
        }
    }

    fn form(&self) -> Form {
        value::whole(LIMIT)
            .or(value::size(SIZES))
            .or(value::time(TIMES))
            .ranging(RANGE)
    }
}

impl Limit {
    /// Returns the limit in packets, if it is in packets.
    pub(super) fn packets(self) -> Option<u32> {
        match self {
            Self::Packets(packets) => Some(packets),
            Self::Bytes(_) | Self::Time(_) => None,
        }
    }

    /// Returns the simulator's limit.
    pub(super) fn simulated(self) -> dumbbell_sim::Limit {
        match self {
            Self::Packets(packets) => dumbbell_sim::Limit::Packets(packets),
            Self::Bytes(bytes) => dumbbell_sim::Limit::Bytes(bytes.0),
            Self::Time(span) => dumbbell_sim::Limit::Time(Time::from_nanos(span.as_nanos())),
        }
    }

    /// Returns the queue that only has this limit.
    pub(super) fn plain(self) -> super::Queue {
        match self {
            Self::Packets(packets) => super::Queue::DropTail(packets),
            limit => super::Queue::Bounded(limit),
        }
    }
}
