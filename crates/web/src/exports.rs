//! The exports of the module, for a host that can only pass numbers and bytes in memory.
//!
//! A host requests a buffer ([`room`]), writes the text of a scenario into it, and calls [`run`].
//! [`answer`] returns the address of the result.

use std::cell::RefCell;

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Allocates a buffer for a text of this many bytes, and returns its address. The buffer is valid
/// until the next call.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; bytes];
        text.as_mut_ptr()
    })
}

/// Runs the scenario whose text is in the buffer, with a seed. Returns 0 if the result is an outcome
/// in JSON, and 1 if it is an error message.
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

/// Returns the address of the last result, which is valid until the next run.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(Vec::as_ptr)
}

/// Returns the number of bytes of the last result.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    ANSWER.with_borrow(Vec::len)
}
