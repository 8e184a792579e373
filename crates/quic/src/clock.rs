//! Moments of a stack's clock as those of a control.

use std::time;

use dumbbell_control::units::Instant;

/// The time since a stack created the control of a path.
#[derive(Clone, Copy, Debug)]
pub struct Clock(time::Instant);

impl Clock {
    /// A clock that starts now.
    pub fn new(now: time::Instant) -> Self {
        Self(now)
    }

    /// The time since the start, plus a nanosecond, because zero means "never".
    pub fn at(&self, at: time::Instant) -> Instant {
        Instant::from_nanos(1) + at.saturating_duration_since(self.0).into()
    }
}
