//! What a scenario can name, and the form of scenario files.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{catalogue, schema};
use serde_json::json;

/// Returns the sections of `dumbbell list --json`, the schema of `dumbbell schema`, and the version.
pub(crate) fn catalogue(controls: &Controls) -> String {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "sections": catalogue::sections(controls),
        "schema": schema::of(controls),
    })
    .to_string()
}
