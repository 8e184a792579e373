//! A queue without a limit.

/// The value of `queue`.
pub(super) const WORD: &str = "unlimited";
/// The entry of the catalogue.
pub(super) const ENTRY: (&str, &str) = ("unlimited", "first in, first out, nothing dropped");

/// The same for the simulator.
pub(super) fn simulated() -> dumbbell_sim::Queue {
    dumbbell_sim::Queue::Unlimited
}
