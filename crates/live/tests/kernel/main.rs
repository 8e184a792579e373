//! Controls in this machine's kernel. All traffic stays in namespaces that the tests create.
#![cfg(all(target_os = "linux", feature = "kernel"))]

mod control;
mod ground;
mod killed;
mod pacing;
mod story;
mod transfer;
