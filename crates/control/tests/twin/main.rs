//! The C twins in `bpf/` equal the controls in Rust bit for bit, for any stream of events.
//!
//! Without a C compiler these tests print a message and pass, unless `DUMBBELL_REQUIRE_CC=1`.

mod extremes;
mod helpers;
mod program;
mod range;
mod streams;
mod ties;
mod walk;
