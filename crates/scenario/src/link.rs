//! Links: rate, delay, queue and loss, for each direction.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

use super::document::{Node, Table};
use super::loss::{self, Loss};
use super::quantity::BitRate;
use super::queue::{self, Queue};
use super::rate::{self, Rate};

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The rate at which it sends, or when it does.
    pub rate: Rate,
    /// Propagation delay, up to an hour.
    pub delay: Duration,
    /// The queue in front of the link.
    pub queue: Queue,
    /// Loss behind the queue.
    pub loss: Option<Loss>,
    /// Whether the router before it adds to packets how long they wait (the AQT option of RoVegas).
    pub aqt: bool,
}

/// Both directions of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplex {
    /// Left to right, or from the first named end to the second, or with the data of a flow.
    pub forward: Link,
    /// The other way.
    pub reverse: Link,
}

/// The keys of a link that were set, before defaults and other tables fill in the rest.
#[derive(Clone, Default)]
pub(super) struct LinkPatch {
    rate: Option<Rate>,
    delay: Option<Duration>,
    pub(super) queue: Option<Queue>,
    loss: Option<Option<Loss>>,
    pub(super) aqt: Option<bool>,
    reverse: ReversePatch,
}

#[derive(Clone, Default)]
struct ReversePatch {
    rate: Option<Rate>,
    delay: Option<Duration>,
    queue: Option<Queue>,
    loss: Option<Option<Loss>>,
    aqt: Option<bool>,
}

/// The keys of a link table.
pub(super) const LINK_KEYS: [&str; 6] = ["rate", "delay", "queue", "loss", "aqt", "reverse"];
/// The keys of the table `reverse`.
pub(super) const REVERSE_KEYS: [&str; 5] = ["rate", "delay", "queue", "loss", "aqt"];
pub(super) const LINK_EXAMPLE: &str =
    "{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 60 } }";
/// What a propagation delay may be.
pub(super) const DELAY: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

impl LinkPatch {
    /// Reads the link's keys of a table, `reverse` excepted.
    pub(super) fn read(table: &Table<'_>) -> Self {
        Self {
            rate: table.find("rate").map(|n| rate(&n)),
            delay: table.find("delay").map(|n| delay(&n)),
            queue: table.find("queue").map(|n| queue::read(&n)),
            loss: table.find("loss").map(|n| loss::read(&n)),
            aqt: table.find("aqt").map(|n| aqt(&n)),
            reverse: ReversePatch::default(),
        }
    }

    /// What stands in for a table that could not be read.
    pub(super) fn stand_in() -> Self {
        Self {
            rate: Some(STAND_IN),
            delay: Some(Duration::ZERO),
            ..Self::default()
        }
    }

