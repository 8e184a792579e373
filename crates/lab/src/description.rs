//! Reads descriptions, the TOML files of experiments.
//!
//! [`Keys`] is a cursor over a table: it returns values of the wanted type and records every
//! mistake with its position. A key that was never asked for is unknown, so the code that reads the
//! keys is also the list of valid keys. The result is used only if no mistake was recorded.

mod malformed;
mod plain;

use std::cell::RefCell;
use std::ops::Range;

use dumbbell_scenario::{Report, suggest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use malformed::Malformed;
use plain::plain;

/// Reads a text. `file` is the name under which mistakes are reported.
///
/// # Errors
/// [`Malformed::Text`] with all recorded mistakes.
pub(crate) fn read<T>(
    file: &str,
    text: &str,
    read: impl FnOnce(&Keys<'_>) -> Option<T>,
) -> Result<T, Malformed> {
    let (document, wrong) = DeTable::parse_recoverable(text);
    let log = Log::default();
    for error in wrong.iter().take(MOST_SLIPS) {
        let span = error.span().unwrap_or(text.len()..text.len());
        log.note(span, format!("not valid TOML: {}", error.message()), None);
    }
    if !wrong.is_empty() {
        return Err(Report::new(file, text, log.into_found()).into());
    }
    let found = read(&Keys::new(document.get_ref(), 0..0, String::new(), &log));
    let mistakes = log.into_found();
    debug_assert!(
        found.is_some() || !mistakes.is_empty(),
        "a refusal without a reason"
    );
    match found {
        Some(found) if mistakes.is_empty() => Ok(found),
        _ => Err(Report::new(file, text, mistakes).into()),
    }
}

/// The most syntax errors that are reported, because one slip can cause many.
const MOST_SLIPS: usize = 5;

/// A mistake: its position, what is wrong, and what would be right.
type Found = (Range<usize>, String, Option<String>);

/// The mistakes found so far.
#[derive(Default)]
struct Log {
    found: RefCell<Vec<Found>>,
}

impl Log {
    fn note(&self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        self.found.borrow_mut().push((span, message.into(), help));
    }

    fn into_found(self) -> Vec<Found> {
        self.found.into_inner()
    }
}

/// A table from which keys are read one by one.
pub(crate) struct Keys<'d> {
    entries: &'d DeTable<'d>,
    span: Range<usize>,
    /// The name of the table in messages; empty for the whole text.
    of: String,
    log: &'d Log,
    asked: RefCell<Vec<&'static str>>,
    missing: RefCell<Vec<(&'static str, String)>>,
}

/// A value with its position and its key.
#[derive(Clone)]
pub(crate) struct Node<'d> {
    value: &'d DeValue<'d>,
    span: Range<usize>,
    name: String,
    log: &'d Log,
}

impl<'d> Keys<'d> {
    fn new(entries: &'d DeTable<'d>, span: Range<usize>, of: String, log: &'d Log) -> Self {
        Self {
            entries,
            span,
            of,
            log,
            asked: RefCell::default(),
            missing: RefCell::default(),
        }
    }

    /// The same table, under another name for messages if one is given.
    pub(crate) fn called(self, of: Option<String>) -> Self {
        match of {
            Some(of) => Self { of, ..self },
            None => self,
        }
    }

    /// Returns the value of a key, if present.
    pub(crate) fn find(&self, key: &'static str) -> Option<Node<'d>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        let (_, value) = self.entries.iter().find(|(k, _)| k.get_ref() == key)?;
        Some(Node {
            value: value.get_ref(),
            span: value.span(),
            name: key.to_owned(),
            log: self.log,
        })
    }

    /// Returns the value of a required key. `example` shows a valid value.
    pub(crate) fn need(&self, key: &'static str, example: &str) -> Option<Node<'d>> {
        let found = self.find(key);
        if found.is_none() {
            self.lacks(key, format!("write for example {key} = {example}"));
        }
        found
    }

    /// Records that a key is missing, unless a misspelling of it is found. `help` says what would
    /// be right.
    pub(crate) fn lacks(&self, key: &'static str, help: impl Into<String>) {
        self.missing.borrow_mut().push((key, help.into()));
    }

    /// Returns the text of a required key, which must not be empty.
    pub(crate) fn text(&self, key: &'static str, example: &str) -> Option<String> {
        let node = self.need(key, example)?;
        let text = node.text()?;
        if text.is_empty() {
            node.wrong(
                format!("`{key}` is empty"),
                format!("write for example {key} = {example}"),
            );
            return None;
        }
        Some(text.to_owned())
    }

    /// Returns the text of an optional key; empty if it is missing.
    pub(crate) fn text_if_any(&self, key: &'static str) -> String {
        let text = self.find(key).and_then(|node| node.text());
        text.map_or_else(String::new, str::to_owned)
    }

    /// Returns the number of an optional key.
    pub(crate) fn number_if_any(&self, key: &'static str) -> Option<f64> {
        self.find(key)?.number()
    }

    /// Returns a required whole number of at least 1.
    pub(crate) fn count(&self, key: &'static str, example: &str) -> Option<u64> {
        self.need(key, example)?.count()
    }

    /// Returns the value of a yes-or-no key; `false` if it is missing.
    pub(crate) fn flag(&self, key: &'static str) -> bool {
        let flag = self.find(key).and_then(|node| node.flag());
        flag.unwrap_or(false)
    }

    /// Returns one of a few words; the default if the key is missing.
    pub(crate) fn word_or<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
        usual: T,
    ) -> T {
        let word = self.find(key).and_then(|node| node.word(words));
        word.unwrap_or(usual)
    }

    /// Returns the elements of an array; empty if the key is missing.
    pub(crate) fn items(&self, key: &'static str) -> Vec<Node<'d>> {
        let items = self.find(key).and_then(|node| node.items());
        items.unwrap_or_default()
    }

    /// Returns the texts of an array; empty if the key is missing.
    pub(crate) fn texts(&self, key: &'static str) -> Vec<String> {
        let texts = self.items(key).into_iter().filter_map(|node| node.text());
        texts.map(str::to_owned).collect()
    }

    /// Returns those of these keys that are present.
    pub(crate) fn present(&self, keys: &[&'static str]) -> Vec<&'static str> {
        let there = keys.iter().copied().filter(|key| self.find(key).is_some());
        there.collect()
    }

    /// Returns all keys, in the order of the text, for a table with arbitrary keys. None of them is
    /// reported as unknown.
    pub(crate) fn entries(&self) -> Vec<(Node<'d>, Node<'d>)> {
        let node = |value: &'d DeValue<'d>, span, name: &str| Node {
            value,
            span,
            name: name.to_owned(),
            log: self.log,
        };
        let mut all: Vec<(Node<'d>, Node<'d>)> = self
            .entries
            .iter()
            .map(|(key, value)| {
                let name = key.get_ref().as_ref();
                let of_key = node(value.get_ref(), key.span(), name);
                (of_key, node(value.get_ref(), value.span(), name))
            })
            .collect();
        all.sort_by_key(|(key, _)| key.span.start);
        all
    }

    /// Records a mistake of the table as a whole.
    pub(crate) fn wrong(&self, message: impl Into<String>, help: impl Into<String>) {
        self.log.note(
            self.span.clone(),
            self.named(&message.into()),
            Some(help.into()),
        );
    }

    /// Records missing and unknown keys. To be called after all keys have been read.
    pub(crate) fn done(&self) {
        let asked = self.asked.borrow();
        let mut meant = Vec::new();
        for (key, _) in self.entries.iter() {
            let name = key.get_ref().as_ref();
            if asked.contains(&name) {
                continue;
            }
            let free = asked
                .iter()
                .copied()
                .filter(|known| !self.entries.contains_key(*known));
            let near = suggest::nearest(name, free);
            meant.extend(near);
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys here are: {}", suggest::list(&asked)),
            };
            let place = match self.of.as_str() {
                "" => "a description".to_owned(),
                of => of.to_owned(),
            };
            self.log.note(
                key.span(),
                format!("{place} has no key `{name}`"),
                Some(help),
            );
        }
        for (key, help) in self.missing.borrow_mut().drain(..) {
            if !meant.contains(&key) {
                let message = self.named(&format!("`{key}` is missing"));
                self.log.note(self.span.clone(), message, Some(help));
            }
        }
    }

    fn named(&self, message: &str) -> String {
        match self.of.as_str() {
            "" => message.to_owned(),
            of => format!("{of}: {message}"),
        }
    }
}

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

/// Whether a name needs no quotes, neither in a file nor on a command line.
pub(crate) fn is_word(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.bytes().all(letter)
}

/// The most names that are listed if none of them is similar.
const MOST_NAMED: usize = 12;

#[cfg(test)]
mod tests;
