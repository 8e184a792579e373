//! Marks what is not tested without the feature `kernel`: everything about the controls in the
//! kernel.

#[test]
fn controls_in_the_kernel() {
    let why = "built without the feature `kernel`: cargo test -p dumbbell-live --features kernel";
    let required = std::env::var_os("DUMBBELL_REQUIRE_LIVE").is_some_and(|value| value == "1");
    assert!(!required, "DUMBBELL_REQUIRE_LIVE=1, but {why}");
    println!("skipped: {why}");
}
