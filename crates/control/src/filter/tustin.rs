//! The Tustin (bilinear) discretisation of a first-order low-pass filter: Mascolo et al.,
//! "TCP Westwood", 2001, section 2.1.

use crate::units::Rate;
use crate::wide::muladd_div;

/// One step over a spacing of `d` nanoseconds with twice the cut-off time `two_tau`:
/// `floor((bwe * (two_tau - d) + (b + b_prev) * d) / (two_tau + d))`, where b is `sample` and b_prev
/// is `previous`.
///
/// `two_tau + d` must be below 2^32. A `d` longer than `two_tau` counts as `two_tau`.
#[inline]
pub fn step(bwe: Rate, previous: Rate, sample: Rate, two_tau: u32, d: u32) -> Rate {
    let d = d.min(two_tau);
    let sum = sample.raw().saturating_add(previous.raw());
    let divisor = two_tau.saturating_add(d);
    let next = muladd_div(bwe.raw(), two_tau - d, sum, d, divisor);
    Rate::from_raw(next.min(Rate::CAP.raw()))
}

/// One step of constant gain, which is Tustin's with a spacing of tau / `k`:
/// `floor((bwe * (2 k - 1) + b + b_prev) / (2 k + 1))`. For `k` = 10 the weight of `bwe` is 19/21.
#[inline]
pub fn constant(bwe: Rate, previous: Rate, sample: Rate, k: u32) -> Rate {
    step(bwe, previous, sample, k.saturating_mul(2), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{assert_near, bit_rate};

    #[test]
    fn the_weight_of_a_sample_follows_its_spacing() {
        let (mut bwe, mut previous) = (bit_rate(1e6), bit_rate(1e6));
        // 1000 bytes after 10, 5 and 20 ms.
        let steps = [
            (10_000_000, 800_000.0, 998_019.80),
            (5_000_000, 1_600_000.0, 1_000_029.56),
            (20_000_000, 400_000.0, 1_000_028.40),
        ];
        for (d, b, expected) in steps {
            bwe = step(bwe, previous, bit_rate(b), 1_000_000_000, d);
            previous = bit_rate(b);
            assert_near(bwe.as_bits_per_second(), expected);
        }
    }

    #[test]
    fn a_k_of_ten_weighs_the_past_by_19_21() {
        let (mut bwe, mut previous) = (bit_rate(1e6), bit_rate(1e6));
        let steps = [
            (8e5, 990_476.19),
            (1.6e6, 1_010_430.84),
            (4e5, 1_009_437.43),
        ];
        for (b, expected) in steps {
            bwe = constant(bwe, previous, bit_rate(b), 10);
            previous = bit_rate(b);
            assert_near(bwe.as_bits_per_second(), expected);
        }
    }

    #[test]
    fn no_estimate_exceeds_the_cap() {
        let most = Rate::CAP;
        assert_eq!(step(most, most, most, 3_200_000_000, 800_000_000), most);
        assert_eq!(
            step(Rate::from_raw(u64::MAX), most, most, u32::MAX, u32::MAX),
            most
        );
        assert_eq!(constant(most, most, most, u32::MAX), most);
    }
}
