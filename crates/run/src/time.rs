//! The same times in the units of the crates that meet here.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_sim::Time;

/// A span from the start of the run, as the simulator has it.
pub(crate) fn time(span: Duration) -> Time {
    Time::from_nanos(span.as_nanos())
}

/// The same the other way round.
pub(crate) fn since_start(time: Time) -> Duration {
    Duration::from_nanos(time.as_nanos())
}

/// A moment as controls have it.
#[inline]
pub(crate) fn instant(time: Time) -> Instant {
    Instant::from_nanos(time.as_nanos())
}

/// The same the other way round.
#[inline]
pub(crate) fn moment(instant: Instant) -> Time {
    Time::from_nanos(instant.as_nanos())
}
