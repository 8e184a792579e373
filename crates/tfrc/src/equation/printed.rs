//! TFRC Veno's equations as printed, for comparison. They are incorrect.
//!
//! | equation | printed | correct |
//! |---|---|---|
//! | (8) | `(X/2)(lambda W_{i-1} + W_{i-1} - 1)` | `... + W_i - 1`, as in (10) |
//! | (11), (12) | second term under the root `(b(1-g)+1)^2` | `((b(1-g)+1)/2)^2`, as in (13) and (14) |
//! | (13), (14) | the root extends over the final `+ 1` | `+ 1` is outside the root |
//! | (21), (22) | the root extends over `p(1+32p^2)` | `p(1+32p^2)` is outside the root |
//!
//! The errors were found by algebra. The corrected forms agree with a simulation of the model (in the
//! tests of [`Period`](super::Period)), and (21) corrected is the equation of RFC 5348.

use super::RateEquation;

/// Returns E\[W\] by equation 11 as printed, in packets.
pub fn window(p: f64, packets_per_ack: f64, cut: f64) -> f64 {
    let (b, g) = (packets_per_ack, cut);
    let k = b * (1.0 - g) + 1.0;
    let square = b * (1.0 - g * g);
    let root = 2.0 * (1.0 - p) / (square * p) + (k / square) * (k / square);
    k / (2.0 * square) + libm::sqrt(root)
}

/// Returns E\[X\] by equation 12 as printed, in rounds.
pub fn rounds(p: f64, packets_per_ack: f64, cut: f64) -> f64 {
    let (b, g) = (packets_per_ack, cut);
    let k = (b * (1.0 - g) + 1.0) / (1.0 + g);
    let root = 2.0 * b * (1.0 - g) * (1.0 - p) / ((1.0 + g) * p) + k * k;
    k / 2.0 + libm::sqrt(root)
}

/// Returns E\[A\] by equation 13 as printed, in round-trip times.
pub fn duration(p: f64, packets_per_ack: f64, cut: f64) -> f64 {
    let (b, g) = (packets_per_ack, cut);
    let k = (b * (1.0 - g) + 1.0) / (2.0 * (1.0 + g));
    let root = 2.0 * b * (1.0 - g) * (1.0 - p) / ((1.0 + g) * p) + k * k + 1.0;
    k + libm::sqrt(root)
}

/// Returns B(p) by equation 14 as printed, in packets per round-trip time. Its numerator is correct.
pub fn rate(p: f64, packets_per_ack: f64, cut: f64) -> f64 {
    super::Period::new(p, packets_per_ack, cut).packets / duration(p, packets_per_ack, cut)
}

/// Returns T_calc by equation 22 as printed, in bytes per second; with `cut = 1/2` it is equation 21.
/// `min1` is ignored.
pub fn sending_rate(equation: &RateEquation, p: f64) -> f64 {
    let (b, g) = (equation.packets_per_ack, equation.cut);
    let rounds = libm::sqrt(2.0 * b * (1.0 - g) * p / (1.0 + g));
    let timeouts = 3.0 * libm::sqrt(b * (1.0 - g * g) * p / 2.0 * p * (1.0 + 32.0 * p * p));
    equation.segment / (equation.rtt * rounds + equation.t_rto * timeouts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(value: f64, expected: f64, relative: f64) {
        assert!(
            (value / expected - 1.0).abs() < relative,
            "{value} is not {expected}"
        );
    }

    /// TFRC Veno, equations 14 and 11 as printed.
    #[test]
    fn rate_and_window_as_printed() {
        assert_close(rate(0.01, 2.0, 0.5), 9.099, 1e-4);
        assert_close(rate(0.01, 1.0, 0.8), 24.156, 1e-4);
        assert_close(window(0.01, 1.0, 0.8), 25.354, 1e-4);
    }

    /// By hand for p = 0.1, b = 1, g = 1/2: k = 1.5, 1 + g = 1.5:
    /// (12) 1/2 + sqrt(6 + 1); (13) 1/2 + sqrt(6 + 1/4 + 1).
    #[test]
    fn rounds_and_duration_as_printed() {
        assert_close(rounds(0.1, 1.0, 0.5), 0.5 + 7f64.sqrt(), 1e-12);
        assert_close(duration(0.1, 1.0, 0.5), 0.5 + 7.25f64.sqrt(), 1e-12);
    }

    /// TFRC Veno, equations 21 and 22 as printed.
    #[test]
    fn sending_rates_as_printed() {
        let tfrc = RateEquation::tfrc(1000.0, 0.1);
        assert_close(sending_rate(&tfrc, 0.01), 64_411.5, 1e-5);
        let veno = RateEquation::tfrc_veno(1000.0, 0.1, 0.95);
        assert_close(sending_rate(&veno, 0.1), 26_594.4, 1e-5);
    }

    /// The printed (14) is 10 to 35 % too high for frequent losses and small reductions of the window.
    #[test]
    fn the_printed_rate_is_too_high() {
        for cut in [0.65, 0.8, 0.95] {
            for p in [0.01, 0.03, 0.1] {
                let correct = super::super::Period::new(p, 1.0, cut).rate();
                let excess = rate(p, 1.0, cut) / correct - 1.0;
                assert!((0.09..0.36).contains(&excess), "{cut} {p} {excess}");
            }
        }
    }
}
