//! A queue without a limit.

/// The word that selects this queue.
pub(super) const WORD: &str = "unlimited";
/// The entry of the catalogue.
pub(super) const ENTRY: (&str, &str) = ("unlimited", "first in, first out, nothing dropped");

/// Returns the simulator's queue.
pub(super) fn simulated() -> dumbbell_sim::Queue {
    dumbbell_sim::Queue::Unlimited
}
