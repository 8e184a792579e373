//! A deterministic packet-level network simulator that knows no protocol.
//!
//! A [`Topology`] of nodes, links and pairs of endpoints, a [`Host`] that sends and receives, a
//! seed and an end make a [`Simulation`]. Times are whole nanoseconds, rates bits a second. The
//! same topology, host, seed and end give the same run on every machine.
//!
//! * A link is a [`Queue`], a transmitter, a propagation delay and perhaps a [`Loss`] model,
//!   which acts after the queue. The transmitter has a constant rate, or sends at recorded
//!   [`Opportunities`].
//! * Routes are static: shortest paths, or lists of links.
//! * Packets carry a payload of the host's that the simulator never opens, and one of four
//!   [`Kind`]s to count by. What routers may read is in a [`Label`] beside it.
//! * [`traffic`] has sources, [`random`] reproducible streams of random numbers for hosts.
//!
//! **How it is fast.** The departure of a packet from a first-in-first-out link is known when it
//! arrives. So a link is a list of packets on their way; the scheduler holds the first one of
//! every link and one timer for every endpoint, and nothing happens at the start or end of a
//! transmission. Where a link gets all its packets from another one, both are run in one
//! step; links that deliver in the order in which they are fed share one list. In steady state
//! nothing is allocated.

#![forbid(unsafe_code)]

mod departure;
mod host;
mod ids;
mod label;
mod lane;
mod link;
mod loss;
mod network;
mod opportunity;
mod packet;
mod pool;
mod queue;
pub mod random;
mod scheduler;
mod simulation;
mod statistics;
mod time;
mod topology;
pub mod traffic;

pub use host::{Cause, Host, Port};
pub use ids::{EndpointId, LinkId, NodeId};
pub use label::Label;
pub use lane::Sharing;
pub use loss::{Loss, LossModel};
pub use opportunity::{Opportunities, OpportunitiesError};
pub use packet::{Arrived, Kind, Kinds};
pub use queue::{AckFilter, Queue, Red};
pub use simulation::{Options, SchedulerChoice, Simulation};
pub use statistics::LinkStatistics;
pub use time::Time;
pub use topology::{Link, Topology, TopologyError};
