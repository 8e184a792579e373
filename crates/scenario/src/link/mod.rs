//! Links: what each direction does with packets.
//!
//! To add a key of a link: write its file beside `delay.rs`, with what a [`LinkKey`] has to say (its
//! name, how it is read, written down and described, what holds where it is left out, and what the
//! simulator's link is told), and add its line to the table [`links!`] below. All tables that describe a
//! link, those of access links included, the canonical form, the schema and the network follow; a test
//! wants it explained in `docs/scenario.md`.

pub(crate) mod access;
mod aqt;
mod delay;
mod key;
mod loss;
mod queue;
mod rate;

use dumbbell_control::units::Duration;
use dumbbell_sim::{Kinds, NodeId, Time};

use crate::document::{Misplaced, Node, Table};
use crate::form::{Form, value};
use crate::loss::Loss;
use crate::queue::Queue;
use crate::suggest;
use crate::text::table;
use key::{At, LinkKey};

pub use rate::Rate;

pub(crate) use key::Usual;

/// Makes the link, and what is set of one, of a line for each key.
macro_rules! links {
    ($( $(#[$meta:meta])* $key:ident: $value:ty = $sort:ty, )+) => {
        /// One direction of a link.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Link { $( $(#[$meta])* pub $key: $value, )+ }

        /// The keys of one direction that were set.
        #[derive(Clone, Default)]
        struct Set { $( $key: Option<$value>, )+ }

        /// The keys of both directions.
        const KEYS: &[&str] = &[$( <$sort as LinkKey>::NAME ),+];

        /// The keys that are a matter of the router in front of the link.
        const AT_ROUTER: &[(&str, bool)] =
            &[$( (<$sort as LinkKey>::NAME, <$sort as LinkKey>::AT_ROUTER) ),+];

        impl Set {
            /// Reads the keys of a table, as far as it has them.
            fn read(table: &Table<'_>, keys: &[&'static str]) -> Self {
                Self { $( $key: {
                    let name = <$sort as LinkKey>::NAME;
                    let node = keys.contains(&name).then(|| table.find(name)).flatten();
                    node.map(|node| {
                        <$sort as LinkKey>::read(&node).unwrap_or_else(<$sort as LinkKey>::stand_in)
                    })
                }, )+ }
            }

            /// What stands in for a table that could not be read.
            fn stand_in() -> Self {
                Self { $( $key: <$sort as LinkKey>::NEEDED.map(|_| <$sort as LinkKey>::stand_in()), )+ }
            }

            /// These keys, and those of `base` where they are silent.
            fn over(self, base: Self) -> Self {
                Self { $( $key: self.$key.or(base.$key), )+ }
            }

            /// The keys that must be set and are not, each with what one might write.
            fn lacks(&self) -> Vec<(&'static str, &'static str)> {
                let mut lacking = Vec::new();
                $( if let (None, Some(example)) = (&self.$key, <$sort as LinkKey>::NEEDED) {
                    lacking.push((<$sort as LinkKey>::NAME, example));
                } )+
                lacking
            }

            /// The first direction. Nothing if a key is lacking.
            fn forward(&self, usual: &Usual) -> Option<Link> {
                Some(Link { $( $key: <$sort as LinkKey>::forward(self.$key.clone(), usual)?, )+ })
            }

            /// The other direction, of which the link says `first`.
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
            /// The keys with their values as TOML.
            pub(crate) fn write(&self) -> Vec<(&'static str, String)> {
                vec![$( (<$sort as LinkKey>::NAME, <$sort as LinkKey>::write(&self.$key)) ),+]
            }

            /// Only the keys that concern the router in front of the link, or only the others.
            fn write_where(&self, at_router: bool) -> Vec<(&'static str, String)> {
                let mut keys = Vec::new();
                $( if <$sort as LinkKey>::AT_ROUTER == at_router {
                    keys.push((<$sort as LinkKey>::NAME, <$sort as LinkKey>::write(&self.$key)));
                } )+
                keys
            }

            /// The same for the simulator, between these nodes; `data` are the kinds of packets that carry
            /// data.
            pub fn simulated(&self, name: String, from: NodeId, to: NodeId, data: Kinds) -> dumbbell_sim::Link {
                let mut link = dumbbell_sim::Link::new(name, from, to, 1, Time::ZERO);
                $( <$sort as LinkKey>::hand_over(&self.$key, data, &mut link); )+
                link
            }
        }

        /// The keys as schemas, in such a table.
        fn forms(at: At) -> Vec<(&'static str, Form)> {
            vec![$( (<$sort as LinkKey>::NAME, <$sort as LinkKey>::form(at)) ),+]
        }
    };
}

links! {
    /// The rate at which it sends, or when it does.
    rate: Rate = rate::RateKey,
    /// Propagation delay, up to an hour.
    delay: Duration = delay::DelayKey,
    /// The queue in front of the link.
    queue: Queue = queue::QueueKey,
    /// Loss behind the queue.
    loss: Option<Loss> = loss::LossKey,
    /// Whether the router before it adds to packets how long they wait (the AQT option of RoVegas).
    aqt: bool = aqt::AqtKey,
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
pub(crate) struct LinkPatch {
    set: Set,
    reverse: Set,
}

/// The key of the other direction.
pub(crate) const REVERSE: &str = "reverse";
/// What one might write for a link.
pub(crate) const EXAMPLE: &str =
    "{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 60 } }";
/// Words that one may look for among the keys of a link.
pub(crate) const MISPLACED: [Misplaced; 1] = [(
    "buffer",
    "the buffer is called `queue`: queue = { droptail = 60 }",
)];

/// The keys of a link table.
pub(crate) fn keys() -> Vec<&'static str> {
    [KEYS, &[REVERSE]].concat()
}

impl LinkPatch {
    /// Reads the link's keys of a table, `reverse` excepted.
    pub(crate) fn read(table: &Table<'_>) -> Self {
        Self {
            set: Set::read(table, KEYS),
            reverse: Set::default(),
        }
    }

    /// Reads the overrides of the other direction from the value of `reverse`.
    pub(crate) fn read_reverse(&mut self, node: &Node<'_>) {
        self.read_reverse_of(node, KEYS);
    }

    /// The same where it has these keys only.
    fn read_reverse_of(&mut self, node: &Node<'_>, keys: &[&'static str]) {
        if let Some(table) = node.table(keys, &[], "{ rate = \"1 Mb/s\" }") {
            self.reverse = Set::read(&table, keys);
        }
    }

    /// What stands in for a table that could not be read.
    fn stand_in() -> Self {
        Self {
            set: Set::stand_in(),
            reverse: Set::default(),
        }
    }

    /// These keys, and those of `base` where they are silent.
    fn over(self, base: Self) -> Self {
        Self {
            set: self.set.over(base.set),
            reverse: self.reverse.over(base.reverse),
        }
    }

    /// The keys that have no default and are not set.
    pub(crate) fn lacks(&self) -> Vec<(&'static str, &'static str)> {
        self.set.lacks()
    }

    /// Both directions. What `reverse` does not say is up to each key. Nothing if a key is lacking.
    pub(crate) fn duplex(self, usual: &Usual) -> Option<Duplex> {
        let forward = self.set.forward(usual)?;
        let reverse = self.reverse.reverse(&self.set, &forward, usual);
        Some(Duplex { forward, reverse })
    }
}

