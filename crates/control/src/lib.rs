#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

pub mod algorithm;
pub mod catalogue;
pub mod classifier;
pub mod controller;
pub mod delivery;
pub mod estimate;
pub mod estimator;
pub mod event;
pub mod filter;
pub mod growth;
pub mod hint;
pub mod parameter;
pub mod registry;
pub mod rule;
#[doc(hidden)]
pub mod snapshot;
pub mod units;
pub mod wide;
