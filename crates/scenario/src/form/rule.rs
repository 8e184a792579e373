//! Rules of a schema. Rules between keys are in parts of the schema where editors that complete keys do
//! not look for them (`dependencies`, `if`), and they allow other keys.

use serde_json::{Value, json};

/// The rule that a value is a table.
pub(crate) fn is_table() -> Value {
    open(json!({ "type": "object" }))
}

/// The rule that exactly one of these keys is set.
pub(crate) fn one_of(keys: &[&str]) -> Value {
    let one: Vec<Value> = keys.iter().map(|key| requires(&[key])).collect();
    open(json!({ "oneOf": one }))
}

/// The rule that all of these keys are set.
pub(crate) fn requires(keys: &[&str]) -> Value {
    open(json!({ "required": keys }))
}

/// Makes a rule allow keys that it does not name.
pub(crate) fn open(mut rule: Value) -> Value {
    if let Some(keywords) = rule.as_object_mut() {
        keywords.insert("additionalProperties".to_owned(), true.into());
    }
    rule
}
