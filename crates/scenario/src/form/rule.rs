//! Rules of a schema. What keys say of one another stands where editors that complete from a schema
//! do not look for keys (`dependencies`, `if`), and lets other keys pass.

use serde_json::{Value, json};

/// Whether a value is a table at all.
pub(crate) fn is_table() -> Value {
    open(json!({ "type": "object" }))
}

/// Exactly one of these keys is set.
pub(crate) fn one_of(keys: &[&str]) -> Value {
    let one: Vec<Value> = keys.iter().map(|key| requires(&[key])).collect();
    open(json!({ "oneOf": one }))
}

/// All of these keys are set.
pub(crate) fn requires(keys: &[&str]) -> Value {
    open(json!({ "required": keys }))
}

/// Keys that a rule does not name are none of its business.
pub(crate) fn open(mut rule: Value) -> Value {
    if let Some(keywords) = rule.as_object_mut() {
        keywords.insert("additionalProperties".to_owned(), true.into());
    }
    rule
}
