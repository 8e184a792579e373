//! Congestion controls for lossy paths. Events in, numbers out: a controller is a plain
//! struct that is told what happened and answers with a window.
//!
//! No clock, no random numbers, no heap, no floats in a decision: the same stream of events
//! gives the same windows on every machine, and in C.
#![no_std]
#![forbid(unsafe_code)]

pub mod algorithm;
pub mod catalogue;
pub mod classifier;
pub mod controller;
pub mod estimate;
pub mod estimator;
pub mod event;
pub mod filter;
pub mod growth;
pub mod parameter;
pub mod registry;
pub mod rule;
#[doc(hidden)]
pub mod snapshot;
pub mod units;
pub mod wide;
