//! A value of a document with its position: it is read as a type, or recorded as a mistake.

use std::ops::{Range, RangeInclusive};

use dumbbell_control::units::{Bytes, Duration};
use toml::Spanned;
use toml::de::DeValue;

use super::{File, Misplaced, Table};
use crate::decimal::{Decimal, Inexact};
use crate::limits::{PROBABILITY, RATE};
use crate::quantity::{BitRate, Measure, clip};
use crate::suggest;
use crate::trace_file::Traces;

/// A value with its position and its name.
#[derive(Clone)]
pub(crate) struct Node<'d> {
    pub(super) value: &'d DeValue<'d>,
    pub(super) span: Range<usize>,
    pub(super) name: String,
    pub(super) file: &'d File,
}

impl<'d> Node<'d> {
    /// Returns the position of the value.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the key, with that of its table if this makes it clearer.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the same value under a longer name for messages.
    pub(crate) fn called(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Returns the traces beside the file.
    pub(crate) fn traces(&self) -> &'d Traces {
        &self.file.traces
    }

    /// Records a mistake in this value.
    pub(crate) fn wrong(&self, message: impl Into<String>, help: impl Into<String>) {
        self.file.log.note(self.span.clone(), message, help.into());
    }

    /// Records that the value has the wrong type.
    pub(crate) fn mistyped(&self, wanted: &str, example: &str) {
        let message = format!("`{}` must be {wanted}, not {}", self.name, self.kind());
        self.wrong(
            message,
            format!("write for example {} = {example}", self.key()),
        );
    }

