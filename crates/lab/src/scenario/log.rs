//! The mistakes that are found while a file is read.

use std::cell::RefCell;
use std::ops::Range;

/// The mistakes found so far.
#[derive(Default)]
pub(super) struct Log(RefCell<Vec<Found>>);

/// A mistake: where, what, and what would be right.
pub(super) type Found = (Range<usize>, String, Option<String>);

impl Log {
    pub(super) fn note(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<Option<String>>,
    ) {
        self.0
            .borrow_mut()
            .push((span, message.into(), help.into()));
    }

    pub(super) fn into_found(self) -> Vec<Found> {
        self.0.into_inner()
    }
}
