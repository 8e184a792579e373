//! Tests the adapter between two endpoints in virtual time.

#[path = "../../../quinn/tests/adapter/pair.rs"]
mod pair;
mod stack;
mod transfer;
