#![doc = include_str!("../README.md")]

mod ahead;
mod arq;
mod calendar;
mod departure;
mod engine;
mod flight;
mod foresight;
mod host;
mod ids;
mod inlet;
mod label;
mod landing;
mod lane;
mod link;
mod lookahead;
pub mod loss;
mod network;
mod opportunity;
mod packet;
mod pool;
mod prefetch;
pub mod queue;
pub mod random;
mod scheduler;
mod simulation;
mod sojourn;
mod statistics;
mod steps;
mod time;
mod topology;
pub mod traffic;
mod transmitter;
mod travel;

pub use arq::Arq;
pub use flight::{Flight, Jitter, Law, Reorder};
pub use host::{Cause, Foresight, Host, Port};
pub use ids::{EndpointId, LinkId, NodeId};
pub use label::{Ecn, Label};
pub use lane::Sharing;
pub use lookahead::Lookahead;
pub use loss::{Loss, LossModel};
pub use opportunity::{Opportunities, OpportunitiesError};
pub use packet::{Arrived, Kind, Kinds};
pub use prefetch::fetch;
pub use queue::{
    AckFilter, Bounded, CoDel, DualPi2, DualScheduler, Fq, FqCoDel, Limit, Pie, Queue, Red,
};
pub use simulation::{Options, SchedulerChoice, Simulation};
pub use sojourn::Sojourn;
pub use statistics::LinkStatistics;
pub use steps::{Steps, StepsError};
pub use time::Time;
pub use topology::{Link, Topology, TopologyError};
pub use transmitter::{Aggregate, InService, Shaper, Transmission, VaryingRate};
