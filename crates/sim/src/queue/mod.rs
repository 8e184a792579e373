//! Queues: what a link does with packets that arrive while it is transmitting.

mod ack_filter;
mod drop_tail;
mod opportunity;
mod red;

pub(crate) use self::ack_filter::{Filter, Server, Transmitted, Waiting};
pub(crate) use self::drop_tail::{Admitted, Backlog, DropTail};
pub(crate) use self::opportunity::OpportunityFifo;
pub(crate) use self::red::{Detector, Verdict};

pub use self::ack_filter::AckFilter;
pub use self::red::Red;

/// The queue in front of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Queue {
    /// First in, first out; an arrival that finds the queue full is dropped.
    DropTail {
        /// The largest number of packets in the system, including the one in transmission; at least 1.
        /// If forty packets arrive at once at an idle link with limit 15, 15 are in the system and 25
        /// are dropped, as in ns-2.
        limit: u32,
    },
    /// First in, first out, without a limit.
    Unlimited,
    /// First in, first out; arrivals may be dropped or marked before the queue is full.
    Red(Red),
    /// An arrival removes the packets that it makes useless.
    AckFilter(AckFilter),
}

impl Queue {
    /// Returns the largest number of packets in the system.
    pub(crate) fn limit(self) -> u32 {
        match self {
            Self::DropTail { limit } => limit,
            Self::Unlimited => u32::MAX,
            Self::Red(red) => red.limit,
            Self::AckFilter(filter) => filter.limit,
        }
    }

    /// Returns whether the number of packets in the system matters: it has a limit, RED decides by it,
    /// or the link is watched.
    pub(crate) fn is_counted(self, watched: bool) -> bool {
        watched || self.limit() != u32::MAX || matches!(self, Self::Red(_))
    }

    /// Returns whether waiting packets may still be removed, so that departures are not known at
    /// arrival.
    pub(crate) fn decides_at_departure(self) -> bool {
        matches!(self, Self::AckFilter(_))
    }

    /// Returns whether the queue reads or writes the labels of packets.
    pub(crate) fn is_labelled(self) -> bool {
        match self {
            Self::DropTail { .. } | Self::Unlimited => false,
            Self::Red(red) => red.ecn,
            Self::AckFilter(_) => true,
        }
    }

    /// Returns what is wrong with the parameters, apart from the limit.
    pub(crate) fn fault(self) -> Option<&'static str> {
        match self {
            Self::Red(red) => red.fault(),
            _ => None,
        }
    }
}
