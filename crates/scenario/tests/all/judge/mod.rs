//! Checks a file against the schema.

use std::sync::LazyLock;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::schema;
use jsonschema::Validator;
use serde_json::Value;

/// The schema of scenario files.
pub static SCHEMA: LazyLock<Value> = LazyLock::new(|| schema::of(&Controls::builtin()));

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(&SCHEMA).expect("a valid schema"));

/// Returns a file as an editor passes it to a schema, without a byte-order mark; `None` if it is not
/// TOML.
pub fn json(text: &str) -> Option<Value> {
    toml::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()
}

/// Returns the violations of the schema in a file.
pub fn complaints(file: &Value) -> Vec<String> {
    VALIDATOR
        .iter_errors(file)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
