//! Links: how each direction handles packets.
//!
//! To add a key of a link: write its file beside `delay.rs` with an implementation of [`LinkKey`] (its
//! name, how it is read, written and described, its default, and how it configures the simulator's
//! link), and add a line to the table [`links!`] below. All tables that describe a link, including those
//! of access links, the canonical form, the schema and the network then follow. A test requires an
//! explanation in `docs/scenario.md`.

pub(crate) mod access;
mod aggregate;
mod aqt;
mod arq;
mod chance;
mod delay;
mod jitter;
mod key;
mod loss;
mod part;
mod policer;
mod queue;
mod rate;
mod reorder;
mod shaper;
mod slots;
mod sojourns;

use dumbbell_sim::{Kinds, NodeId, Time};

use crate::document::{Misplaced, Node, Table};
use crate::form::{Form, value};
use crate::loss::Loss;
use crate::queue::Queue;
use crate::suggest;
use crate::text::table;
use key::{At, LinkKey};

pub use aggregate::Aggregate;
pub use arq::Arq;
pub use delay::Delay;
pub use jitter::{Jitter, JitterLaw};
pub use policer::Policer;
pub use rate::Rate;
pub use reorder::Reorder;
pub use shaper::Shaper;
pub use slots::Slots;

pub(crate) use key::Usual;

/// Makes the link and the set of its keys from one line for each key.
macro_rules! links {
    ($( $(#[$meta:meta])* $key:ident: $value:ty = $sort:ty, )+) => {
        /// One direction of a link.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Link { $( $(#[$meta])* pub $key: $value, )+ }

        /// The keys of one direction that are set.
        #[derive(Clone, Default)]
        struct Set { $( $key: Option<$value>, )+ }

        /// The names of the keys of one direction.
        pub(crate) const KEYS: &[&str] = &[$( <$sort as LinkKey>::NAME ),+];

        /// For each key, whether it concerns the router in front of the link.
        const AT_ROUTER: &[(&str, bool)] =
            &[$( (<$sort as LinkKey>::NAME, <$sort as LinkKey>::AT_ROUTER) ),+];

        impl Set {
            /// Reads those of the given keys that the table sets.
            fn read(table: &Table<'_>, keys: &[&'static str]) -> Self {
                Self { $( $key: {
                    let name = <$sort as LinkKey>::NAME;
                    let node = keys.contains(&name).then(|| table.find(name)).flatten();
                    node.map(|node| {
                        <$sort as LinkKey>::read(&node).unwrap_or_else(<$sort as LinkKey>::stand_in)
                    })
                }, )+ }
            }

            /// Returns replacements for a table that could not be read.
            fn stand_in() -> Self {
                Self { $( $key: <$sort as LinkKey>::NEEDED.map(|_| <$sort as LinkKey>::stand_in()), )+ }
            }

            /// Returns these keys, with those of `base` for keys that are not set.
            fn over(self, base: Self) -> Self {
                Self { $( $key: self.$key.or(base.$key), )+ }
            }

            /// Returns the keys that must be set and are not, each with an example.
            fn lacks(&self) -> Vec<(&'static str, &'static str)> {
                let mut lacking = Vec::new();
                $( if let (None, Some(example)) = (&self.$key, <$sort as LinkKey>::NEEDED) {
                    lacking.push((<$sort as LinkKey>::NAME, example));
                } )+
                lacking
            }

            /// Returns the first direction; `None` if a required key is missing.
            fn forward(&self, usual: &Usual) -> Option<Link> {
                Some(Link { $( $key: <$sort as LinkKey>::forward(self.$key.clone(), usual)?, )+ })
            }

            /// Returns the other direction; `first` holds the keys set for the link itself.
            fn reverse(self, first: &Self, forward: &Link, usual: &Usual) -> Link {
                Link { $( $key: <$sort as LinkKey>::reverse(
                    self.$key,
                    first.$key.as_ref(),
                    &forward.$key,
                    usual,
                ), )+ }
            }
        }

        impl Link {
            /// Returns the keys with their values as TOML.
            pub(crate) fn write(&self) -> Vec<(&'static str, String)> {
                let mut keys = Vec::new();
                $( if <$sort as LinkKey>::is_written(&self.$key) {
                    keys.push((<$sort as LinkKey>::NAME, <$sort as LinkKey>::write(&self.$key)));
                } )+
                keys
            }

            /// Returns only the keys that concern the router in front of the link, or only the others.
            fn write_where(&self, at_router: bool) -> Vec<(&'static str, String)> {
                let mut keys = Vec::new();
                $( if <$sort as LinkKey>::AT_ROUTER == at_router
                    && <$sort as LinkKey>::is_written(&self.$key)
                {
                    keys.push((<$sort as LinkKey>::NAME, <$sort as LinkKey>::write(&self.$key)));
                } )+
                keys
            }

            /// Returns the simulator's link between these nodes; `data` are the kinds of packets that
            /// carry data.
            pub fn simulated(&self, name: String, from: NodeId, to: NodeId, data: Kinds) -> dumbbell_sim::Link {
                let mut link = dumbbell_sim::Link::new(name, from, to, 1, Time::ZERO);
                $( <$sort as LinkKey>::hand_over(&self.$key, data, &mut link); )+
                link
            }
        }

        /// Returns the keys as schemas, in a table of this kind.
        fn forms(at: At) -> Vec<(&'static str, Form)> {
            vec![$( (<$sort as LinkKey>::NAME, <$sort as LinkKey>::form(at)) ),+]
        }
    };
}

links! {
    /// The rate: constant, over time, recorded, or in slots.
    rate: Rate = rate::RateKey,
    /// Propagation delay.
    delay: Delay = delay::DelayKey,
    /// The queue in front of the link.
    queue: Queue = queue::QueueKey,
    /// The loss model, which acts after the queue.
    loss: Option<Loss> = loss::LossKey,
    /// Whether the router in front of the link adds to packets how long they wait (the AQT option of
    /// RoVegas).
    aqt: bool = aqt::AqtKey,
    /// Whether the time that packets wait is measured although the queue does not need to.
    sojourns: bool = sojourns::SojournsKey,
    /// A random delay of each packet.
    jitter: Option<Jitter> = part::PartKey<Jitter>,
    /// Packets that others overtake.
    reorder: Option<Reorder> = part::PartKey<Reorder>,
    /// The probability that a packet arrives twice.
    duplicate: f64 = chance::DuplicateKey,
    /// The probability that a packet is damaged.
    corrupt: f64 = chance::CorruptKey,
    /// A token bucket in front of the queue, which drops what exceeds it.
    policer: Option<Policer> = part::PartKey<Policer>,
    /// A token bucket in front of the transmitter.
    shaper: Option<Shaper> = part::PartKey<Shaper>,
    /// Packets are transmitted as bursts.
    aggregate: Option<Aggregate> = part::PartKey<Aggregate>,
    /// Lost packets are sent again.
    arq: Option<Arq> = part::PartKey<Arq>,
}

impl Link {
    /// Makes a link with an unlimited queue, and nothing beside.
    pub fn new(rate: Rate, delay: Delay) -> Self {
        Self {
            rate,
            delay,
            queue: Queue::Unlimited,
            loss: None,
            aqt: false,
            jitter: None,
            reorder: None,
            duplicate: 0.0,
            corrupt: 0.0,
            policer: None,
            shaper: None,
            aggregate: None,
            arq: None,
            sojourns: false,
        }
    }
}

/// Both directions of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplex {
    /// Left to right, or from the first named end to the second, or in the direction of a flow's data.
    pub forward: Link,
    /// The opposite direction.
    pub reverse: Link,
}

