//! Values as TOML.

use std::fmt::Write;

use dumbbell_control::units::Duration;

use crate::quantity::Measure;

pub(super) fn table(keys: &[(&str, String)]) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    format!("{{ {} }}", keys.join(", "))
}

pub(super) fn time(time: Duration) -> String {
    quote(&Measure::Time.show(time.as_nanos()))
}

pub(super) fn size(bytes: u64) -> String {
    quote(&Measure::Size.show(bytes))
}

pub(super) fn limit(segments: Option<u32>) -> String {
    segments.map_or(quote("unlimited"), |n| n.to_string())
}

/// The shortest decimal number that reads as the same one.
pub(super) fn real(value: f64) -> String {
    format!("{value:?}")
}

/// An array of words.
pub(super) fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.map(quote).collect();
    format!("[{}]", words.join(", "))
}

/// A TOML basic string.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
