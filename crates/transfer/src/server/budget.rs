//! What clients may put altogether, so that many files do not fill the disk.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a file costs beside its bytes: also empty ones take room, and names.
pub(super) const FILE: u64 = 4096;

/// Bytes that clients may put while the server runs.
#[derive(Debug)]
pub(super) struct Budget {
    most: u64,
    used: Mutex<u64>,
}

impl Budget {
    pub fn new(most: u64) -> Self {
        Self {
            most,
            used: Mutex::default(),
        }
    }

    /// Bytes that are left.
    pub fn left(&self) -> u64 {
        self.most - *self.lock()
    }

    /// Sets so many bytes aside; `None` if there are not as many left.
    pub fn reserve(&self, bytes: u64) -> Option<Reserved<'_>> {
        let mut used = self.lock();
        let sum = used.checked_add(bytes).filter(|sum| *sum <= self.most)?;
        *used = sum;
        Some(Reserved {
            budget: self,
            bytes,
        })
    }

    /// Bytes on the disk are free again. Those that were there before the server began do not count twice.
    pub fn release(&self, bytes: u64) {
        let mut used = self.lock();
        *used = used.saturating_sub(bytes);
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that are set aside, and free again when this is dropped, but for those that are [kept](Self::keep).
#[derive(Debug)]
pub(super) struct Reserved<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Reserved<'_> {
    /// So many of the bytes are on the disk.
    pub fn keep(mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_is_used_or_free_again() {
        let budget = Budget::new(100);
        let first = budget.reserve(60).expect("there is room");
        assert!(budget.reserve(41).is_none());
        let second = budget.reserve(40).expect("just enough");
        first.keep(10);
        assert_eq!(budget.left(), 50);
        drop(second);
        assert_eq!(budget.left(), 90);
        // It was there before.
        budget.release(1000);
        assert_eq!(budget.left(), 100);
        assert!(budget.reserve(u64::MAX).is_none());
    }
}
