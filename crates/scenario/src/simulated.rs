//! What files and the simulator measure alike, handed over.

use dumbbell_control::units::Duration;
use dumbbell_sim::Time;

/// A span, as the simulator has it.
pub(crate) fn time(span: Duration) -> Time {
    Time::from_nanos(span.as_nanos())
}
