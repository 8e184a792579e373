//! Controls in this machine's kernel. All traffic stays in namespaces that the tests create.
#![cfg(all(target_os = "linux", feature = "kernel"))]

mod control;
mod ground;
#[path = "../kernel_log/mod.rs"]
mod kernel_log;
mod killed;
mod pacing;
mod story;
mod stress;
mod transfer;
