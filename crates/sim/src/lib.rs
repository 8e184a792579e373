#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod ahead;
mod departure;
mod host;
mod ids;
mod label;
mod lane;
mod link;
mod lookahead;
pub mod loss;
mod network;
mod opportunity;
mod packet;
mod pool;
pub mod queue;
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
pub use lookahead::Lookahead;
pub use loss::{Loss, LossModel};
pub use opportunity::{Opportunities, OpportunitiesError};
pub use packet::{Arrived, Kind, Kinds};
pub use queue::{AckFilter, Queue, Red};
pub use simulation::{Options, SchedulerChoice, Simulation};
pub use statistics::LinkStatistics;
pub use time::Time;
pub use topology::{Link, Topology, TopologyError};
