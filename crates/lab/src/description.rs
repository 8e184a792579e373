//! Descriptions: TOML files of experiments, read once into what they mean.
//!
//! [`Keys`] is a cursor over a table: it hands out values of the wanted type and notes every mistake with its
//! place. A key that nobody asked for is unknown, so the list of keys is the code that reads them. What is
//! read is used only if nothing was noted.

mod malformed;
mod plain;

use std::cell::RefCell;
use std::ops::Range;

use dumbbell_scenario::{Report, suggest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use malformed::Malformed;
use plain::plain;

/// Reads a text. `file` is the name that mistakes are reported under.
///
/// # Errors
/// [`Malformed::Text`] with every mistake that was noted.
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

/// One slip of the syntax can lead to many errors.
const MOST_SLIPS: usize = 5;

/// A mistake: where, what, and what would be right.
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

/// A table whose keys are asked for one by one.
pub(crate) struct Keys<'d> {
    entries: &'d DeTable<'d>,
    span: Range<usize>,
    /// What it is, in messages; nothing of the whole text.
    of: String,
    log: &'d Log,
    asked: RefCell<Vec<&'static str>>,
    missing: RefCell<Vec<(&'static str, String)>>,
}

/// A value with its place and its key.
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

    /// The same table under a name for messages, if there is one.
    pub(crate) fn called(self, of: Option<String>) -> Self {
        match of {
            Some(of) => Self { of, ..self },
            None => self,
        }
    }

    /// The value of a key.
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

    /// The value of a key that must be there. `example` is what one would write behind it.
    pub(crate) fn need(&self, key: &'static str, example: &str) -> Option<Node<'d>> {
        let found = self.find(key);
        if found.is_none() {
            self.lacks(key, format!("write for example {key} = {example}"));
        }
        found
    }

    /// Notes that a key is missing, unless a misspelling of it turns up. `help` says what would be right.
    pub(crate) fn lacks(&self, key: &'static str, help: impl Into<String>) {
        self.missing.borrow_mut().push((key, help.into()));
    }

    /// A text that must be there and is not empty.
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

    /// A text that may be left out, or be empty.
    pub(crate) fn text_if_any(&self, key: &'static str) -> String {
        let text = self.find(key).and_then(|node| node.text());
        text.map_or_else(String::new, str::to_owned)
    }

    /// A number that may be left out.
    pub(crate) fn number_if_any(&self, key: &'static str) -> Option<f64> {
        self.find(key)?.number()
    }

    /// A whole number of at least 1, which must be there.
    pub(crate) fn count(&self, key: &'static str, example: &str) -> Option<u64> {
        self.need(key, example)?.count()
    }

    /// Yes or no; left out, no.
    pub(crate) fn flag(&self, key: &'static str) -> bool {
        let flag = self.find(key).and_then(|node| node.flag());
        flag.unwrap_or(false)
    }

    /// One of a few words; left out, the usual one.
    pub(crate) fn word_or<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
        usual: T,
    ) -> T {
        let word = self.find(key).and_then(|node| node.word(words));
        word.unwrap_or(usual)
    }

    /// The elements of an array; none where it is left out.
    pub(crate) fn items(&self, key: &'static str) -> Vec<Node<'d>> {
        let items = self.find(key).and_then(|node| node.items());
        items.unwrap_or_default()
    }

    /// The texts of an array; none where it is left out.
    pub(crate) fn texts(&self, key: &'static str) -> Vec<String> {
        let texts = self.items(key).into_iter().filter_map(|node| node.text());
        texts.map(str::to_owned).collect()
    }

    /// The keys that are there, of these.
    pub(crate) fn present(&self, keys: &[&'static str]) -> Vec<&'static str> {
        let there = keys.iter().copied().filter(|key| self.find(key).is_some());
        there.collect()
    }

    /// All keys, as they stand in the text. They all count as asked for: a table of any keys.
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

    /// Notes a mistake of the table as a whole.
    pub(crate) fn wrong(&self, message: impl Into<String>, help: impl Into<String>) {
        self.log.note(
            self.span.clone(),
            self.named(&message.into()),
            Some(help.into()),
        );
    }

    /// Notes what is missing, and the keys that nobody asked for: all keys have been asked for by now.
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
    /// The key that it stands behind.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Notes a mistake of this value.
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

    /// A string.
    pub(crate) fn text(&self) -> Option<&'d str> {
        let text = self.value.as_str();
        if text.is_none() {
            self.mistyped("a string", "\"text\"");
        }
        text
    }

    /// A finite number.
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
                "a finite number is wanted",
            ),
            None => self.mistyped("a number", "0.5"),
        }
        None
    }

    /// A whole number of at least 1.
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

    /// Yes or no.
    pub(crate) fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.mistyped("true or false", "true");
        }
        flag
    }

    /// One of a few words.
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

    /// A name of something that the description has: a `what`, such as a curve, among those that are known.
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

    /// A table; `of` is what it is in messages.
    pub(crate) fn keys(&self, of: impl Into<String>) -> Option<Keys<'d>> {
        let DeValue::Table(entries) = self.value else {
            self.mistyped("a table", "{ ... }");
            return None;
        };
        Some(Keys::new(entries, self.span.clone(), of.into(), self.log))
    }

    /// The value of a key of a table; none where it is no table.
    pub(crate) fn part(&self, key: &'static str) -> Option<Node<'d>> {
        self.value.as_table()?;
        self.keys("")?.find(key)
    }

    /// The elements of an array.
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

    /// What it says, as TOML without places.
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

    /// A table of any keys, as TOML without places.
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

/// A name that needs no quotes in a file, and none on a command line.
pub(crate) fn is_word(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.bytes().all(letter)
}

/// So many names are listed where none is near.
const MOST_NAMED: usize = 12;

#[cfg(test)]
mod tests;
