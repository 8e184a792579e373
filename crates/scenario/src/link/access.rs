//! The two access links of a flow: its sender's and its receiver's.

use super::key::At;
use super::{AT_ROUTER, Duplex, Link, LinkPatch, REVERSE, Usual};
use crate::document::{Node, Table};
use crate::form::{Form, value};
use crate::queue::{self, Queue};
use crate::suggest;
use crate::text::table;

/// The access links of a flow. Forward is the direction of the flow's data: host to router at the
/// sender, router to host at the receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Between the sending host and its router.
    pub sender: Duplex,
    /// Between the receiving host and its router.
    pub receiver: Duplex,
}

/// The keys of an access table that were set.
#[derive(Clone, Default)]
pub(crate) struct AccessPatch {
    sender: EndPatch,
    receiver: EndPatch,
}

/// One access link. `link.queue` is the router's queue towards the host.
#[derive(Clone, Default)]
struct EndPatch {
    link: LinkPatch,
    host_queue: Option<Queue>,
}

/// An example of access links for messages.
pub(crate) const EXAMPLE: &str = "access = { rate = \"10 Mb/s\", delay = \"10 ms\" }";
/// The name of a flow's access links in a schema.
pub(crate) const OF_FLOW: &str = "flow_access";
/// The key of a host's own queue.
const HOST_QUEUE: &str = "host_queue";
/// The keys of the two ends; each is a table with the same keys.
const ENDS: [&str; 2] = ["sender", "receiver"];

/// Returns the keys of `sender` and `receiver`: those of a link, with a host's own queue after the
/// router's.
fn end_keys() -> Vec<&'static str> {
    let mut keys = Vec::new();
    for &key in super::KEYS {
        keys.push(key);
        if key == "queue" {
            keys.push(HOST_QUEUE);
        }
    }
    keys.push(REVERSE);
    keys
}

/// Returns the keys of `reverse` in any of these tables. Keys that concern a router are left out,
/// because an access link has only one router.
fn reverse_keys() -> Vec<&'static str> {
    let of_links = AT_ROUTER.iter().filter(|(_, at_router)| !at_router);
    of_links.map(|(key, _)| *key).collect()
}

impl AccessPatch {
    /// Reads an access table; keys beside `sender` and `receiver` apply to both.
    pub(crate) fn read(node: &Node<'_>) -> Self {
        let misplaced = [
            ("left", "the ends are called `sender` and `receiver`"),
            ("right", "the ends are called `sender` and `receiver`"),
        ];
        let keys = [&end_keys()[..], &ENDS].concat();
        let example = EXAMPLE.trim_start_matches("access = ");
        let Some(table) = node.table(&keys, &misplaced, example) else {
            let end = EndPatch {
                link: LinkPatch::stand_in(),
                host_queue: None,
            };
            return Self {
                sender: end.clone(),
                receiver: end,
            };
        };
        let both = EndPatch::read(&table);
        let end = |key: &'static str| match table.find(key) {
            None => both.clone(),
            Some(end) => match end.called(format!("{}.{key}", node.name())).table(
                &end_keys(),
                &[],
                "{ delay = \"1 ms\" }",
            ) {
                None => both.clone(),
                Some(end) => EndPatch::read(&end).over(both.clone()),
            },
        };
        Self {
            sender: end("sender"),
            receiver: end("receiver"),
        }
    }

    /// Returns these keys, with those of `base` for keys that are not set.
    pub(crate) fn over(self, base: Self) -> Self {
        Self {
            sender: self.sender.over(base.sender),
            receiver: self.receiver.over(base.receiver),
        }
    }

    /// Returns the keys without a default that are not set for at least one end.
    pub(crate) fn lacks(&self) -> Vec<(&'static str, &'static str)> {
        let mut lacking = self.sender.link.lacks();
        for key in self.receiver.link.lacks() {
            if !lacking.contains(&key) {
                lacking.push(key);
            }
        }
        lacking
    }

    /// Returns both links. `router` is the default queue of a router; the default queue of a host is
    /// unlimited. `aqt` gives the default for whether the routers of the sender and of the receiver add
    /// queueing times; hosts never do.
    pub(crate) fn resolve(self, router: Queue, aqt: [bool; 2]) -> Option<Access> {
        let queues = |end: &EndPatch| {
            let host = end.host_queue.unwrap_or(Queue::Unlimited);
            (host, end.link.set.queue.unwrap_or(router))
        };
        let (sender_queues, receiver_queues) = (queues(&self.sender), queues(&self.receiver));
        let mut sender = self.sender.link.duplex(&Usual::of([aqt[0]; 2]))?;
        sender.forward.aqt = false;
        (sender.forward.queue, sender.reverse.queue) = sender_queues;
        let mut receiver = self.receiver.link.duplex(&Usual::of([aqt[1]; 2]))?;
        receiver.reverse.aqt = false;
        (receiver.reverse.queue, receiver.forward.queue) = receiver_queues;
        Some(Access { sender, receiver })
    }
}

