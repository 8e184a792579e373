//! The laboratory: scenario files, the runs that they describe, and the tables that come out.
#![forbid(unsafe_code)]

pub mod batch;
pub mod catalogue;
pub mod claim;
pub mod controls;
pub mod epochs;
pub mod experiment;
pub mod explain;
pub mod figure;
pub mod histogram;
pub mod matrix;
pub mod outcome;
pub mod rate_controls;
pub mod report;
pub mod samples;
pub mod scenario;
mod settings;
pub mod simulation;
pub mod statistics;
pub mod store;
pub mod trace;

/// A size and a span of time, as scenarios and results have them.
pub use dumbbell_control::units::{Bytes, Duration};
