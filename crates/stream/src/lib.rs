#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod packet;
pub mod receiving;
pub mod sending;
pub mod socket;

#[cfg(test)]
mod tests;
