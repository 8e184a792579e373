//! Queues: what a link does with packets that arrive while it is transmitting.

mod drop_tail;

pub(crate) use self::drop_tail::{Admitted, Backlog, DropTail};

/// The queue in front of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// First in, first out; an arrival that finds the queue full is dropped.
    DropTail {
        /// Packets in the system at most, the one in transmission included; at least 1. Forty
        /// packets that arrive at once at an idle link with limit 15 leave 15 in the system and
        /// lose 25, as in ns-2.
        limit: u32,
    },
    /// First in, first out, without a limit.
    Unlimited,
}

impl Queue {
    /// Packets in the system at most.
    pub(crate) fn limit(self) -> u32 {
        match self {
            Self::DropTail { limit } => limit,
            Self::Unlimited => u32::MAX,
        }
    }
}
