//! Converts times between the units of the crates that are used together here.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_sim::Time;

/// Converts a span from the start of the run into the simulator's time.
pub(crate) fn time(span: Duration) -> Time {
    Time::from_nanos(span.as_nanos())
}

/// Converts the simulator's time into a span from the start of the run.
pub(crate) fn since_start(time: Time) -> Duration {
    Duration::from_nanos(time.as_nanos())
}

/// Converts the simulator's time into that of the controls.
#[inline]
pub(crate) fn instant(time: Time) -> Instant {
    Instant::from_nanos(time.as_nanos())
}

/// Converts a time of the controls into the simulator's.
#[inline]
pub(crate) fn moment(instant: Instant) -> Time {
    Time::from_nanos(instant.as_nanos())
}
