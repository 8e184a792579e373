//! Conversion of values that files and the simulator represent differently.

use dumbbell_control::units::Duration;
use dumbbell_sim::Time;

/// Converts a time span to the simulator's type.
pub(crate) fn time(span: Duration) -> Time {
    Time::from_nanos(span.as_nanos())
}
