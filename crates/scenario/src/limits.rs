//! Limits that hold for several keys.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

/// No run is longer.
pub(crate) const LONGEST_RUN: Duration = Duration::from_secs(30 * 24 * 3600);
/// What the length of a run may be, and a time before which something in it is over.
pub(crate) const DURATION: RangeInclusive<Duration> = Duration::from_nanos(1)..=LONGEST_RUN;
/// What a moment in a run may be.
pub(crate) const MOMENT: RangeInclusive<Duration> = Duration::ZERO..=LONGEST_RUN;
/// What a rate may be, in bits a second: 1 b/s to 10 Tb/s.
pub(crate) const RATE: RangeInclusive<u64> = 1..=10_000_000_000_000;
/// What a probability may be.
pub(crate) const PROBABILITY: RangeInclusive<f64> = 0.0..=1.0;
/// The most bytes that a packet may have on the wire.
pub(crate) const LARGEST_WIRE: u64 = 65_535;
