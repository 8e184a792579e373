//! Finds the loss rate that gives a rate, by bisection.

use core::fmt;

/// The smallest loss rate that is considered.
pub const LEAST_LOSS: f64 = 1e-9;

/// The precision of the result, relative to the loss rate. (RFC 5348, section 6.3.1, requires a rate
/// within 5 %.)
pub const TOLERANCE: f64 = 1e-12;

/// The error that no loss rate between [`LEAST_LOSS`] and 1 gives the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfReach {
    /// The end of the range that comes nearest: [`LEAST_LOSS`] if the rate is too high, 1 if it is too
    /// low.
    pub nearest: f64,
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nearest < 1.0 {
            write!(
                f,
                "the rate is too high: no loss rate of {LEAST_LOSS:e} or more gives it"
            )
        } else {
            write!(
                f,
                "the rate is too low: not even losing every packet gives it"
            )
        }
    }
}

impl core::error::Error for OutOfReach {}

/// Returns the loss rate p in [[`LEAST_LOSS`], 1] at which `rate_at(p)` falls to `rate`, within a
/// relative [`TOLERANCE`]. The unit of `rate` is that of `rate_at`, which must not grow with p.
///
/// If `rate_at` equals `rate` over a range, the result is the largest p of the range. If `rate_at` jumps
/// over the rate, it is the p of the jump.
///
/// # Errors
/// [`OutOfReach`] if `rate` is above `rate_at(LEAST_LOSS)`, below `rate_at(1)`, or NaN.
pub fn inverse(rate: f64, rate_at: impl Fn(f64) -> f64) -> Result<f64, OutOfReach> {
    if rate > rate_at(LEAST_LOSS) {
        return Err(OutOfReach {
            nearest: LEAST_LOSS,
        });
    }
    // NaN is rejected too.
    let slowest = rate_at(1.0);
    if rate.is_nan() || rate < slowest {
        return Err(OutOfReach { nearest: 1.0 });
    }
    if rate == slowest {
        return Ok(1.0);
    }
    // The bisection halves the ratio, so that small loss rates are as precise as large ones.
    let (mut low, mut high) = (LEAST_LOSS, 1.0);
    while high > low * (1.0 + TOLERANCE) {
        let middle = libm::sqrt(low * high);
        if rate_at(middle) >= rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyperbola_is_inverted() {
        for rate in [1.0, 3.0, 1e4, 1e8, 9.9e8] {
            let p = inverse(rate, |p| 1.0 / p).expect("in reach");
            assert!((p * rate - 1.0).abs() < 2.0 * TOLERANCE, "{rate}");
        }
    }

    #[test]
    fn a_rate_out_of_reach_gives_the_nearest_end() {
        let of = |rate| inverse(rate, |p| 1.0 / p).expect_err("out of reach");
        assert_eq!(of(2e9).nearest, 1e-9);
        assert_eq!(of(0.5).nearest, 1.0);
        assert_eq!(of(f64::NAN).nearest, 1.0);
        assert!(of(2e9).to_string().contains("too high"));
        assert!(of(0.0).to_string().contains("too low"));
    }

    #[test]
    fn a_flat_range_gives_its_end_and_a_jump_its_position() {
        let flat = inverse(10.0, |p| (1.0 / p).min(10.0)).expect("in reach");
        assert!((flat - 0.1).abs() < 1e-12);
        let jump = |p: f64| if p < 0.01 { 100.0 } else { 1.0 };
        let place = inverse(50.0, jump).expect("in reach");
        assert!((place - 0.01).abs() < 1e-13);
    }
}
