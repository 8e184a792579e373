//! The two access links of a flow: its sender's and its receiver's.

use super::document::{Node, Table};
use super::link::{Duplex, LinkPatch};
use super::queue::{self, Queue};

/// The access links of a flow. Forward is the way of the flow's data: host to router at the
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
pub(super) struct AccessPatch {
    sender: EndPatch,
    receiver: EndPatch,
}

/// One access link. `link.queue` is the router's queue towards the host.
#[derive(Clone, Default)]
struct EndPatch {
    link: LinkPatch,
    host_queue: Option<Queue>,
}

pub(super) const ACCESS_EXAMPLE: &str = "access = { rate = \"10 Mb/s\", delay = \"10 ms\" }";
/// The keys of the table `access`.
pub(super) const KEYS: [&str; 9] = [
    "rate",
    "delay",
    "queue",
    "host_queue",
    "loss",
    "aqt",
    "reverse",
    "sender",
    "receiver",
];
/// The keys of `sender` and `receiver` in it.
pub(super) const END_KEYS: [&str; 7] = [
    "rate",
    "delay",
    "queue",
    "host_queue",
    "loss",
    "aqt",
    "reverse",
];
/// The keys of `reverse` in any of these.
pub(super) const REVERSE_KEYS: [&str; 3] = ["rate", "delay", "loss"];

impl AccessPatch {
    /// Reads an access table; keys beside `sender` and `receiver` count for both.
    pub(super) fn read(node: &Node<'_>) -> Self {
        let misplaced = [
            ("left", "the ends are called `sender` and `receiver`"),
            ("right", "the ends are called `sender` and `receiver`"),
        ];
        let Some(table) = node.table(
            &KEYS,
            &misplaced,
            ACCESS_EXAMPLE.trim_start_matches("access = "),
        ) else {
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
                &END_KEYS,
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

    /// These keys, and those of `base` where they are silent.
    pub(super) fn over(self, base: Self) -> Self {
        Self {
            sender: self.sender.over(base.sender),
            receiver: self.receiver.over(base.receiver),
        }
    }

    /// The keys that have no default and are not set at one end at least.
    pub(super) fn lacks(&self) -> Vec<(&'static str, &'static str)> {
        let mut lacking = self.sender.link.lacks();
        for key in self.receiver.link.lacks() {
            if !lacking.contains(&key) {
                lacking.push(key);
            }
        }
        lacking
    }

    /// Both links. `router` is the length of a router's queue where none is set; a host's own
    /// queue is unlimited where none is set. `aqt` says whether the routers of the sender and of the
    /// receiver add queueing times where none is set; hosts never do.
    pub(super) fn resolve(self, router: Queue, aqt: [bool; 2]) -> Option<Access> {
        let queues = |end: &EndPatch| {
            let host = end.host_queue.unwrap_or(Queue::Unlimited);
            (host, end.link.queue.unwrap_or(router))
        };
        let (sender_queues, receiver_queues) = (queues(&self.sender), queues(&self.receiver));
        let mut sender = self.sender.link.duplex(Queue::Unlimited, [aqt[0]; 2])?;
        sender.forward.aqt = false;
        (sender.forward.queue, sender.reverse.queue) = sender_queues;
        let mut receiver = self.receiver.link.duplex(Queue::Unlimited, [aqt[1]; 2])?;
        receiver.reverse.aqt = false;
        (receiver.reverse.queue, receiver.forward.queue) = receiver_queues;
        Some(Access { sender, receiver })
    }
}

impl EndPatch {
    fn read(table: &Table<'_>) -> Self {
        let mut link = LinkPatch::read(table);
        if let Some(reverse) = table.find("reverse") {
            link.read_reverse(&reverse.called("access.reverse"), &REVERSE_KEYS);
        }
        Self {
            link,
            host_queue: table.find("host_queue").map(|n| queue::read(&n)),
        }
    }

    fn over(self, base: Self) -> Self {
        Self {
            link: self.link.over(base.link),
            host_queue: self.host_queue.or(base.host_queue),
        }
    }
}
