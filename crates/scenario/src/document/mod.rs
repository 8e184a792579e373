//! A cursor over a TOML document with positions: it returns values of the requested type and records
//! every mistake that it finds.

mod node;

use std::ops::Range;
use std::rc::Rc;

use toml::de::DeTable;

use crate::log::Log;
use crate::quantity::clip;
use crate::suggest;
use crate::trace_file::Traces;

pub(crate) use node::Node;

/// The context of a file while it is read.
#[derive(Default)]
pub(crate) struct File {
    /// The mistakes found so far.
    pub(crate) log: Log,
    /// The packet-delivery traces beside the file.
    pub(crate) traces: Rc<Traces>,
}

/// A table whose possible keys are known.
pub(crate) struct Table<'d> {
    entries: &'d DeTable<'d>,
    span: Range<usize>,
    path: String,
    file: &'d File,
    keys: Vec<&'static str>,
    /// Whether unknown keys have been recorded as mistakes.
    checked: bool,
}

/// A key that belongs elsewhere, and the help for it.
pub(crate) type Misplaced = (&'static str, &'static str);

impl<'d> Table<'d> {
    /// Makes a table of the whole document. A mistake that concerns the whole document is shown in its
    /// first line.
    pub(crate) fn root(document: &'d DeTable<'d>, file: &'d File, keys: &[&'static str]) -> Self {
        let mut table = Self {
            entries: document,
            span: 0..0,
            path: String::new(),
            file,
            keys: keys.to_vec(),
            checked: false,
        };
        table.refuse_unknown_keys(&[]);
        table
    }

    /// Returns the value of a key, if it is set.
    pub(crate) fn find(&self, key: &'static str) -> Option<Node<'d>> {
        debug_assert!(
            self.keys.contains(&key),
            "{key} is read but not in the list of keys"
        );
        let (_, value) = self.entries.iter().find(|(k, _)| k.get_ref() == key)?;
        Some(Node {
            value: value.get_ref(),
            span: value.span(),
            name: key.to_owned(),
            file: self.file,
        })
    }

    /// Returns the value of a key that must be set. `example` shows how to write it.
    pub(crate) fn need(&self, key: &'static str, example: &str) -> Option<Node<'d>> {
        let found = self.find(key);
        if found.is_none() {
            self.missing(key, example);
        }
        found
    }

    /// Records that a key is missing, unless a misspelling of it has been recorded.
    pub(crate) fn missing(&self, key: &'static str, example: &str) {
        if self.misspells(&[key]) {
            return;
        }
        let place = if self.path.is_empty() {
            String::new()
        } else {
            format!(" in `{}`", self.path)
        };
        self.file.log.note(
            self.span.clone(),
            format!("`{key}` is missing{place}"),
            format!("write for example {example}"),
        );
    }

    /// Returns whether an unknown key resembles one of these.
    pub(crate) fn misspells(&self, keys: &[&'static str]) -> bool {
        self.checked
            && self
                .entries
                .keys()
                .map(|key| key.get_ref().as_ref())
                .any(|word: &str| {
                    !self.keys.contains(&word)
                        && suggest::nearest(word, self.keys.iter().copied())
                            .is_some_and(|near| keys.contains(&near))
                })
    }

    /// Records a mistake of the table as a whole.
    pub(crate) fn wrong(&self, message: impl Into<String>, help: impl Into<String>) {
        self.file.log.note(self.span.clone(), message, help.into());
    }

    /// Records a mistake at a position within the table.
    pub(crate) fn wrong_at(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.file.log.note(span, message, help.into());
    }

    /// Notes a fault at the first of the given keys that is set; without one, at the table.
    pub(crate) fn wrong_at_first(
        &self,
        keys: &[&'static str],
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let node = keys.iter().find_map(|key| self.find(key));
        self.wrong_at(node.map_or(self.span(), |node| node.span()), message, help);
    }

    /// Returns the position of the table.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns those of the given keys that are set.
    pub(crate) fn present(&self, keys: &[&'static str]) -> Vec<&'static str> {
        keys.iter()
            .copied()
            .filter(|key| self.find(key).is_some())
            .collect()
    }

    /// Returns all keys in the order of the file, with their values.
    pub(crate) fn entries(&self) -> Vec<(Range<usize>, &'d str, Node<'d>)> {
        let mut all: Vec<_> = self
            .entries
            .iter()
            .map(|(key, value)| {
                let name = key.get_ref().as_ref();
                let node = Node {
                    value: value.get_ref(),
                    span: value.span(),
                    name: name.to_owned(),
                    file: self.file,
                };
                (key.span(), name, node)
            })
            .collect();
        all.sort_by_key(|(span, ..)| span.start);
        all
    }

    fn refuse_unknown_keys(&mut self, misplaced: &[Misplaced]) {
        self.checked = true;
        for (key, _) in self.entries.iter() {
            let name = key.get_ref().as_ref();
            if self.keys.contains(&name) {
                continue;
            }
            let place = if self.path.is_empty() {
                "a scenario".to_owned()
            } else {
                format!("`{}`", self.path)
            };
            let help = match misplaced.iter().find(|(word, _)| *word == name) {
                Some((_, help)) => (*help).to_owned(),
                None => suggest::help(name, "the keys here are", &self.keys),
            };
            self.file.log.note(
                key.span(),
                format!("{place} has no key `{}`", clip(name)),
                help,
            );
        }
    }
}
