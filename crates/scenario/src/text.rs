//! Values as TOML.

use std::fmt::Write;

use dumbbell_control::units::Duration;

use crate::quantity::Measure;

/// A file in the making: lines of keys under heads.
#[derive(Default)]
pub(crate) struct Lines(String);

impl Lines {
    /// The head of a table.
    pub(crate) fn head(&mut self, head: &str) {
        let _ = write!(self.0, "\n{head}\n");
    }

    /// A key with its value.
    pub(crate) fn set(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    /// Keys with their values.
    pub(crate) fn set_all(&mut self, keys: Vec<(&'static str, String)>) {
        for (key, value) in keys {
            self.set(key, value);
        }
    }

    /// The text.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// A table in one line.
pub(crate) fn table(keys: &[(&str, String)]) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    format!("{{ {} }}", keys.join(", "))
}

/// A time.
pub(crate) fn time(time: Duration) -> String {
    quote(&Measure::Time.show(time.as_nanos()))
}

/// A size.
pub(crate) fn size(bytes: u64) -> String {
    quote(&Measure::Size.show(bytes))
}

/// A number of segments, or no limit.
pub(crate) fn limit(segments: Option<u32>) -> String {
    segments.map_or(quote("unlimited"), |n| n.to_string())
}

/// The shortest decimal number that reads as the same one.
pub(crate) fn real(value: f64) -> String {
    format!("{value:?}")
}

/// An array of words.
pub(crate) fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.map(quote).collect();
    format!("[{}]", words.join(", "))
}

/// A TOML basic string.
pub(crate) fn quote(text: &str) -> String {
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
