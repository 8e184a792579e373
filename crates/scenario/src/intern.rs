//! Words that last as long as the program, for names that are known only at run time.
//!
//! Names of parameters, choices and states are `&'static str`, because almost all are constants. A
//! program that adds a control from another language takes its words from here. Each distinct word is
//! stored once and never freed, so their number is limited.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The largest number of distinct words.
pub const MOST: usize = 65_536;

static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
static LISTS: Mutex<BTreeSet<&'static [&'static str]>> = Mutex::new(BTreeSet::new());

/// Returns this word, stored once for the whole program; `None` if there are [`MOST`] others already.
///
/// ```
/// use dumbbell_scenario::intern::word;
///
/// let found = word(&format!("{}ing", "ris")).unwrap();
/// assert!(std::ptr::eq(found, word("rising").unwrap()));
/// ```
pub fn word(word: &str) -> Option<&'static str> {
    // A panic cannot leave the set in a wrong state.
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(word) {
        return Some(known);
    }
    if words.len() >= MOST {
        return None;
    }
    let kept: &'static str = Box::leak(word.into());
    words.insert(kept);
    Some(kept)
}

/// Returns this list of words, stored once; `None` if there are too many words or lists already.
pub fn list(list: &[&str]) -> Option<&'static [&'static str]> {
    let list: Vec<&'static str> = list.iter().map(|name| word(name)).collect::<Option<_>>()?;
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lists.get(&list[..]) {
        return Some(known);
    }
    if lists.len() >= MOST {
        return None;
    }
    let kept: &'static [&'static str] = Box::leak(list.into());
    lists.insert(kept);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_stored_once() {
        let first = list(&["a", "b"]).unwrap();
        let (a, b) = ("a".to_owned(), "b".to_owned());
        let again = list(&[&a, &b]).unwrap();
        assert!(std::ptr::eq(first, again));
        assert_ne!(first, list(&["b", "a"]).unwrap());
        assert!(std::ptr::eq(first[0], word("a").unwrap()));
    }
}
