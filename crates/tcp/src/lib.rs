//! A TCP sender and receiver without sockets, clocks or buffers: events in, segments out.
//!
//! Segments are counted whole and carry no data: this is what a simulator needs, and what shows
//! the rules of a recovery plainly. The sender is generic over its congestion control
//! ([`dumbbell_control::controller::Controller`]) and its [`recovery`].
#![forbid(unsafe_code)]

pub mod ack_control;
pub mod config;
pub mod connection;
mod ecn;
pub mod option;
pub mod pacing;
pub mod receiver;
pub mod records;
pub mod recovery;
pub mod segment;
pub mod sender;
pub mod timer;
