//! Paths: the names of values of a scenario, such as `bottleneck.loss.bernoulli` or `flow.main.control`.
//!
//! A path has the words of the file, with dots between them; `docs/scenario.md` lists the short forms.
//! [`locate()`] finds out which place of a document a path names, and [`put()`] sets the value there.

mod locate;
mod put;
mod sorts;

use std::ops::Range;

use crate::log::Log;

pub use locate::Overlap;
pub(crate) use locate::{Names, Place, locate, value};
pub(crate) use put::put;

/// The words of a path, with their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    words: Vec<Word>,
    span: Range<usize>,
}

/// A word of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    text: String,
    span: Range<usize>,
}

impl Path {
    /// Reads a path that starts at byte `start`. A word that contains dots or blanks is in quotes:
    /// `flow."a.b".control`.
    pub(crate) fn read(text: &str, start: usize, log: &Log) -> Option<Self> {
        let span = start..start + text.len();
        let mut words = Vec::new();
        let (mut rest, mut at) = (text, start);
        loop {
            let (word, length) = match rest.strip_prefix('"') {
                Some(quoted) => {
                    let Some(end) = quoted.find('"') else {
                        let help = "a word in quotes ends with a quote: flow.\"a.b\".control";
                        log.note(at..span.end, "the quotes are not closed", help.to_owned());
                        return None;
                    };
                    (&quoted[..end], end + 2)
                }
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    (rest[..end].trim(), end)
                }
            };
            if word.is_empty() {
                let message = format!("`{text}` is no path: a word is missing");
                let help = "write words with dots between them, such as bottleneck.delay";
                log.note(at..at + length, message, help.to_owned());
                return None;
            }
            words.push(Word {
                text: word.to_owned(),
                span: at..at + length,
            });
            rest = &rest[length..];
            at += length;
            match rest.strip_prefix('.') {
                Some(next) => {
                    rest = next;
                    at += 1;
                }
                None if rest.is_empty() => return Some(Self { words, span }),
                None => {
                    let message = format!("`{rest}` follows a word in quotes");
                    log.note(at..span.end, message, "a dot is between words".to_owned());
                    return None;
                }
            }
        }
    }

    /// The position of the path.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Vec<(String, Range<usize>)>, String> {
        let log = Log::default();
        match Path::read(text, 10, &log) {
            Some(path) => Ok(path.words.into_iter().map(|w| (w.text, w.span)).collect()),
            None => Err(log.into_found().remove(0).1),
        }
    }

    #[test]
    fn a_path_is_words_with_dots_between_them() {
        let expected = [("flow".to_owned(), 10..14), ("a.b".to_owned(), 15..20)];
        assert_eq!(words("flow.\"a.b\""), Ok(expected.to_vec()));
        assert_eq!(words("seed"), Ok(vec![("seed".to_owned(), 10..14)]));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for wrong in ["", "a..b", ".a", "a.", "a.\"b", "a.\"b\"c"] {
            assert!(words(wrong).is_err(), "{wrong}");
        }
    }
}