/// The keys of a link that are set, before they are completed with defaults and other tables.
#[derive(Clone, Default)]
pub(crate) struct LinkPatch {
    set: Set,
    reverse: Set,
}

/// The key of the other direction.
pub(crate) const REVERSE: &str = "reverse";
/// An example of a link for messages.
pub(crate) const EXAMPLE: &str =
    "{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 60 } }";
/// Words that a user may try as keys of a link.
pub(crate) const MISPLACED: [Misplaced; 1] = [(
    "buffer",
    "the buffer is called `queue`: queue = { droptail = 60 }",
)];

/// Returns the keys of a link table.
pub(crate) fn keys() -> Vec<&'static str> {
    [KEYS, &[REVERSE]].concat()
}

impl LinkPatch {
    /// Reads the keys of a link in a table, except `reverse`.
    pub(crate) fn read(table: &Table<'_>) -> Self {
        Self {
            set: Set::read(table, KEYS),
            reverse: Set::default(),
        }
    }

    /// Reads the keys of the other direction from the value of `reverse`.
    pub(crate) fn read_reverse(&mut self, node: &Node<'_>) {
        self.read_reverse_of(node, KEYS);
    }

    /// Reads the value of `reverse`, in which only these keys are permitted.
    fn read_reverse_of(&mut self, node: &Node<'_>, keys: &[&'static str]) {
        if let Some(table) = node.table(keys, &[], "{ rate = \"1 Mb/s\" }") {
            self.reverse = Set::read(&table, keys);
        }
    }

    /// Returns replacements for a table that could not be read.
    fn stand_in() -> Self {
        Self {
            set: Set::stand_in(),
            reverse: Set::default(),
        }
    }

    /// Returns these keys, with those of `base` for keys that are not set.
    fn over(self, base: Self) -> Self {
        Self {
            set: self.set.over(base.set),
            reverse: self.reverse.over(base.reverse),
        }
    }

    /// Returns the keys without a default that are not set.
    pub(crate) fn lacks(&self) -> Vec<(&'static str, &'static str)> {
        self.set.lacks()
    }

    /// Returns both directions; `None` if a required key is missing. Each key determines what holds if
    /// `reverse` does not set it.
    pub(crate) fn duplex(self, usual: &Usual) -> Option<Duplex> {
        let forward = self.set.forward(usual)?;
        let reverse = self.reverse.reverse(&self.set, &forward, usual);
        Some(Duplex { forward, reverse })
    }
}

