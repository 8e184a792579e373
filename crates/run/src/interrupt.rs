//! What stops a run before its end.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag of the caller's, or the run's own where the caller has none.
#[derive(Clone)]
pub(crate) enum Interrupt<'r> {
    Given(&'r AtomicBool),
    Own(Arc<AtomicBool>),
}

impl Interrupt<'_> {
    /// One that only the run itself can set.
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
