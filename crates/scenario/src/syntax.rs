//! Mistakes in the TOML syntax.

use toml::de::Error;

use crate::log::Found;
use crate::quantity::Measure;

/// The largest number of reported errors: one slip of the syntax can lead to many errors.
const MOST: usize = 5;

/// Returns the errors of the TOML reader, at most one per line.
pub(crate) fn describe(text: &str, errors: &[Error]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut last_line = None;
    for error in errors {
        let span = error.span().unwrap_or(text.len()..text.len());
        let line = line_at(text, span.start);
        if last_line == Some(line.as_ptr()) || found.len() == MOST {
            continue;
        }
        last_line = Some(line.as_ptr());
        found.push((
            span,
            format!("not valid TOML: {}", error.message()),
            bare_quantity(line),
        ));
    }
    found
}

fn line_at(text: &str, at: usize) -> &str {
    let before = text.as_bytes()[..at.min(text.len())]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |n| n + 1);
    let rest = &text[before..];
    rest.lines().next().unwrap_or(rest)
}

/// Recognises a common slip: a quantity without quotes.
fn bare_quantity(line: &str) -> Option<String> {
    line.split('=')
        .zip(line.split('=').skip(1))
        .find_map(|(before, after)| {
            let key = before
                .trim_end()
                .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()?;
            let value = after.split([',', '}', ']', '#', '"', '\'']).next()?.trim();
            let starts = value.starts_with(|c: char| c.is_ascii_digit());
            let unit = value.ends_with(|c: char| c.is_alphabetic());
            let known = [Measure::Rate, Measure::Time, Measure::Size]
                .into_iter()
                .any(|m| m.read(value).is_ok());
            (starts && unit && known)
                .then(|| format!("a quantity is a string: {key} = \"{value}\""))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_without_quotes_is_recognised() {
        let help = bare_quantity("a = { rate = 2 Mb/s, delay = \"1 ms\" }");
        assert_eq!(
            help.as_deref(),
            Some("a quantity is a string: rate = \"2 Mb/s\"")
        );
        assert_eq!(
            bare_quantity("duration = 100s").as_deref(),
            Some("a quantity is a string: duration = \"100s\"")
        );
        assert_eq!(bare_quantity("seed = 3"), None);
        assert_eq!(bare_quantity("a = 3x"), None);
        assert_eq!(bare_quantity("no equals sign"), None);
    }
}
