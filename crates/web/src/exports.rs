//! What a module exports, for a host that knows bytes in a memory and numbers.
//!
//! A host asks for room ([`room`]), writes the text of a scenario there, and calls [`run`]. The answer
//! lies where [`answer`] says.

use std::cell::RefCell;

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a text of so many bytes. Returns where it goes; the room is there until the next
/// call.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; bytes];
        text.as_mut_ptr()
    })
}

/// Runs the scenario whose text is in the room, with a seed. Returns 0 if the answer is an outcome in
/// JSON, 1 if it is what was wrong.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn run(seed: u64) -> u32 {
    let text = TEXT.take();
    let done = match std::str::from_utf8(&text) {
        Ok(text) => crate::outcome(text, seed),
        Err(wrong) => Err(format!("the scenario is not UTF-8: {wrong}")),
    };
    let code = u32::from(done.is_err());
    ANSWER.set(done.unwrap_or_else(|wrong| wrong).into_bytes());
    code
}

/// Where the last answer is; it stays until the next run.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(Vec::as_ptr)
}

/// The bytes of the last answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    ANSWER.with_borrow(Vec::len)
}
