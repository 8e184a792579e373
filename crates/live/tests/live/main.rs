//! Tests on the real machine: namespaces, TUN devices, TCP. All traffic stays in namespaces that the tests
//! create.
#![cfg(target_os = "linux")]

mod between;
mod comparison;
mod controls;
mod emulator;
mod hosts;
mod joined;
#[path = "../kernel_log/mod.rs"]
mod kernel_log;
mod orphans;
#[cfg(feature = "quic")]
mod quic;
mod segments;
mod together;
mod veth;
mod window;
#[cfg(not(feature = "kernel"))]
mod without_kernel;
