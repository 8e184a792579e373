#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod ack_control;
pub(crate) mod bursts;
pub mod config;
pub mod connection;
mod delivery;
mod ecn;
mod extra;
mod hystart;
pub mod option;
pub mod pacing;
pub mod receiver;
pub mod records;
pub mod recovery;
pub mod segment;
pub mod sender;
mod ticks;
pub mod timer;
mod validation;
mod window_use;