    /// Reads the overrides of the other direction from the value of `reverse`.
    pub(super) fn read_reverse(&mut self, node: &Node<'_>, keys: &[&'static str]) {
        let Some(table) = node.table(keys, &[], "{ rate = \"1 Mb/s\" }") else {
            return;
        };
        let known = |key| keys.contains(&key).then(|| table.find(key)).flatten();
        self.reverse = ReversePatch {
            rate: table.find("rate").map(|n| rate(&n)),
            delay: table.find("delay").map(|n| delay(&n)),
            queue: known("queue").map(|n| queue::read(&n)),
            loss: table.find("loss").map(|n| loss::read(&n)),
            aqt: known("aqt").map(|n| aqt(&n)),
        };
    }

    /// These keys, and those of `base` where they are silent.
    pub(super) fn over(self, base: Self) -> Self {
        Self {
            rate: self.rate.or(base.rate),
            delay: self.delay.or(base.delay),
            queue: self.queue.or(base.queue),
            loss: self.loss.or(base.loss),
            aqt: self.aqt.or(base.aqt),
            reverse: ReversePatch {
                rate: self.reverse.rate.or(base.reverse.rate),
                delay: self.reverse.delay.or(base.reverse.delay),
                queue: self.reverse.queue.or(base.reverse.queue),
                loss: self.reverse.loss.or(base.reverse.loss),
                aqt: self.reverse.aqt.or(base.reverse.aqt),
            },
        }
    }

    /// The keys that have no default and are not set.
    pub(super) fn lacks(&self) -> Vec<(&'static str, &'static str)> {
        let rate = self.rate.is_none().then_some(("rate", "rate = \"2 Mb/s\""));
        let delay = self
            .delay
            .is_none()
            .then_some(("delay", "delay = \"10 ms\""));
        rate.into_iter().chain(delay).collect()
    }

    /// Both directions. The other one is like the first but for the loss, and for what
    /// `reverse` says. `aqt` says whether the routers at both ends add queueing times where the
    /// link does not say. Nothing if a key is lacking.
    pub(super) fn duplex(self, queue: Queue, aqt: [bool; 2]) -> Option<Duplex> {
        let forward = Link {
            rate: self.rate?,
            delay: self.delay?,
            queue: self.queue.unwrap_or(queue),
            loss: self.loss.flatten(),
            aqt: self.aqt.unwrap_or(aqt[0]),
        };
        let reverse = Link {
            rate: self.reverse.rate.unwrap_or_else(|| forward.rate.clone()),
            delay: self.reverse.delay.unwrap_or(forward.delay),
            queue: self.reverse.queue.unwrap_or(forward.queue),
            loss: self.reverse.loss.flatten(),
            aqt: self.reverse.aqt.or(self.aqt).unwrap_or(aqt[1]),
        };
        Some(Duplex { forward, reverse })
    }
}

/// Reads a whole link table, in which rate, delay and queue must be set. `beside` is a table
/// `reverse` that stands beside the link instead of in it; `aqt` says whether the routers at both
/// ends add queueing times.
pub(super) fn read_complete(
    node: &Node<'_>,
    beside: Option<&Node<'_>>,
    aqt: [bool; 2],
) -> Option<Duplex> {
    read_patch(node, beside)?.duplex(Queue::Unlimited, aqt)
}

/// The same, for several links of which the routers differ.
pub(super) fn read_patch(node: &Node<'_>, beside: Option<&Node<'_>>) -> Option<LinkPatch> {
    let misplaced = [(
        "buffer",
        "the buffer is called `queue`: queue = { droptail = 60 }",
    )];
    let table = node.table(&LINK_KEYS, &misplaced, LINK_EXAMPLE)?;
    let mut patch = LinkPatch::read(&table);
    match (table.find("reverse"), beside) {
        (Some(within), Some(_)) => within.wrong(
            "the other direction is described twice",
            "keep `reverse` within the link, or beside it",
        ),
        (Some(within), None) => {
            patch.read_reverse(
                &within.called(format!("{}.reverse", node.name())),
                &REVERSE_KEYS,
            );
        }
        (None, Some(beside)) => patch.read_reverse(beside, &REVERSE_KEYS),
        (None, None) => {}
    }
    for (key, example) in patch.lacks() {
        table.missing(key, example);
    }
    if patch.queue.is_none() {
        table.missing(
            "queue",
            "queue = { droptail = 60 }, the most packets it holds, or queue = \"unlimited\"",
        );
    }
    (patch.rate.is_some() && patch.delay.is_some()).then_some(patch)
}

// A wrong value has been noted, so the scenario is refused whatever stands in for it here; a
// stand-in keeps it from being called missing as well.

const STAND_IN: Rate = Rate::Constant(BitRate(1));

fn rate(node: &Node<'_>) -> Rate {
    rate::read(node).unwrap_or(STAND_IN)
}

fn delay(node: &Node<'_>) -> Duration {
    node.time(DELAY).unwrap_or(Duration::ZERO)
}

fn aqt(node: &Node<'_>) -> bool {
    node.flag().unwrap_or(false)
}
