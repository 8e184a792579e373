//! What libbpf prints: kept, not shown, and one at a time, as its printer is the whole process's.

use std::sync::{Mutex, PoisonError};

use libbpf_rs::PrintLevel;

/// A verifier's log can be long; what it ends with is what counts.
const MOST: usize = 400;

static TURN: Mutex<()> = Mutex::new(());
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Does the work, and answers with what libbpf printed meanwhile, the last lines of it.
pub fn kept<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = libbpf_rs::set_print(Some((PrintLevel::Info, keep)));
    let done = work();
    libbpf_rs::set_print(before);
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    (done, std::mem::take(&mut *lines))
}

fn keep(_: PrintLevel, text: String) {
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.extend(text.lines().map(str::to_owned));
    let excess = lines.len().saturating_sub(MOST);
    lines.drain(..excess);
}