/// Reads a whole link table, in which rate, delay and queue must be set. `beside` is a table
/// `reverse` that stands beside the link instead of in it; `aqt` says whether the routers at both
/// ends add queueing times.
pub(crate) fn read_complete(
    node: &Node<'_>,
    beside: Option<&Node<'_>>,
    aqt: [bool; 2],
) -> Option<Duplex> {
    read_patch(node, beside)?.duplex(&Usual::of(aqt))
}

/// The same, for several links of which the routers differ.
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
    /// No limit, and routers that add queueing times or not.
    pub(crate) fn of(aqt: [bool; 2]) -> Self {
        Self {
            queue: Queue::Unlimited,
            aqt,
        }
    }
}

impl Duplex {
    /// Both directions, one after the other.
    pub fn both(&self) -> [&Link; 2] {
        [&self.forward, &self.reverse]
    }

    /// The link as TOML.
    pub(crate) fn write(&self) -> String {
        let mut keys = self.forward.write();
        keys.push((REVERSE, table(&self.reverse.write())));
        table(&keys)
    }
}

/// A bottleneck or a hop as a schema.
pub(crate) fn form() -> Form {
    let mut forms = forms(At::Link);
    forms.push((REVERSE, Form::defined(REVERSE)));
    value::table(&forms)
}

/// The keys of a link of a graph as schemas, `reverse` excepted.
pub(crate) fn forms_in_graph() -> Vec<(&'static str, Form)> {
    forms(At::GraphLink)
}

/// The value of `reverse` as a schema.
pub(crate) fn reverse_form() -> Form {
    value::table(&forms(At::Reverse))
        .means(format!(
            "a table that overrides {} of the other direction",
            suggest::either(KEYS)
        ))
        .otherwise("as the first direction, but no loss")
}
