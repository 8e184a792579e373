//! Queues: what waits in front of a link, and what is dropped, marked or removed.

use std::ops::RangeInclusive;

use dumbbell_control::units::Bytes;

use super::document::{Node, Table};

/// What waits in front of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Queue {
    /// Nothing is ever dropped.
    Unlimited,
    /// At most so many packets in the system, the one in transmission included.
    DropTail(u32),
    /// Packets are dropped or marked before it is full.
    Red(Red),
    /// ACKs that later ones make useless are removed.
    AckFilter(AckFilter),
}

/// Random early detection (Floyd and Jacobson 1993).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// At most so many packets in the system, the one in transmission included.
    pub limit: u32,
    /// Average number of waiting packets from which on packets are dropped or marked.
    pub min: f64,
    /// Average number of waiting packets from which on all are dropped.
    pub max: f64,
    /// Weight of a packet in the average.
    pub weight: f64,
    /// Probability of a drop or mark near `max`.
    pub pmax: f64,
    /// The probability rises from `pmax` to 1 between `max` and twice `max`.
    pub gentle: bool,
    /// Packets that can be marked are marked instead of dropped early.
    pub ecn: bool,
    /// Mean size of a packet, to age the average while the link is idle.
    pub mean_packet: Bytes,
}

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

/// The keys of `queue` as a table.
pub(super) const KEYS: [&str; 3] = ["droptail", "red", "ack_filter"];
/// The keys that name a discipline.
pub(super) const DISCIPLINES: [&str; 2] = ["droptail", "red"];
/// The keys of `red`.
pub(super) const RED_KEYS: [&str; 8] = [
    "limit",
    "min",
    "max",
    "weight",
    "pmax",
    "gentle",
    "ecn",
    "mean_packet",
];
/// The keys of `ack_filter` as a table.
pub(super) const FILTER_KEYS: [&str; 2] = ["replace_head", "threshold"];
/// How many packets a queue may hold.
pub(super) const LIMIT: RangeInclusive<u64> = 1..=10_000_000;
/// The mean size of a packet.
pub(super) const MEAN_PACKET: RangeInclusive<u64> = 1..=65_535;
/// How many packets may have to wait before ACKs are filtered.
pub(super) const THRESHOLD: RangeInclusive<u64> = 0..=*LIMIT.end();
/// An average number of packets.
pub(super) const AVERAGE: RangeInclusive<f64> = 0.0..=1e7;
/// A weight in an average.
pub(super) const WEIGHT: RangeInclusive<f64> = 1e-9..=1.0;
const RED_EXAMPLE: &str = "{ limit = 60, min = 5, max = 15 }";

impl Queue {
    /// A queue as long as this one that drops only what it has no room for.
    pub(super) fn plain(self) -> Self {
        match self {
            Self::Unlimited => Self::Unlimited,
            Self::DropTail(limit)
            | Self::Red(Red { limit, .. })
            | Self::AckFilter(AckFilter { limit, .. }) => Self::DropTail(limit),
        }
    }
}

/// Reads the value of `queue`: a table, or "unlimited".
pub(super) fn read(node: &Node<'_>) -> Queue {
    // A wrong value has been noted, so the scenario is refused whatever stands in for it.
    read_queue(node).unwrap_or(Queue::Unlimited)
}

