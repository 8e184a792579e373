//! The mistakes that a network can contain.

use std::error::Error;
use std::fmt;

/// A mistake in a topology or in the options of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopologyError {
    /// A link with this name begins or ends at a node of another topology.
    UnknownNode {
        /// The link's name.
        link: String,
    },
    /// An endpoint is at a node of another topology.
    UnknownEndpointNode {
        /// The endpoint's index.
        endpoint: usize,
    },
    /// The rate of a link is zero.
    ZeroRate {
        /// The link's name.
        link: String,
    },
    /// The queue limit of a link is zero, so not even the packet in transmission fits.
    ZeroQueue {
        /// The link's name.
        link: String,
    },
    /// The parameters of a queue are out of range.
    Queue {
        /// The link's name.
        link: String,
        /// The requirement that is not met.
        reason: &'static str,
    },
    /// The parameters of a policer are out of range.
    Policer {
        /// The link's name.
        link: String,
        /// The requirement that is not met.
        reason: &'static str,
    },
    /// The parameters of a loss model are out of range.
    Loss {
        /// The link's name.
        link: String,
        /// The requirement that is not met.
        reason: &'static str,
    },
    /// The parameters of the transmitter are out of range, or contradict each other.
    Transmission {
        /// The link's name.
        link: String,
        /// The requirement that is not met.
        reason: &'static str,
    },
    /// The parameters of the flight of packets are out of range.
    Flight {
        /// The link's name.
        link: String,
        /// The requirement that is not met.
        reason: &'static str,
    },
    /// There is no path from an endpoint to its peer, or both are at the same node.
    NoPath {
        /// The index of the endpoint that cannot reach its peer.
        endpoint: usize,
    },
    /// An explicit route does not lead from its endpoint, link by link, to the peer.
    BrokenRoute {
        /// The index of the endpoint with this route.
        endpoint: usize,
    },
    /// The simulation would last for nine years (2^58 ns) or longer.
    TooLong,
    /// The chosen scheduler cannot hold so many links and timers, or its size is out of range.
    Scheduler,
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownNode { link } => {
                write!(f, "link {link:?} is at a node of another topology")
            }
            Self::UnknownEndpointNode { endpoint } => {
                write!(f, "endpoint {endpoint} is at a node of another topology")
            }
            Self::ZeroRate { link } => {
                write!(
                    f,
                    "link {link:?} has a rate of 0; it must be at least 1 bit a second"
                )
            }
            Self::ZeroQueue { link } => write!(
                f,
                "link {link:?} has a queue limit of 0; it counts the packet in transmission, \
                 so it must be at least 1"
            ),
            Self::Queue { link, reason }
            | Self::Policer { link, reason }
            | Self::Loss { link, reason }
            | Self::Transmission { link, reason }
            | Self::Flight { link, reason } => {
                write!(f, "link {link:?}: {reason}")
            }
            Self::NoPath { endpoint } => write!(
                f,
                "there is no path from endpoint {endpoint} to its peer at another node"
            ),
            Self::BrokenRoute { endpoint } => write!(
                f,
                "the route of endpoint {endpoint} does not lead from its node, link by link, \
                 to that of its peer"
            ),
            Self::TooLong => {
                f.write_str("a simulation must be shorter than 2^58 nanoseconds (nine years)")
            }
            Self::Scheduler => f.write_str(
                "a tree holds at most 65,536 links and timers, and fewer in a very long run; a \
                 wheel has 2^6 to 2^18 buckets of at most 2^30 ns",
            ),
        }
    }
}

impl Error for TopologyError {}