/// Reads a complete link table, in which rate, delay and queue must be set. `beside` is a table
/// `reverse` next to the link table instead of in it; `aqt` gives the default for whether the routers at
/// both ends add queueing times.
pub(crate) fn read_complete(
    node: &Node<'_>,
    beside: Option<&Node<'_>>,
    aqt: [bool; 2],
) -> Option<Duplex> {
    read_patch(node, beside)?.duplex(&Usual::of(aqt))
}

/// Reads the keys of a link table that describes several links with different routers.
pub(crate) fn read_patch(node: &Node<'_>, beside: Option<&Node<'_>>) -> Option<LinkPatch> {
    let table = node.table(&keys(), &MISPLACED, EXAMPLE)?;
    let mut patch = LinkPatch::read(&table);
    match (table.find(REVERSE), beside) {
        (Some(within), Some(_)) => within.wrong(
            "the other direction is described twice",
            "keep `reverse` within the link, or beside it",
        ),
        (Some(within), None) => {
            patch.read_reverse(&within.called(format!("{}.reverse", node.name())));
        }
        (None, Some(beside)) => patch.read_reverse(beside),
        (None, None) => {}
    }
    let lacks = patch.lacks();
    for (key, example) in &lacks {
        table.missing(key, example);
    }
    if patch.set.queue.is_none() {
        table.missing(
            "queue",
            "queue = { droptail = 60 }, the most packets it holds, or queue = \"unlimited\"",
        );
    }
    lacks.is_empty().then_some(patch)
}

impl Usual {
    /// Returns defaults with an unlimited queue; `aqt` says whether the routers at both ends add
    /// queueing times.
    pub(crate) fn of(aqt: [bool; 2]) -> Self {
        Self {
            queue: Queue::Unlimited,
            aqt,
        }
    }
}

impl Duplex {
    /// Returns both directions, forward first.
    pub fn both(&self) -> [&Link; 2] {
        [&self.forward, &self.reverse]
    }

    /// Returns the link as TOML.
    pub(crate) fn write(&self) -> String {
        let mut keys = self.forward.write();
        keys.push((REVERSE, table(&self.reverse.write())));
        table(&keys)
    }
}

/// Returns the definitions to which the keys of a link refer in a schema.
pub(crate) fn definitions() -> Vec<(&'static str, Form)> {
    vec![
        part::definition::<Jitter>(),
        part::definition::<Reorder>(),
        part::definition::<Policer>(),
        part::definition::<Shaper>(),
        part::definition::<Aggregate>(),
        part::definition::<Arq>(),
    ]
}

/// Returns the entries of the catalogue: the notation in files, and a summary.
pub(crate) fn entries() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "rate = { steps = [..] }",
            "the rate changes at given times; 0 is an outage",
        ),
        (
            "rate = { slots = { .. } }",
            "the link sends at regular grants, perhaps on request",
        ),
        (
            "delay = { steps = [..] }",
            "the delay changes at given times",
        ),
        <Jitter as part::Part>::ENTRY,
        <Reorder as part::Part>::ENTRY,
        ("duplicate = p", "some packets arrive twice"),
        (
            "corrupt = p",
            "some packets are damaged, and their receivers discard them",
        ),
        <Policer as part::Part>::ENTRY,
        <Shaper as part::Part>::ENTRY,
        <Aggregate as part::Part>::ENTRY,
        <Arq as part::Part>::ENTRY,
    ]
}

/// Returns a bottleneck or a hop as a schema.
pub(crate) fn form() -> Form {
    let mut forms = forms(At::Link);
    forms.push((REVERSE, Form::defined(REVERSE)));
    value::table(&forms)
}

/// Returns the keys of a link of a graph as schemas, except `reverse`.
pub(crate) fn forms_in_graph() -> Vec<(&'static str, Form)> {
    forms(At::GraphLink)
}

/// Returns the value of `reverse` as a schema.
pub(crate) fn reverse_form() -> Form {
    value::table(&forms(At::Reverse))
        .means(format!(
            "a table that overrides {} of the other direction",
            suggest::either(KEYS)
        ))
        .otherwise("as the first direction, but only with its `rate`, `delay`, `queue` and `aqt`")
}
