//! The glue between the kernel's callbacks and the controls, compiled for this host and stepped by a
//! small kernel (`bpf/host/glue.c`), beside the Rust controls told the same story: bit for bit.
//!
//! Where there is no C compiler these tests say so and pass, unless `DUMBBELL_REQUIRE_CC=1`.
#![cfg(target_os = "linux")]

#[cfg(feature = "kernel")]
mod configuration;
mod memory;
mod mirror;
mod program;
mod streams;
