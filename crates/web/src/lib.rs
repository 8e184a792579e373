//! The simulator for WebAssembly: the text of a scenario goes in, an outcome comes out.
//!
//! This is glue. It compiles for any target; `cargo build -p dumbbell-web --target
//! wasm32-unknown-unknown --release` makes the module. `tests/node.rs` runs it under Node and compares
//! what comes out with a native run, byte for byte.

mod exports;

use dumbbell_run::Run;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// Runs the scenario of this text with a seed. Returns its outcome as JSON, as `dumbbell run --json`
/// prints it but for the times that it took.
///
/// # Errors
/// In words for people: what is wrong with the scenario, and where.
pub fn outcome(text: &str, seed: u64) -> Result<String, String> {
    let scenario = Scenario::parse("scenario.toml", text, &Controls::builtin())
        .map_err(|report| report.render(false))?;
    let done = Run::new(&scenario).seed(seed).go();
    let done = done.map_err(|stopped| stopped.to_string())?;
    serde_json::to_string(&done.outcome).map_err(|error| error.to_string())
}
