//! Captures what libbpf prints instead of showing it. Only one capture at a time, because the
//! printer is global to the process.

use std::sync::{Mutex, PoisonError};

use libbpf_rs::PrintLevel;

/// The number of lines that are kept. A verifier's log can be long; its end is what matters.
const MOST: usize = 400;

static TURN: Mutex<()> = Mutex::new(());
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Does the work, and returns its result and the last lines of what libbpf printed meanwhile.
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
