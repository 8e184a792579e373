//! The congestion controls, one file each.

pub mod cubic;
pub mod multcp;
pub mod new_veno;
pub mod reno;
pub mod rovegas;
pub mod sarbe;
pub mod tahoe;
pub mod vegas;
pub mod vegas_a;
pub mod vegas_a_plus;
pub mod veno;
pub mod veno_plus;
pub mod venodb;
pub mod westwood;
pub mod westwood_plus;

#[cfg(test)]
pub(crate) mod testing;
