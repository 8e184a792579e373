//! What goes into a network from outside, and what becomes of it.

use dumbbell_scenario::Duration;

/// An end of the flow that is outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that sends the data.
    Sender,
    /// The end that receives the data.
    Receiver,
}

/// The sort of a packet, for loss models that spare ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A segment with payload.
    Data,
    /// A segment without payload.
    Ack,
    /// Anything else.
    Datagram,
}

/// What becomes of a packet from outside, with its bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'b> {
    /// It has crossed the network. Its bytes may be changed.
    Through(Through, &'b mut [u8]),
    /// It never arrives.
    Gone(Gone, &'b [u8]),
}

/// A packet that has crossed the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Through {
    /// Its number, from 0 on, in the order in which packets were handed in. A copy has that of its original.
    pub number: u64,
    /// The end at which it arrives.
    pub end: End,
    /// When it was handed in, counted from the start of the emulation.
    pub entered: Duration,
    /// When it arrives, counted from the start of the emulation.
    pub due: Duration,
    /// Whether a router has marked it because of congestion.
    pub marked: bool,
    /// How long it has waited at routers that record queueing delays, in microseconds; `None` if
    /// the packet does not request this.
    pub queueing: Option<u32>,
}

/// A packet that the network does not deliver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Its number, as that of [`Through`].
    pub number: u64,
    /// When it ended, counted from the start of the emulation.
    pub at: Duration,
    /// What ended it.
    pub why: Why,
}

/// Why a packet never arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// A queue or a policer dropped it: congestion.
    Dropped,
    /// A link lost it.
    Lost,
    /// A link damaged it, and the end's checksum would show this.
    Damaged,
    /// A later ACK made it useless, and an ACK filter removed it.
    Filtered,
}

impl Why {
    /// Returns the reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped by a queue",
            Self::Lost => "lost by a link",
            Self::Damaged => "damaged by a link",
            Self::Filtered => "removed by an ACK filter",
        }
    }
}
