//! The laboratory: figures as data, claims, tables, and the report that presents them.
#![forbid(unsafe_code)]

pub mod claim;
pub mod comparison;
pub mod cube;
mod description;
pub mod epochs;
pub mod experiment;
pub mod exploration;
pub mod figure;
pub mod file;
mod markup;
pub mod matrix;
pub mod query;
pub mod recording;
pub mod report;
pub mod reproduction;
pub mod summary;
pub mod sweep;
pub mod table;
pub mod template;
pub mod throughput;
pub mod tidy;
pub mod trace;

/// The scenarios of points and paths, for crates that depend on `lab` alone.
pub use dumbbell_scenario as scenario;
