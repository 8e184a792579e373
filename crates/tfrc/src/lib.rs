#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod equation;
pub mod multfrc;
pub mod packet;
pub mod parallel;
pub mod receiver;
mod seconds;
pub mod sender;
pub mod steered;
pub mod wire;
