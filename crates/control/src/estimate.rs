//! What a controller infers from its samples. An estimator answers `None` until its first.

pub mod backlog;
pub mod bandwidth;
pub mod base_rtt;
pub mod history;
pub mod incipient;
pub mod per_round;
pub mod relative_delay;
pub mod round;
pub mod rtt;
pub mod sarbe;
pub mod throughput;
