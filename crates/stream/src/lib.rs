#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod arrival;
mod drive;
mod late;
pub mod packet;
#[cfg(feature = "quic")]
pub mod quic;
pub mod receiving;
pub mod sending;
pub mod socket;

pub use late::Lateness;

#[cfg(test)]
mod tests;