fn read_queue(node: &Node<'_>) -> Option<Queue> {
    if node.as_text() == Some("unlimited") {
        return Some(Queue::Unlimited);
    }
    if let (true, Some(number)) = (node.is_number(), node.as_number()) {
        let help = format!(
            "write {} = {{ droptail = {number} }}, in packets",
            node.name()
        );
        node.wrong(format!("`{}` must name its discipline", node.name()), help);
        return None;
    }
    let table = node.table(&KEYS, &[], "{ droptail = 60 }, or \"unlimited\"")?;
    if let (Some(_), Some(red)) = (table.find("droptail"), table.find("red")) {
        red.wrong(
            "the queue has two disciplines, `droptail` and `red`",
            "keep one; the length of a RED queue is its `limit`",
        );
        return None;
    }
    let filter = table
        .find("ack_filter")
        .map(|filter| (read_filter(&filter), filter));
    if let Some(red) = table.find("red") {
        let red = read_red(&red);
        if let Some((Some(_), filter)) = filter {
            filter.wrong(
                "`ack_filter` does not go with `red`",
                "filter in a queue with `droptail`, as in { droptail = 60, ack_filter = true }",
            );
        }
        return red.map(Queue::Red);
    }
    let droptail = table.need("droptail", "droptail = 60, the most packets it holds")?;
    let limit = droptail.whole(LIMIT)? as u32;
    match filter {
        Some((filter, _)) => filter?.map_or(Some(Queue::DropTail(limit)), |filter| {
            Some(Queue::AckFilter(AckFilter { limit, ..filter }))
        }),
        None => Some(Queue::DropTail(limit)),
    }
}

/// Whether there is a filter; its limit is filled in later. Nothing if the value is wrong.
fn read_filter(node: &Node<'_>) -> Option<Option<AckFilter>> {
    let mut filter = AckFilter {
        limit: 1,
        replace_head: false,
        threshold: 0,
    };
    if let Some(flag) = node.as_flag() {
        return Some(flag.then_some(filter));
    }
    let table = node.table(&FILTER_KEYS, &[], "true, or { threshold = 10 }")?;
    if let Some(replace_head) = table.find("replace_head") {
        filter.replace_head = replace_head.flag()?;
    }
    if let Some(threshold) = table.find("threshold") {
        filter.threshold = threshold.whole(THRESHOLD)? as u32;
    }
    Some(Some(filter))
}

fn read_red(node: &Node<'_>) -> Option<Red> {
    let misplaced = [
        ("max_p", "the probability near `max` is called `pmax`"),
        (
            "w",
            "the weight of a packet in the average is called `weight`",
        ),
        ("droptail", "the length of a RED queue is its `limit`"),
    ];
    let table = node.table(&RED_KEYS, &misplaced, RED_EXAMPLE)?;
    let average = |key, usual, example| {
        let what = "an average number of packets, from 0 to 10,000,000";
        or_usual(&table, key, usual, |n| n.real(AVERAGE, what, example))
    };
    let flag = |key| or_usual(&table, key, false, |n| n.flag());
    let limit = table
        .need("limit", "limit = 60, the most packets it holds")
        .and_then(|n| n.whole(LIMIT));
    let min = average("min", 5.0, "5");
    let max = average("max", 15.0, "15");
    let weight = or_usual(&table, "weight", 0.002, |n| {
        n.real(WEIGHT, "a plain number above 0 (1e-9) and up to 1", "0.002")
    });
    let pmax = or_usual(&table, "pmax", 0.1, |n| n.probability());
    let (gentle, ecn) = (flag("gentle"), flag("ecn"));
    let mean_packet = or_usual(&table, "mean_packet", Bytes(500), |n| n.size(MEAN_PACKET));
    let (min, max) = (min?, max?);
    if min >= max {
        let place = table.find("max").or_else(|| table.find("min"))?;
        place.wrong(
            format!("`max` is {max:?}, and `min` is {min:?}"),
            "`max` must be above `min`: packets are dropped or marked between the two",
        );
        return None;
    }
    Some(Red {
        limit: limit? as u32,
        min,
        max,
        weight: weight?,
        pmax: pmax?,
        gentle: gentle?,
        ecn: ecn?,
        mean_packet: mean_packet?,
    })
}

/// The value of a key, or what is usual; nothing if it is wrong.
fn or_usual<T>(
    table: &Table<'_>,
    key: &'static str,
    usual: T,
    read: impl FnOnce(&Node<'_>) -> Option<T>,
) -> Option<T> {
    match table.find(key) {
        Some(node) => read(&node),
        None => Some(usual),
    }
}