impl EndPatch {
    fn read(table: &Table<'_>) -> Self {
        let mut link = LinkPatch::read(table);
        if let Some(reverse) = table.find(REVERSE) {
            link.read_reverse_of(&reverse.called("access.reverse"), &reverse_keys());
        }
        Self {
            link,
            host_queue: table
                .find(HOST_QUEUE)
                .map(|n| queue::read(&n).unwrap_or(Queue::Unlimited)),
        }
    }

    fn over(self, base: Self) -> Self {
        Self {
            link: self.link.over(base.link),
            host_queue: self.host_queue.or(base.host_queue),
        }
    }
}

impl Access {
    /// Returns the links as TOML.
    pub(crate) fn write(&self) -> String {
        let Self { sender, receiver } = self;
        let ends = [
            write_end(
                &sender.forward,
                &sender.reverse,
                &sender.forward,
                &sender.reverse,
            ),
            write_end(
                &receiver.forward,
                &receiver.reverse,
                &receiver.reverse,
                &receiver.forward,
            ),
        ];
        let ends: Vec<(&str, String)> = ENDS.into_iter().zip(ends).collect();
        table(&ends)
    }
}

/// Writes one end. `out` and `back` are the links in and against the direction of the flow's data;
/// `host` and `router` are the same two links, named by the device whose queue is in front of them.
fn write_end(out: &Link, back: &Link, host: &Link, router: &Link) -> String {
    let mut keys = out.write_where(false);
    keys.extend(router.write_where(true));
    keys.push((HOST_QUEUE, host.queue.write()));
    keys.push((REVERSE, table(&back.write_where(false))));
    let order = end_keys();
    keys.sort_by_key(|(key, _)| order.iter().position(|known| known == key));
    table(&keys)
}

/// The owner of a table of access links. A flow's table overrides the topology's; the table of one end
/// overrides that of both ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// All flows.
    Topology,
    /// One flow.
    Flow,
    /// One end.
    End,
}

impl Of {
    /// Describes the default of a key that is not set.
    fn inherit(self, form: Form) -> Form {
        match self {
            Self::Topology => form,
            Self::Flow => form.otherwise("as the topology says"),
            Self::End => form.otherwise("as for both ends"),
        }
    }
}

/// Returns the table `access` as a schema.
pub(crate) fn form(of: Of) -> Form {
    let mut forms = forms(of);
    forms.extend(ENDS.map(|end| (end, Form::defined(end))));
    let access = value::table(&forms)
        .means(match of {
            Of::Flow => "its own access links, not in a graph",
            Of::Topology | Of::End => "the access links of every flow",
        })
        .needed_or("must be set here or in each flow");
    of.inherit(access)
}

/// Returns the definitions to which `access` refers in a schema.
pub(crate) fn definitions() -> Vec<(&'static str, Form)> {
    let end = |end: &'static str| {
        let end_form = value::table(&forms(Of::End)).means(format!(
            "a table with the same keys, for the {end}'s end only"
        ));
        (end, Of::End.inherit(end_form))
    };
    let mut definitions = vec![("access", form(Of::Topology)), (OF_FLOW, form(Of::Flow))];
    definitions.extend(ENDS.map(end));
    definitions
}

/// Returns the keys of both ends or of one end as schemas.
fn forms(of: Of) -> Vec<(&'static str, Form)> {
    let at = match of {
        Of::Topology | Of::Flow => At::Access,
        Of::End => At::AccessEnd,
    };
    let mut forms = super::forms(at);
    forms.push((
        HOST_QUEUE,
        queue::form()
            .means("a host's own queue")
            .usually("unlimited"),
    ));
    let names = reverse_keys();
    let mut reverse = super::forms(At::AccessReverse);
    reverse.retain(|(key, _)| names.contains(key));
    for (_, form) in &mut reverse {
        *form = of.inherit(form.clone());
    }
    let reverse = value::table(&reverse)
        .means(format!(
            "overrides {} in the direction opposite to the data",
            suggest::either(&names)
        ))
        .otherwise("as forward, but only with its `rate` and `delay`");
    forms.push((REVERSE, reverse));
    for (_, form) in &mut forms {
        *form = of.inherit(form.clone());
    }
    forms
}
