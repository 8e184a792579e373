//! Queues: they hold packets in front of a link, and may drop, mark or remove them.
//!
//! CONTRIBUTING.md shows how to add a queue: a file with an implementation of [`Discipline`] and [`Sort`],
//! and its line in the table [`queues!`] below. The reader, the canonical form, the schema, `dumbbell list`
//! and the network then follow.

mod ack_filter;
mod codel;
mod droptail;
mod dualpi2;
mod fq;
mod fq_codel;
mod limit;
mod pie;
mod red;
mod unlimited;

use serde_json::json;

use crate::document::Node;
use crate::form::range::of_numbers;
use crate::form::rule::{is_table, one_of};
use crate::form::{Form, value};
use crate::key::Shape;
use crate::sort::Sort;
use crate::text::{quote, table};

use limit::Room;

pub use ack_filter::AckFilter;
pub use codel::CoDel;
pub use dualpi2::{DualPi2, Scheduler};
pub use fq::Fq;
pub use fq_codel::FqCoDel;
pub use limit::Limit;
pub use pie::Pie;
pub use red::Red;

/// A queue that is selected by its own key.
trait Discipline: Sort<Given = (), Simulated = dumbbell_sim::Queue> {
    /// The hint if another discipline is named before this one.
    const BESIDE_ANOTHER: &'static str = "keep one";

    /// Returns the largest number of packets in the system, including the one in transmission; `None` if
    /// it is not limited.
    fn limit(value: &Self::Value) -> Option<u32>;

    /// Returns whether it may mark packets instead of dropping them.
    fn marks(_: &Self::Value) -> bool {
        false
    }

    /// Returns a queue with the same limit that drops packets only when it is full.
    fn plain(value: &Self::Value) -> Queue {
        Self::limit(value).map_or(Queue::Unlimited, Queue::DropTail)
    }
}

