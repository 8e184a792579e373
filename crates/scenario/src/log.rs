//! The mistakes that are found while a file is read.

use std::cell::RefCell;
use std::ops::Range;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Log(RefCell<Vec<Found>>);

/// A mistake: its position, a message, and a hint.
pub(crate) type Found = (Range<usize>, String, Option<String>);

impl Log {
    /// Records a mistake.
    pub(crate) fn note(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<Option<String>>,
    ) {
        let found = (span, message.into(), help.into());
        self.0.borrow_mut().push(found);
    }

    /// Returns all mistakes, in the order in which they were found.
    pub(crate) fn into_found(self) -> Vec<Found> {
        self.0.into_inner()
    }
}
