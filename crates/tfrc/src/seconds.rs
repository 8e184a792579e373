//! Conversion between the integers of clocks and the seconds of equations.

use dumbbell_control::units::Duration;

/// Nanoseconds in a second.
const NANOS: f64 = 1e9;

/// Converts a time span to seconds.
pub(crate) fn seconds(span: Duration) -> f64 {
    span.as_nanos() as f64 / NANOS
}

/// Converts seconds to a time span, rounded to the nearest nanosecond. Negative numbers and NaN give
/// zero; numbers that are too large give the longest span.
pub(crate) fn span(seconds: f64) -> Duration {
    // The cast saturates, and turns NaN into zero.
    Duration::from_nanos((seconds * NANOS + 0.5) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_round_and_saturate() {
        assert_eq!(span(0.1), Duration::from_millis(100));
        assert_eq!(span(1.4e-9), Duration::from_nanos(1));
        assert_eq!(span(1.6e-9), Duration::from_nanos(2));
        assert_eq!(span(-1.0), Duration::ZERO);
        assert_eq!(span(f64::NAN), Duration::ZERO);
        assert_eq!(span(f64::INFINITY), Duration::MAX);
        assert_eq!(seconds(Duration::from_millis(1_500)), 1.5);
    }
}
