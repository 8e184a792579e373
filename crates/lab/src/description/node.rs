//! A value of a description with its position: it is read as a type, or recorded as a mistake.

use std::ops::Range;

use dumbbell_scenario::suggest;
use toml::Spanned;
use toml::de::DeValue;

use super::plain::plain;
use super::{Keys, Log};

/// A value with its position and its key.
#[derive(Clone)]
pub(crate) struct Node<'d> {
    pub(super) value: &'d DeValue<'d>,
    pub(super) span: Range<usize>,
    pub(super) name: String,
    pub(super) log: &'d Log,
}

/// The most names that are listed if none of them is similar.
const MOST_NAMED: usize = 12;

impl<'d> Node<'d> {
    /// The key of this value.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Records a mistake of this value.
    pub(crate) fn wrong(&self, message: impl Into<String>, help: impl Into<String>) {
        self.log.note(self.span.clone(), message, Some(help.into()));
    }

    fn mistyped(&self, wanted: &str, example: &str) {
        let kind = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.wrong(
            format!("`{}` must be {wanted}, not {kind}", self.name),
            format!("write for example {} = {example}", self.name),
        );
    }

    /// Returns the string, if it is one; records nothing.
    pub(crate) fn as_text(&self) -> Option<&'d str> {
        self.value.as_str()
    }

    /// Returns a number as it is written, in base ten; records a value of another type as a mistake.
    pub(crate) fn as_number(&self) -> Option<String> {
        let written = match self.value {
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
            DeValue::Float(number) => Some(number.as_str().to_owned()),
            _ => None,
        };
        if written.is_none() {
            self.mistyped("a number or a quantity", "0.01");
        }
        written
    }

    /// The value with its position.
    pub(crate) fn spanned(&self) -> Spanned<DeValue<'d>> {
        Spanned::new(self.span.clone(), self.value.clone())
    }

    /// The position of the value.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Whether it is a table.
    pub(crate) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// The same value, under another name for messages.
    pub(crate) fn called(self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..self
        }
    }

    /// Whether it is an array.
    pub(crate) fn is_array(&self) -> bool {
        self.value.is_array()
    }

    /// Whether it is a string.
    pub(crate) fn is_text(&self) -> bool {
        self.value.is_str()
    }

    /// Returns a string.
    pub(crate) fn text(&self) -> Option<&'d str> {
        let text = self.value.as_str();
        if text.is_none() {
            self.mistyped("a string", "\"text\"");
        }
        text
    }

    /// Returns a finite number.
    pub(crate) fn number(&self) -> Option<f64> {
        let number = match plain(self.value) {
            Some(toml::Value::Integer(number)) => Some(number as f64),
            Some(toml::Value::Float(number)) => Some(number),
            _ => None,
        };
        match number {
            Some(number) if number.is_finite() => return Some(number),
            Some(_) => self.wrong(
                format!("`{}` is no number", self.name),
                "a finite number is required",
            ),
            None => self.mistyped("a number", "0.5"),
        }
        None
    }

    /// Returns a whole number of at least 1.
    pub(crate) fn count(&self) -> Option<u64> {
        let DeValue::Integer(_) = self.value else {
            self.mistyped("a whole number", "10");
            return None;
        };
        let whole = match plain(self.value) {
            Some(toml::Value::Integer(number)) => u64::try_from(number).ok(),
            _ => None,
        };
        let count = whole.filter(|count| *count >= 1);
        if count.is_none() {
            self.wrong(
                format!("`{}` is at least 1", self.name),
                "write a whole number such as 10",
            );
        }
        count
    }

    /// Returns a whole number of at least 0.
    pub(crate) fn whole(&self) -> Option<u64> {
        let whole = match plain(self.value) {
            Some(toml::Value::Integer(number)) => u64::try_from(number).ok(),
            _ => None,
        };
        if whole.is_none() {
            self.wrong(
                format!("`{}` must be a whole number of at least 0", self.name),
                format!("write for example {} = 1", self.name),
            );
        }
        whole
    }

    /// Returns a boolean.
    pub(crate) fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.mistyped("true or false", "true");
        }
        flag
    }

    /// Returns one of a few words.
    pub(crate) fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Option<T> {
        let text = self.text()?;
        let found = words.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
            let help = suggest::help(text, "it is one of", &names);
            self.wrong(format!("`{}` cannot be `{text}`", self.name), help);
        }
        found.map(|(_, value)| *value)
    }

    /// Returns a name that must be among the `known` ones; `what` is the sort of thing that it
    /// names, such as a curve.
    pub(crate) fn known<'k>(
        &self,
        what: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<&'d str> {
        let name = self.text()?;
        let known: Vec<&str> = known.into_iter().collect();
        if known.contains(&name) {
            return Some(name);
        }
        let help = match (suggest::nearest(name, known.iter().copied()), known.len()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, 0) => format!("there is no {what} at all"),
            (None, 1..=MOST_NAMED) => format!("there are: {}", suggest::list(&known)),
            (None, all) => format!(
                "there are {all}, the first of which are {}",
                suggest::list(&known[..MOST_NAMED])
            ),
        };
        self.wrong(format!("there is no {what} `{name}`"), help);
        None
    }

    /// Returns a table; `of` is its name in messages.
    pub(crate) fn keys(&self, of: impl Into<String>) -> Option<Keys<'d>> {
        let DeValue::Table(entries) = self.value else {
            self.mistyped("a table", "{ ... }");
            return None;
        };
        Some(Keys::new(entries, self.span.clone(), of.into(), self.log))
    }

    /// Returns the value of a key of a table; `None` if this is not a table.
    pub(crate) fn part(&self, key: &'static str) -> Option<Node<'d>> {
        self.value.as_table()?;
        self.keys("")?.find(key)
    }

    /// Returns the elements of an array.
    pub(crate) fn items(&self) -> Option<Vec<Node<'d>>> {
        let DeValue::Array(elements) = self.value else {
            self.mistyped("an array", "[...]");
            return None;
        };
        let node = |value: &'d Spanned<DeValue<'d>>| Node {
            value: value.get_ref(),
            span: value.span(),
            name: self.name.clone(),
            log: self.log,
        };
        Some(elements.iter().map(node).collect())
    }

    /// Returns the value as TOML without positions.
    pub(crate) fn value(&self) -> Option<toml::Value> {
        let value = plain(self.value);
        if value.is_none() {
            self.wrong(
                format!("a number in `{}` is too large", self.name),
                "at most 64 bits are kept",
            );
        }
        value
    }

    /// Returns a table with arbitrary keys, as TOML without positions.
    pub(crate) fn table(&self) -> Option<toml::Table> {
        match self.value()? {
            toml::Value::Table(table) => Some(table),
            _ => {
                self.mistyped("a table", "{ \"flow.0.control\" = \"veno\" }");
                None
            }
        }
    }
}
