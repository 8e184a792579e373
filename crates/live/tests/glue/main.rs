//! The glue between the kernel's callbacks and the controls, compiled for the host and stepped by a
//! minimal kernel (`bpf/host/glue.c`), is compared bit for bit with the Rust controls that receive
//! the same events.
//!
//! Without a C compiler these tests print a message and pass, unless `DUMBBELL_REQUIRE_CC=1`.
#![cfg(target_os = "linux")]

mod bound;
#[cfg(feature = "kernel")]
mod configuration;
mod echo;
mod memory;
mod mirror;
mod program;
mod size;
mod streams;
