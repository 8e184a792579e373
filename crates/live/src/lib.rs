//! Dumbbell on real hosts: a scenario's network as a path between two network namespaces, and the
//! controls in the Linux kernel.
//!
//! The crate is for Linux only; elsewhere it is empty. Most of it needs the privileges of root:
//! without them, it returns an error and does nothing.
#![cfg(target_os = "linux")]

#[cfg(feature = "kernel")]
mod carried;
pub mod compare;
mod counters;
mod cpu_latency;
pub mod default_control;
pub mod device;
pub mod doctor;
pub mod emulator;
pub mod error;
#[cfg(feature = "kernel")]
pub mod kernel;
mod limited;
pub mod machine;
pub mod mixture;
pub mod namespace;
mod netlink;
#[cfg(feature = "quic")]
pub mod parity;
pub mod program;
#[cfg(feature = "quic")]
pub mod quic;
pub mod ready;
pub mod real_flow;
mod reports;
pub mod route;
pub mod running;
pub mod sockets;
pub mod stream;
pub mod system;
pub mod timing;
pub mod transfer;
pub mod trials;
pub mod watch;

pub use error::Error;
