//! Numbers with a dimension: bits and seconds.

use dumbbell_scenario::quantity::Measure;

/// A number, and the powers of bit and second in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sweep) struct Quantity {
    pub(in crate::sweep) value: f64,
    bits: i8,
    seconds: i8,
}

impl Quantity {
    /// A plain number.
    pub(in crate::sweep) fn plain(value: f64) -> Self {
        Self {
            value,
            bits: 0,
            seconds: 0,
        }
    }

    /// A time in seconds.
    pub(in crate::sweep) fn seconds(value: f64) -> Self {
        Self {
            seconds: 1,
            ..Self::plain(value)
        }
    }

    /// A rate in bit/s.
    pub(in crate::sweep) fn rate(value: f64) -> Self {
        Self {
            bits: 1,
            seconds: -1,
            value,
        }
    }

    /// Reads a number with a unit.
    pub(in crate::sweep) fn read(text: &str) -> Option<Self> {
        let read = |measure: Measure| measure.read(text).ok().map(|value| value as f64);
        if let Some(nanoseconds) = read(Measure::Time) {
            return Some(Self::seconds(nanoseconds / 1e9));
        }
        if let Some(rate) = read(Measure::Rate) {
            return Some(Self::rate(rate));
        }
        let bits = |bytes| Self {
            bits: 1,
            ..Self::plain(bytes * 8.0)
        };
        read(Measure::Size).map(bits)
    }

    /// Whether both have the same unit.
    pub(super) fn is_like(self, other: Self) -> bool {
        (self.bits, self.seconds) == (other.bits, other.seconds)
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            bits: self.bits.saturating_add(other.bits),
            seconds: self.seconds.saturating_add(other.seconds),
        }
    }

    pub(super) fn over(self, other: Self) -> Self {
        Self {
            value: self.value / other.value,
            bits: self.bits.saturating_sub(other.bits),
            seconds: self.seconds.saturating_sub(other.seconds),
        }
    }

    pub(super) fn with(self, value: f64) -> Self {
        Self { value, ..self }
    }

    /// The sort of number, in words.
    pub(super) fn sort(self) -> &'static str {
        match (self.bits, self.seconds) {
            (0, 0) => "a plain number",
            (0, 1) => "a time",
            (1, -1) => "a rate",
            (1, 0) => "a size",
            _ => "a product of other units",
        }
    }
}
