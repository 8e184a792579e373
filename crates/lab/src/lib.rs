//! The laboratory: figures as data, claims, tables, and the report that comes out.
#![forbid(unsafe_code)]

pub mod claim;
pub mod cube;
mod description;
pub mod epochs;
pub mod experiment;
pub mod figure;
pub mod matrix;
pub mod report;

/// What points of figures and paths of the matrix are: see [`experiment::Point`].
pub use dumbbell_scenario as scenario;
