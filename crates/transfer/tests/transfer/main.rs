//! Servers and clients over loopback: whole transfers, broken ones, and peers that mean harm.

mod false_server;
mod hostile;
#[path = "../../src/qlog/keys.rs"]
mod keys;
mod liar;
mod process;
mod setting;
mod stranger;
mod whole;