    fn key(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    fn kind(&self) -> &'static str {
        match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        }
    }

    /// Returns the string, if it is one; records nothing.
    pub(crate) fn as_text(&self) -> Option<&'d str> {
        self.value.as_str()
    }

    /// Returns the Boolean, if it is one; records nothing.
    pub(crate) fn as_flag(&self) -> Option<bool> {
        self.value.as_bool()
    }

    /// Returns whether the value is a table; records nothing.
    pub(crate) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Returns whether the value is a number; records nothing.
    pub(crate) fn is_number(&self) -> bool {
        self.value.is_integer() || self.value.is_float()
    }

    /// Returns whether the value is an array; records nothing.
    pub(crate) fn is_array(&self) -> bool {
        self.value.is_array()
    }

    /// Returns a number as it was written, without underscores; numbers in other bases are converted to
    /// base ten.
    pub(crate) fn as_number(&self) -> Option<String> {
        match self.value {
            DeValue::Integer(n) if n.radix() == 10 => Some(n.as_str().to_owned()),
            DeValue::Integer(n) => u64::from_str_radix(n.as_str(), n.radix())
                .ok()
                .map(|n| n.to_string()),
            DeValue::Float(n) => Some(n.as_str().to_owned()),
            DeValue::String(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => None,
        }
    }

    /// Reads a string that is not empty.
    pub(crate) fn text(&self, example: &str) -> Option<&'d str> {
        match self.as_text() {
            None => self.mistyped("a string", example),
            Some("") => self.wrong(
                format!("`{}` is empty", self.name),
                format!("write for example {} = {example}", self.key()),
            ),
            text => return text,
        }
        None
    }

    /// Reads one of a few words.
    pub(crate) fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let Some(text) = self.as_text() else {
            self.mistyped(
                &format!("one of {}", suggest::list(&names)),
                &format!("\"{}\"", names[0]),
            );
            return None;
        };
        let found = words
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, value)| *value);
        if found.is_none() {
            let message = format!("`{}` cannot be `{}`", self.name, clip(text));
            self.wrong(message, suggest::help(text, "it is one of", &names));
        }
        found
    }

    /// Reads a Boolean.
    pub(crate) fn flag(&self) -> Option<bool> {
        let flag = self.as_flag();
        if flag.is_none() {
            self.mistyped("true or false", "true");
        }
        flag
    }

    /// Reads an integer within a range.
    pub(crate) fn whole(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let (low, high) = range.clone().into_inner();
        let DeValue::Integer(_) = self.value else {
            self.mistyped("a whole number", &low.max(1).to_string());
            return None;
        };
        let written = self
            .as_number()
            .and_then(|text| Decimal::parse(&text).and_then(|d| d.times(1)).ok());
        let found = written.filter(|n| range.contains(n));
        if found.is_none() {
            self.wrong(
                format!("`{}` is out of range", self.name),
                format!("it is a whole number from {low} to {high}"),
            );
        }
        found
    }

    /// Reads a probability: a plain number from 0 to 1.
    pub(crate) fn probability(&self) -> Option<f64> {
        self.real(
            PROBABILITY,
            "a probability: a plain number from 0 to 1",
            "0.01",
        )
    }

    /// Reads a plain number within a range; `what` describes it in messages.
    pub(crate) fn real(
        &self,
        range: RangeInclusive<f64>,
        what: &str,
        example: &str,
    ) -> Option<f64> {
        let Some(written) = self.as_number() else {
            if matches!(self.value, DeValue::Integer(_)) {
                self.wrong(
                    format!("`{}` is out of range", self.name),
                    format!("it is {what}"),
                );
            } else {
                self.mistyped(what, example);
            }
            return None;
        };
        let found = written.parse::<f64>().ok().filter(|p| range.contains(p));
        if found.is_none() {
            let help = format!("it is {what}, for example {example}");
            self.wrong(
                format!(
                    "`{}` is {}, which is out of range",
                    self.name,
                    clip(&written)
                ),
                help,
            );
        }
        // A negative zero would not survive being written and compared.
        found.map(|p| p + 0.0)
    }

    /// Reads a time within a range.
    pub(crate) fn time(&self, range: RangeInclusive<Duration>) -> Option<Duration> {
        let range = range.start().as_nanos()..=range.end().as_nanos();
        self.quantity(Measure::Time, range)
            .map(Duration::from_nanos)
    }

    /// Reads a rate.
    pub(crate) fn rate(&self) -> Option<BitRate> {
        self.quantity(Measure::Rate, RATE).map(BitRate)
    }

    /// Reads a rate within a range, in bit/s.
    pub(crate) fn rate_within(&self, range: RangeInclusive<u64>) -> Option<BitRate> {
        self.quantity(Measure::Rate, range).map(BitRate)
    }

    /// Reads a rate, or 0 for an outage.
    pub(crate) fn rate_or_outage(&self) -> Option<BitRate> {
        self.quantity(Measure::Rate, 0..=*RATE.end()).map(BitRate)
    }

    /// Reads a size within a range.
    pub(crate) fn size(&self, range: RangeInclusive<u64>) -> Option<Bytes> {
        self.quantity(Measure::Size, range).map(Bytes)
    }

    fn quantity(&self, measure: Measure, range: RangeInclusive<u64>) -> Option<u64> {
        let Some(text) = self.as_text() else {
            match self.as_number() {
                Some(number) => {
                    let message = format!("`{}` needs a unit", self.name);
                    self.wrong(
                        message,
                        format!(
                            "write for example {} = \"{}\"",
                            self.key(),
                            measure.guess(&number)
                        ),
                    );
                }
                None => self.mistyped(
                    &format!("a {}, a string with its unit", measure.word()),
                    &format!("\"{}\"", measure.example()),
                ),
            }
            return None;
        };
        let value = match measure.read(text) {
            Ok(value) => value,
            Err(wrong) => {
                self.wrong(format!("`{}`: {}", self.name, wrong.message), wrong.help);
                return None;
            }
        };
        if range.contains(&value) {
            return Some(value);
        }
        let help = format!(
            "it lies from {} to {}",
            measure.show(*range.start()),
            measure.show(*range.end())
        );
        self.wrong(
            format!(
                "`{}` is {}, which is out of range",
                self.name,
                clip(text.trim())
            ),
            help,
        );
        None
    }

    /// Reads a decimal number, exactly as written; records a value of another type as a mistake.
    pub(crate) fn decimal(&self, what: &str, example: &str) -> Option<Result<Decimal, Inexact>> {
        let number = self.as_number();
        if number.is_none() {
            self.mistyped(what, example);
        }
        number.map(|text| Decimal::parse(&text))
    }

    /// Reads a table with these keys.
    pub(crate) fn table(
        &self,
        keys: &[&'static str],
        misplaced: &[Misplaced],
        example: &str,
    ) -> Option<Table<'d>> {
        let mut table = self.open(keys, example)?;
        table.refuse_unknown_keys(misplaced);
        Some(table)
    }

    /// Reads a table whose unknown keys the caller handles.
    pub(crate) fn open(&self, keys: &[&'static str], example: &str) -> Option<Table<'d>> {
        let DeValue::Table(entries) = self.value else {
            self.mistyped("a table", example);
            return None;
        };
        Some(Table {
            entries,
            span: self.span.clone(),
            path: self.name.clone(),
            file: self.file,
            keys: keys.to_vec(),
            checked: false,
        })
    }

    /// Reads the elements of an array.
    pub(crate) fn array(&self, example: &str) -> Option<Vec<Node<'d>>> {
        let DeValue::Array(elements) = self.value else {
            self.mistyped("an array", example);
            return None;
        };
        let node = |value: &'d Spanned<DeValue<'d>>| Node {
            value: value.get_ref(),
            span: value.span(),
            name: self.name.clone(),
            file: self.file,
        };
        Some(elements.iter().map(node).collect())
    }
}
