//! Tests the adapter between two endpoints in virtual time.

#[path = "../../../quinn/tests/adapter/examples.rs"]
mod examples;
#[path = "../../../quinn/tests/adapter/pair.rs"]
mod pair;
mod stack;
mod transfer;

#[test]
fn the_example_programs_transfer() {
    examples::transfer("noq_server", "noq_client");
}
