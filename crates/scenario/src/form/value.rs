//! Schemas of plain values: quantities, numbers, words, names and tables.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use serde_json::{Map, Value, json};

use super::Form;
use super::range;
use crate::limits::{PROBABILITY, RATE};
use crate::quantity::Measure;

/// A time, such as `"10 ms"`.
pub(crate) fn time(range: RangeInclusive<Duration>) -> Form {
    let words = format!("a time, {}", range::of_times(&range));
    Form::text(quantity(Measure::Time, range.start().as_nanos()), words)
}

/// A rate, such as `"2 Mb/s"`.
pub(crate) fn rate() -> Form {
    let words = range::of_quantities(Measure::Rate, &RATE);
    Form::text(
        quantity(Measure::Rate, *RATE.start()),
        format!("a rate, {words}"),
    )
}

/// A rate that may be 0, which is an outage.
pub(crate) fn rate_or_outage() -> Form {
    let words = range::of_quantities(Measure::Rate, &(0..=*RATE.end()));
    Form::text(quantity(Measure::Rate, 0), format!("a rate, {words}"))
}

/// A size, such as `"1000 B"`.
pub(crate) fn size(range: RangeInclusive<u64>) -> Form {
    let words = range::of_quantities(Measure::Size, &range);
    Form::text(
        quantity(Measure::Size, *range.start()),
        format!("a size, {words}"),
    )
}

/// Returns the regular expression of a number with a unit, as [`Measure::read`] reads them. Zero is
/// permitted if `low` is 0; other bounds cannot be expressed in a regular expression.
fn quantity(measure: Measure, low: u64) -> String {
    let number = if low == 0 {
        r"(?:\+?[0-9]+(?:\.[0-9]+)?|-0+(?:\.0+)?)"
    } else {
        r"\+?(?:0*[1-9][0-9]*(?:\.[0-9]+)?|0+\.0*[1-9][0-9]*)"
    };
    let units: Vec<&str> = measure.units().iter().map(|(name, _)| *name).collect();
    format!(r"\s*{number}\s*(?:{})\s*", units.join("|"))
}

/// An integer.
pub(crate) fn whole(range: RangeInclusive<u64>) -> Form {
    Form::new("integer", range::of_numbers(&range))
        .rule("minimum", *range.start())
        .rule("maximum", *range.end())
}

/// A number, integer or not. Both types are named because Tombi distinguishes them.
pub(crate) fn number(range: &str) -> Form {
    Form::new("integer", range).or_type("number")
}

/// A probability.
pub(crate) fn probability() -> Form {
    number("a probability, 0 to 1")
        .rule("minimum", plain(*PROBABILITY.start()))
        .rule("maximum", plain(*PROBABILITY.end()))
}

/// A Boolean.
pub(crate) fn flag() -> Form {
    Form::new("boolean", "`true` or `false`")
}

/// One of a few words; `meaning` describes each.
pub(crate) fn words<T: Copy>(words: &[(&str, T)], meaning: impl Fn(T) -> String) -> Form {
    let explained: Vec<String> = words.iter().map(|(_, value)| meaning(*value)).collect();
    let range: Vec<String> = words
        .iter()
        .zip(&explained)
        .map(|((word, _), meaning)| format!("`\"{word}\"`: {meaning}"))
        .collect();
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    Form::new("string", range.join("; "))
        .rule("enum", names)
        // The key with which Taplo shows a description of each word.
        .rule("x-taplo", json!({ "docs": { "enumValues": explained } }))
}

/// One line of text with at most `longest` characters.
pub(crate) fn name(longest: usize) -> Form {
    const CONTROLS: &str = r"\u0000-\u001f\u007f-\u009f";
    let end = format!(r"[^\s{CONTROLS}]");
    Form::text(
        format!("{end}(?:[^{CONTROLS}]*{end})?"),
        format!("one line, up to {longest} characters"),
    )
    .rule("maxLength", longest)
}

/// A table with these keys.
pub(crate) fn table(forms: &[(&str, Form)]) -> Form {
    let needed: Vec<&str> = forms
        .iter()
        .filter(|(_, form)| form.is_needed())
        .map(|(key, _)| *key)
        .collect();
    let properties: Map<String, Value> = forms
        .iter()
        .map(|(key, form)| ((*key).to_owned(), form.schema()))
        .collect();
    let table = Form::new("object", "")
        .rule("properties", properties)
        .rule("additionalProperties", false);
    if needed.is_empty() {
        return table;
    }
    table.rule("required", needed)
}

/// An array whose length is in `length`.
pub(crate) fn array(element: &Form, length: RangeInclusive<usize>) -> Form {
    Form::new("array", "")
        .rule("items", element.schema())
        .rule("minItems", *length.start())
        .rule("maxItems", *length.end())
}

/// A word or one of several tables. Each is a separate schema, so that an editor knows which keys go
/// together.
pub(crate) fn alternatives(word: &Form, tables: impl Iterator<Item = Form>) -> Value {
    let word = word.schema();
    let mut forms = vec![word.clone()];
    forms.extend(tables.map(|table| table.schema()));
    json!({ "description": word["description"], "anyOf": forms })
}

/// One of these words, each with its description.
pub(crate) fn one_word(explained: &[(&str, String)]) -> Form {
    let indexed: Vec<(&str, usize)> = explained
        .iter()
        .enumerate()
        .map(|(i, (word, _))| (*word, i))
        .collect();
    words(&indexed, |i| explained[i].1.clone())
}

/// Returns a number as JSON, without a fraction if it is an integer.
pub(crate) fn plain(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return json!(number as i64);
    }
    json!(number)
}
