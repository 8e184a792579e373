//! Words that live as long as the program, as results require.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Returns an equal word that lives as long as the program. Each different word is allocated once.
pub(crate) fn lasting(word: &str) -> &'static str {
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    match words.get(word) {
        Some(known) => known,
        None => {
            let word: &'static str = Box::leak(word.into());
            words.insert(word);
            word
        }
    }
}
