//! Formats values as TOML.

use std::fmt::Write;

use dumbbell_control::units::Duration;

use crate::quantity::Measure;

/// A file that is being written: lines with keys, below table headings.
#[derive(Default)]
pub(crate) struct Lines(String);

impl Lines {
    /// Writes the heading of a table.
    pub(crate) fn head(&mut self, head: &str) {
        let _ = write!(self.0, "\n{head}\n");
    }

    /// Writes a key with its value.
    pub(crate) fn set(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    /// Writes keys with their values.
    pub(crate) fn set_all(&mut self, keys: Vec<(&'static str, String)>) {
        for (key, value) in keys {
            self.set(key, value);
        }
    }

    /// Returns the text.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Formats a table in one line.
pub(crate) fn table(keys: &[(&str, String)]) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    format!("{{ {} }}", keys.join(", "))
}

/// Formats a time.
pub(crate) fn time(time: Duration) -> String {
    quote(&Measure::Time.show(time.as_nanos()))
}

/// Formats a size.
pub(crate) fn size(bytes: u64) -> String {
    quote(&Measure::Size.show(bytes))
}

/// Formats a number of segments, or no limit.
pub(crate) fn limit(segments: Option<u32>) -> String {
    segments.map_or(quote("unlimited"), |n| n.to_string())
}

/// Returns the shortest decimal number that is read as the same value.
pub(crate) fn real(value: f64) -> String {
    format!("{value:?}")
}

/// Formats an array of words.
pub(crate) fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.map(quote).collect();
    format!("[{}]", words.join(", "))
}

/// Formats a TOML basic string.
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
