//! The flag that stops a run before its end.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The caller's flag, or the run's own if the caller gave none.
#[derive(Clone)]
pub(crate) enum Interrupt<'r> {
    Given(&'r AtomicBool),
    Own(Arc<AtomicBool>),
}

impl Interrupt<'_> {
    /// A flag that only the run itself can set.
    pub(crate) fn own() -> Self {
        Self::Own(Arc::default())
    }
}

impl Deref for Interrupt<'_> {
    type Target = AtomicBool;

    fn deref(&self) -> &AtomicBool {
        match self {
            Self::Given(flag) => flag,
            Self::Own(flag) => flag,
        }
    }
}
