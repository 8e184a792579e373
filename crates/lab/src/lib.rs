//! The laboratory: figures as data, claims, tables, and the report that comes out.
#![forbid(unsafe_code)]

pub mod claim;
pub mod comparison;
pub mod cube;
mod description;
pub mod epochs;
pub mod experiment;
pub mod figure;
pub mod file;
mod markup;
pub mod matrix;
pub mod report;
pub mod reproduction;
pub mod summary;
pub mod template;
pub mod throughput;

/// The scenarios behind points and paths, for crates that import `lab` alone.
pub use dumbbell_scenario as scenario;
