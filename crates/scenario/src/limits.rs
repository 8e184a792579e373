//! Limits that several keys share.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

/// The longest run.
pub(crate) const LONGEST_RUN: Duration = Duration::from_secs(30 * 24 * 3600);
/// The permitted durations of a run, and the permitted stop times of flows.
pub(crate) const DURATION: RangeInclusive<Duration> = Duration::from_nanos(1)..=LONGEST_RUN;
/// The permitted times within a run.
pub(crate) const MOMENT: RangeInclusive<Duration> = Duration::ZERO..=LONGEST_RUN;
/// The permitted rates, in bits per second: 1 b/s to 10 Tb/s.
pub(crate) const RATE: RangeInclusive<u64> = 1..=10_000_000_000_000;
/// The permitted probabilities.
pub(crate) const PROBABILITY: RangeInclusive<f64> = 0.0..=1.0;
/// The largest size of a packet on the wire, in bytes.
pub(crate) const LARGEST_WIRE: u64 = 65_535;
