//! The simulator for WebAssembly: the input is the text of a scenario, the output is an outcome, and the curves and
//! events of its run.
//!
//! This is only glue. It compiles for any target; `cargo build -p dumbbell-web --target
//! wasm32-unknown-unknown --profile web` builds the module. `page/engine/` has the JavaScript that calls it, and
//! `tests/node.rs` runs it under Node and compares the output with a native run, byte for byte.

mod answer;
mod catalogue;
mod check;
mod cut;
mod exports;
mod film;
mod host;
mod own;
mod picture;
mod watch;

use dumbbell_run::Run;
use dumbbell_scenario::Scenario;

pub use answer::Answer;
pub use watch::{Wanted, watch};

/// The name of the text of a scenario, in messages.
const FILE: &str = "scenario.toml";

/// Runs the scenario of this text, with this seed or its own. Returns its outcome as JSON, in the form of `dumbbell
/// run --json`, but without the times that the run took.
///
/// # Errors
/// A message that says what is wrong with the scenario, and where.
pub fn outcome(text: &str, seed: Option<u64>) -> Result<String, String> {
    let scenario =
        Scenario::parse(FILE, text, &own::controls()).map_err(|report| report.render(false))?;
    let seed = seed.unwrap_or(scenario.seed);
    let done = Run::new(&scenario).seed(seed).go();
    let done = done.map_err(|stopped| stopped.to_string())?;
    serde_json::to_string(&done.outcome).map_err(|error| error.to_string())
}
