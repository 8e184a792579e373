//! Servers and clients over loopback: whole transfers, broken ones, and peers that mean harm.

mod hostile;
mod process;
mod setting;
mod stranger;
mod whole;
