//! The congestion controls, one file each.

pub mod reno;
pub mod tahoe;
pub mod veno;

#[cfg(test)]
pub(crate) mod testing;
