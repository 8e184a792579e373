//! Simulated time.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A moment since the start of a simulation, or a span of time, in whole nanoseconds.
///
/// Arithmetic saturates: no time of a simulation is before [`Time::ZERO`] or after [`Time::MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// The time of a timer that is not set, or not scheduled.
pub(crate) const NEVER: u64 = u64::MAX;

impl Time {
    /// The start of every simulation.
    pub const ZERO: Self = Self(0);

    /// The latest time that can be represented.
    pub const MAX: Self = Self(u64::MAX);

    /// Returns a time of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Returns a time of `us` microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(us.saturating_mul(1_000))
    }

    /// Returns a time of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// Returns a time of `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s.saturating_mul(1_000_000_000))
    }

    /// Returns a time of `s` seconds, rounded to the nearest nanosecond. Negative values and NaN give
    /// zero; values that are too large give [`Time::MAX`].
    pub fn from_secs_f64(s: f64) -> Self {
        // A float-to-integer cast saturates and turns NaN into zero.
        Self(libm::round(s * 1e9) as u64)
    }

    /// Returns the time in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the time in seconds, rounded to the nearest float.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add for Time {
    type Output = Self;

    fn add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, span: Self) {
        *self = *self + span;
    }
}

impl Sub for Time {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{:09} s",
            self.0 / 1_000_000_000,
            self.0 % 1_000_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Time::from_secs_f64(0.013_653_333_4).as_nanos(), 13_653_333);
        assert_eq!(Time::from_secs_f64(1.5), Time::from_millis(1_500));
        assert_eq!(Time::from_secs_f64(-1.0), Time::ZERO);
        assert_eq!(Time::from_secs_f64(f64::NAN), Time::ZERO);
        assert_eq!(Time::from_secs_f64(f64::INFINITY), Time::MAX);
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Time::MAX + Time::from_nanos(1), Time::MAX);
        assert_eq!(Time::ZERO - Time::from_nanos(1), Time::ZERO);
    }

    #[test]
    fn displays_seconds() {
        assert_eq!(Time::from_micros(1_500_001).to_string(), "1.500001000 s");
    }
}
