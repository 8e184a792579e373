//! Packets that wait in a queue that holds them, and what is decided about them.

use crate::packet::Class;

/// A waiting packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Its index in the pool.
    pub index: u32,
    pub class: Class,
    pub arrived: u64,
    /// The number that the packets of its flow share.
    pub flow: u32,
    /// Whether it may be marked.
    pub ect: bool,
    /// Whether it carries ECT(1) or CE (RFC 9331, section 5.1).
    pub l4s: bool,
    /// Whether it has been marked here.
    pub marked: bool,
    pub supersedes: Option<(u32, u64)>,
}

/// Why a packet goes without being transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The queue is full, or too long.
    Full,
    /// Dropped early, by the rule of the queue.
    Early,
    /// A later packet makes it useless.
    Useless,
}

/// What a discipline has decided about packets, apart from which one is next.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decisions {
    /// Packets that will never be transmitted.
    pub gone: Vec<(Waiting, Reason)>,
    /// The number of packets marked.
    pub marked: u64,
}
