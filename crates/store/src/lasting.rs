//! Words that a result has for as long as the program runs.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The same word for as long as the program runs: each different one takes its bytes once.
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
