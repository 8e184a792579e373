//! Reads descriptions, the TOML files of experiments.
//!
//! [`Keys`] is a cursor over a table: it returns values of the wanted type and records every
//! mistake with its position. A key that was never asked for is unknown, so the code that reads the
//! keys is also the list of valid keys. The result is used only if no mistake was recorded.

mod malformed;
mod node;
mod plain;

use std::cell::RefCell;
use std::ops::Range;

use dumbbell_scenario::{Mistake, Report, suggest};
use toml::de::{DeTable, DeValue};

pub use malformed::Malformed;
pub(crate) use node::Node;

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
        return Err(Report::new(file, text, log.take()).into());
    }
    let found = read(&Keys::new(document.get_ref(), 0..0, String::new(), &log));
    let mistakes = log.take();
    debug_assert!(
        found.is_some() || !mistakes.is_empty(),
        "a refusal without a reason"
    );
    match found {
        Some(found) if mistakes.is_empty() => Ok(found),
        _ => Err(Report::new(file, text, mistakes).into()),
    }
}

/// The keys of a table of a document that was read elsewhere; `of` is its name in messages. Mistakes
/// are recorded in `log`.
pub(crate) fn part<'d>(
    entries: &'d DeTable<'d>,
    span: Range<usize>,
    of: &str,
    log: &'d Log,
) -> Keys<'d> {
    Keys::new(entries, span, of.to_owned(), log)
}

/// Returns a mistake of a text that has been read already: `find` returns its place, which is the
/// beginning of the text if there is none.
pub(crate) fn mistake(
    file: &str,
    text: &str,
    (message, help): (&str, &str),
    find: impl for<'d> FnOnce(&Keys<'d>) -> Option<Node<'d>>,
) -> Malformed {
    let wrong = read::<std::convert::Infallible>(file, text, |keys| {
        match find(keys) {
            Some(node) => node.wrong(message, help),
            None => keys.wrong(message, help),
        }
        None
    });
    match wrong {
        Ok(never) => match never {},
        Err(wrong) => wrong,
    }
}

/// The most syntax errors that are reported, because one slip can cause many.
const MOST_SLIPS: usize = 5;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Log {
    found: RefCell<Vec<Mistake>>,
}

impl Log {
    fn note(&self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        self.found.borrow_mut().push((span, message.into(), help));
    }

    /// All mistakes, in the order in which they were found.
    pub(crate) fn take(&self) -> Vec<Mistake> {
        self.found.take()
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

/// Whether a name needs no quotes, neither in a file nor on a command line.
pub(crate) fn is_word(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.bytes().all(letter)
}

#[cfg(test)]
mod tests;
