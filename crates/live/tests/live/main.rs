//! Tests on the real machine: namespaces, TUN devices, TCP. All traffic stays in namespaces that the tests
//! create.
#![cfg(target_os = "linux")]

mod comparison;
mod controls;
mod emulator;
mod hosts;
#[path = "../kernel_log/mod.rs"]
mod kernel_log;
mod orphans;
#[cfg(not(feature = "kernel"))]
mod without_kernel;
