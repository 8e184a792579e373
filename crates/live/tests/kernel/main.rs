//! Controls in this machine's kernel. All traffic stays in namespaces that the tests make.
#![cfg(all(target_os = "linux", feature = "kernel"))]

mod control;
mod ground;
mod killed;
mod story;
mod transfer;
