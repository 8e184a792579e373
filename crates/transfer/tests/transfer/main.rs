//! Servers and clients over loopback: whole transfers, broken ones, and peers that mean harm.

mod hostile;
mod liar;
mod process;
mod setting;
mod stranger;
mod whole;
