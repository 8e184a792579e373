//! The congestion controls, one file each.

pub mod cubic;
pub mod reno;
pub mod tahoe;
pub mod vegas;
pub mod veno;
pub mod venodb;
pub mod westwood;
pub mod westwood_plus;

#[cfg(test)]
pub(crate) mod testing;
