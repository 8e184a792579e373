//! The laboratory: scenario files, the runs that they describe, and the tables that come out.
#![forbid(unsafe_code)]

pub mod controls;
pub mod scenario;
