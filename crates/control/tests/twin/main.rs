//! The C twins in `bpf/` against Rust: bit for bit, for any stream of events.
//!
//! Where there is no C compiler these tests say so and pass, unless `DUMBBELL_REQUIRE_CC=1`.

mod extremes;
mod helpers;
mod program;
mod streams;
mod ties;
mod walk;