/// Makes the enum of all queues from one line for each discipline. Three queues have no key of their own:
/// `"unlimited"`, `droptail` with a limit that is not in packets, and the ACK filter, which is a key beside
/// `droptail`.
macro_rules! queues {
    ($( $(#[$meta:meta])* $variant:ident($value:ty) = $sort:ty, )+) => {
        /// The queue in front of a link.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Queue {
            /// First in, first out; no packet is ever dropped.
            Unlimited,
            $( $(#[$meta])* $variant($value), )+
            /// First in, first out, with a limit in bytes or in time.
            Bounded(Limit),
            /// First in, first out with a limit; an arriving ACK removes ACKs that it makes useless.
            AckFilter(AckFilter),
        }

        /// The keys that select a discipline.
        pub(crate) const DISCIPLINES: &[&str] = &[$( <$sort as Sort>::KEY ),+];

        impl Queue {
            /// Returns the largest number of packets in the system, including the one in transmission;
            /// `None` if their number is not limited.
            pub fn limit(&self) -> Option<u32> {
                match self {
                    Self::Unlimited => None,
                    $( Self::$variant(value) => <$sort as Discipline>::limit(value), )+
                    Self::Bounded(limit) => limit.packets(),
                    Self::AckFilter(filter) => Some(filter.limit),
                }
            }

            /// Returns whether it may mark packets instead of dropping them.
            pub fn marks(&self) -> bool {
                match self {
                    $( Self::$variant(value) => <$sort as Discipline>::marks(value), )+
                    Self::Unlimited | Self::Bounded(_) | Self::AckFilter(_) => false,
                }
            }

            /// Returns the simulator's queue.
            pub fn simulated(&self) -> dumbbell_sim::Queue {
                match self {
                    Self::Unlimited => unlimited::simulated(),
                    $( Self::$variant(value) => <$sort as Sort>::simulated(value, ()), )+
                    Self::Bounded(limit) => {
                        dumbbell_sim::Queue::Bounded(dumbbell_sim::Bounded { limit: limit.simulated() })
                    }
                    Self::AckFilter(filter) => filter.simulated(),
                }
            }

            /// Returns the value of the key `queue` as TOML.
            pub(crate) fn write(&self) -> String {
                match self {
                    Self::Unlimited => quote(unlimited::WORD),
                    $( Self::$variant(value) => {
                        table(&[(<$sort as Sort>::KEY, <$sort as Sort>::write(value))])
                    } )+
                    Self::Bounded(limit) => table(&[(droptail::KEY, Room.write(limit))]),
                    Self::AckFilter(filter) => table(&filter.write()),
                }
            }

            /// Returns a queue with the same limit that drops packets only when it is full.
            pub(crate) fn plain(self) -> Self {
                match self {
                    Self::Unlimited => Self::Unlimited,
                    $( Self::$variant(value) => <$sort as Discipline>::plain(&value), )+
                    Self::Bounded(limit) => Self::Bounded(limit),
                    Self::AckFilter(filter) => Self::DropTail(filter.limit),
                }
            }

            /// Returns the entries of the catalogue: the notation in files, and a summary.
            pub(crate) fn entries() -> Vec<(&'static str, &'static str)> {
                let mut entries = vec![$( <$sort as Sort>::ENTRY ),+];
                entries.insert(1, unlimited::ENTRY);
                entries.push(ack_filter::ENTRY);
                entries
            }

            /// Reads the value of a discipline's key.
            fn read_discipline(key: &str, node: &Node<'_>) -> Option<Self> {
                $( if key == <$sort as Sort>::KEY {
                    return <$sort as Sort>::read(node).map(Self::$variant);
                } )+
                None
            }

            /// Returns the hint if this discipline is named after another one.
            fn beside_another(key: &str) -> &'static str {
                let said = [$( (<$sort as Sort>::KEY, <$sort as Discipline>::BESIDE_ANOTHER) ),+];
                let found = said.iter().find(|(known, _)| *known == key);
                found.map_or("keep one", |(_, help)| help)
            }

            /// Returns the keys as schemas.
            fn forms() -> Vec<(&'static str, Form)> {
                vec![
                    $( (<$sort as Sort>::KEY, <$sort as Sort>::form()), )+
                    (ack_filter::KEY, ack_filter::form()),
                ]
            }
        }
    };
}

queues! {
    /// First in, first out; the number is the limit on packets in the system, including the one in
    /// transmission.
    DropTail(u32) = droptail::DropTail,
    /// Packets are dropped or marked before the queue is full.
    Red(Red) = red::Red,
    /// Packets are dropped or marked while all of them have waited too long for a while.
    CoDel(CoDel) = codel::CoDel,
    /// Flows have queues of their own, served in turn.
    Fq(Fq) = fq::Fq,
    /// Flows have queues of their own, served in turn, with CoDel in each.
    FqCoDel(FqCoDel) = fq_codel::FqCoDel,
    /// Arrivals are dropped or marked at random, as the queueing delay and its trend say.
    Pie(Pie) = pie::Pie,
    /// L4S packets have a short queue of their own, coupled to that of others.
    DualPi2(DualPi2) = dualpi2::DualPi2,
}

/// Reads the value of `queue`: a table, or "unlimited". A wrong value is recorded as a mistake and gives
/// `None`.
pub(crate) fn read(node: &Node<'_>) -> Option<Queue> {
    if node.as_text() == Some(unlimited::WORD) {
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
    if let Some(&key) = DISCIPLINES.iter().find(|key| node.as_text() == Some(**key)) {
        let example = match key {
            droptail::KEY => "60",
            "red" => "{ limit = 60 }",
            _ => "{}",
        };
        let help = format!("write {} = {{ {key} = {example} }}", node.name());
        node.wrong(format!("`{}` must be a table", node.name()), help);
        return None;
    }
    let keys = [DISCIPLINES, &[ack_filter::KEY]].concat();
    let table = node.table(&keys, &[], "{ droptail = 60 }, or \"unlimited\"")?;
    let named = table.present(DISCIPLINES);
    if let [first, second, ..] = named[..] {
        table.find(second)?.wrong(
            format!("the queue has two disciplines, `{first}` and `{second}`"),
            Queue::beside_another(second),
        );
        return None;
    }
    let filter = table
        .find(ack_filter::KEY)
        .map(|filter| (ack_filter::read(&filter), filter));
    let Some(&key) = named.first() else {
        if !table.misspells(DISCIPLINES) {
            table.missing(droptail::KEY, droptail::EXAMPLE);
        }
        return None;
    };
    let value = table.find(key)?;
    let queue = match (key, value.as_text()) {
        (droptail::KEY, Some(_)) => Room.read(&value).map(Limit::plain),
        _ => Queue::read_discipline(key, &value),
    };
    match (queue, filter) {
        (queue, None) => queue,
        (Some(Queue::DropTail(limit)), Some((filter, _))) => match filter? {
            Some(filter) => Some(Queue::AckFilter(filter.with(limit))),
            None => queue,
        },
        (queue, Some((filter, node))) => {
            if key != droptail::KEY && filter.is_some() {
                node.wrong(
                    format!("`ack_filter` does not go with `{key}`"),
                    "filter in a queue with `droptail`, as in { droptail = 60, ack_filter = true }",
                );
            } else if let Some(Queue::Bounded(_)) = queue {
                node.wrong(
                    "`ack_filter` does not go with a limit in bytes or in time",
                    "give the limit in packets, as in { droptail = 60, ack_filter = true }",
                );
            }
            queue
        }
    }
}

/// Returns the value of `queue` as a schema.
pub(crate) fn form() -> Form {
    let forms: Vec<(&str, Form)> = Queue::forms()
        .into_iter()
        .map(|(key, form)| match form.is_table() {
            true => (key, Form::defined(key)),
            false => (
                key,
                form.needed_or("this or another discipline must be set"),
            ),
        })
        .collect();
    value::table(&forms)
        .rule("if", is_table())
        .rule("then", one_of(DISCIPLINES))
        .rule("dependencies", json!({ (ack_filter::KEY): {
            "required": [droptail::KEY],
            "properties": { (droptail::KEY): { "type": "integer" } },
        } }))
        .or_word(unlimited::WORD)
        .ranging(format!(
            "`{{ droptail = N }}`, at most N packets in the system including the one in transmission, N from {}, or a size, or a time of the link's rate; a table with another discipline; or `\"unlimited\"`",
            of_numbers(&limit::LIMIT)
        ))
}

/// Returns the definitions to which `queue` refers in a schema.
pub(crate) fn definitions() -> Vec<(&'static str, Form)> {
    let forms = Queue::forms().into_iter();
    forms.filter(|(_, form)| form.is_table()).collect()
}
