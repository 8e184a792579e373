//! What goes along while a file is read: the mistakes that are found, and the files that it names.

use std::cell::RefCell;
use std::ops::Range;

use super::trace_file::Traces;

/// The mistakes found so far.
#[derive(Default)]
pub(super) struct Log {
    found: RefCell<Vec<Found>>,
    /// The traces beside the file.
    pub(super) traces: Traces,
}

/// A mistake: where, what, and what would be right.
pub(super) type Found = (Range<usize>, String, Option<String>);

impl Log {
    /// A log for a file with these traces beside it.
    pub(super) fn with(traces: Traces) -> Self {
        Self {
            found: RefCell::default(),
            traces,
        }
    }

    pub(super) fn note(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<Option<String>>,
    ) {
        self.found
            .borrow_mut()
            .push((span, message.into(), help.into()));
    }

    pub(super) fn into_found(self) -> Vec<Found> {
        self.found.into_inner()
    }
}
