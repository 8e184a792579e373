#![doc = include_str!("../README.md")]

mod ahead;
mod calendar;
mod departure;
mod host;
mod ids;
mod label;
mod lane;
mod link;
pub mod loss;
mod network;
mod opportunity;
mod packet;
mod pool;
mod prefetch;
pub mod queue;
pub mod random;
mod ring;
mod scheduler;
mod simulation;
mod statistics;
mod time;
mod topology;
pub mod traffic;

pub use host::{Cause, Foresight, Host, Port};
pub use ids::{EndpointId, LinkId, NodeId};
pub use label::Label;
pub use lane::Sharing;
pub use loss::{Loss, LossModel};
pub use opportunity::{Opportunities, OpportunitiesError};
pub use packet::{Arrived, Kind, Kinds};
pub use prefetch::fetch;
pub use queue::{AckFilter, Queue, Red};
pub use simulation::{Options, SchedulerChoice, Simulation};
pub use statistics::LinkStatistics;
pub use time::Time;
pub use topology::{Link, Topology, TopologyError};
