#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod drive;
pub mod packet;
#[cfg(feature = "quic")]
pub mod quic;
pub mod receiving;
pub mod sending;
pub mod socket;

#[cfg(test)]
mod tests;
