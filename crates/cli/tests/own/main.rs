//! What a user of this project builds of his own, in a folder that belongs to no workspace: a control, and QUIC programs with
//! our controls. Whole programs are built, so it is a step of its own:
//! `cargo test -p dumbbell --test own -- --ignored --nocapture`

mod control;
mod place;
mod quic;
