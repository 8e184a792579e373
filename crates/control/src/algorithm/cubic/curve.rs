//! CUBIC's curve, W_cubic(t) = C (t - K)^3 + W_max, and K = cbrt((W_max - cwnd_epoch) / C), in
//! integers (RFC 9438, section 4.2, figures 1 and 2).
//!
//! Times are in seconds << 24, ticks of 60 ns. C is in millionths of a segment per cubic second.

use crate::units::{Duration, Ratio, Segments, muldiv};

/// Steps of the cube root of a 64-bit number: one for each bit of the root.
const STEPS: u32 = 22;

/// Returns `floor(cbrt(x))` and the rest of `x` above the cube of that.
#[inline]
pub const fn cube_root(x: u64) -> (u64, u64) {
    let (mut root, mut rest) = (0, x);
    let mut step = STEPS;
    while step > 0 {
        step -= 1;
        // Another bit of one adds (2 root + 1)^3 - (2 root)^3 = 3 * 2 root * (2 root + 1) + 1 to
        // the cube, in units of 8^step. The comparison shifts down, since shifting up would overflow.
        root <<= 1;
        let more = 3 * root * (root + 1) + 1;
        if rest >> (3 * step) >= more {
            rest -= more << (3 * step);
            root += 1;
        }
    }
    (root, rest)
}

/// K for a plateau `distance` above the window. With x = floor(distance * 1024 * 10^6 / c), at
/// most 2^64 - 1, k = floor(cbrt(x)) and r = x - k^3, it is
/// `k * 1024 + floor(r * 1024 / (3 k^2 + k + floor(k / 2)))`.
///
/// The division interpolates between k and k + 1. The relative error of K is within 4e-8 for distances
/// of 1.5 segments or more (C = 0.4). The bound on x limits K to 161.27 s, the value for 2^20 segments
/// at C = 0.25.
#[inline]
pub fn k(distance: Segments, c: Ratio) -> u32 {
    let x = muldiv(distance.raw(), 1_024_000_000, c.millionths());
    let (root, rest) = cube_root(x);
    if root == 0 {
        return 0;
    }
    let slope = 3 * root * root + root + root / 2;
    // Below 2^31.4: root is at most 2642245, and rest is at most 3 root (root + 1).
    ((root << 10) + (rest << 10) / slope) as u32
}

/// A span in ticks: `floor(t * 2^24 / 10^9)` for `t` in nanoseconds.
#[inline]
pub const fn ticks(t: Duration) -> u64 {
    muldiv(t.as_nanos(), 1 << 24, 1_000_000_000)
}

/// The height of the curve at `t` ticks: W_max + or - `floor(c * floor(d^3 / 2^40) / 10^6)`, not below
/// zero, with d = |t - K|, at most `u32::MAX` ticks (256 s).
#[inline]
pub fn height(w_max: Segments, k: u32, t: u64, c: Ratio) -> Segments {
    let d = t.abs_diff(k.into()).min(u32::MAX.into());
    let cube = ((u128::from(d * d) * u128::from(d)) >> 40) as u64;
    let away = Segments::from_raw(muldiv(cube, c.millionths(), 1_000_000));
    if t < k.into() {
        w_max.saturating_sub(away)
    } else {
        w_max.saturating_add(away)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use proptest::prelude::*;

    use super::*;
    use crate::algorithm::testing::{assert_near, segments, span};

    const C: Ratio = Ratio::from_millionths(400_000);

    fn seconds(ticks: u32) -> f64 {
        f64::from(ticks) / 16_777_216.0
    }

    fn is_the_cube_root(x: u64) {
        let (root, rest) = cube_root(x);
        let cube = u128::from(root).pow(3);
        assert!(cube <= u128::from(x) && u128::from(x) < u128::from(root + 1).pow(3));
        assert_eq!(cube + u128::from(rest), u128::from(x));
    }

    #[test]
    fn cube_roots_are_exact_around_whole_cubes() {
        for root in (1..3_000_u64).chain(2_640_000..=2_642_245) {
            let cube = root.pow(3);
            assert_eq!(cube_root(cube), (root, 0));
            assert_eq!(cube_root(cube - 1).0, root - 1);
            is_the_cube_root(cube + 1);
        }
        assert_eq!(cube_root(0), (0, 0));
        // 2642245^3 = 18446724184312856125.
        assert_eq!(cube_root(u64::MAX), (2_642_245, 19_889_396_695_490));
    }

    #[test]
    fn cube_roots_of_random_numbers_are_exact() {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        for i in 0..200_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            is_the_cube_root(x >> (i % 64));
        }
    }

    /// The distances are 0.4 times a cube.
    #[test]
    fn k_is_exact_for_whole_seconds() {
        for (distance, k_s) in [(0.4, 1.0), (3.2, 2.0), (400.0, 10.0), (400_000.0, 100.0)] {
            assert_near(seconds(k(segments(distance), C)), k_s);
        }
        assert_eq!(k(Segments::ZERO, C), 0);
    }

    /// 2560 * 84375 = 216000000 = 600^3, and 2560 * 84785 lies 1049600 above it:
    /// 1049600 * 1024 / (3 * 600^2 + 600 + 300) = 994.35.
    #[test]
    fn k_is_interpolated_between_the_whole_roots() {
        assert_eq!(k(Segments::from_raw(84_375), C), 600 << 10);
        assert_eq!(k(Segments::from_raw(84_785), C), (600 << 10) + 994);
    }

    #[test]
    fn the_relative_error_of_k_is_within_4e_8() {
        let mut worst: f64 = 0.0;
        let mut distance = 1.5_f64;
        while distance < 1_048_576.0 {
            let exact = (segments(distance).as_f64() / 0.4).cbrt();
            worst = worst.max((seconds(k(segments(distance), C)) / exact - 1.0).abs());
            distance *= 1.000_37;
        }
        assert!(worst <= 4e-8, "{worst}");
    }

    /// cbrt(2^64) / 2^14 = 2^(22/3) = 161.269894.
    #[test]
    fn k_has_a_ceiling() {
        let least = Ratio::from_millionths(10_000);
        for distance in [Segments::CAP, Segments::MAX] {
            assert_near(seconds(k(distance, least)), 161.269_894);
        }
        // Here the exact K equals the ceiling: 0.25 * 2^22 = 2^20 segments.
        let quarter = Ratio::from_millionths(250_000);
        assert_near(seconds(k(Segments::CAP, quarter)), 161.269_894);
        // 400000 segments at C = 4: (10^5)^(1/3) = 46.4158883 s.
        let four = Ratio::from_millionths(4_000_000);
        assert_near(seconds(k(segments(400_000.0), four)), 46.415_888);
    }

    #[test]
    fn a_second_has_2_to_the_24_ticks() {
        assert_eq!(ticks(span(1000.0)), 1 << 24);
        assert_eq!(ticks(span(125.0)), 1 << 21);
        assert_eq!(ticks(Duration::from_nanos(59)), 0);
        assert_eq!(ticks(Duration::from_nanos(60)), 1);
    }

    /// W_max 100 and K = 3 s: 100 + 0.4 (t - 3)^3.
    #[test]
    fn the_curve_is_concave_then_convex() {
        let k = 3 << 24;
        let points = [
            (0.0, 89.2),
            (1.0, 96.8),
            (2.0, 99.6),
            (2.5, 99.95),
            (3.0, 100.0),
            (3.5, 100.05),
            (4.0, 100.4),
            (6.0, 110.8),
            (13.0, 500.0),
        ];
        for (t, expected) in points {
            let t = ticks(span(t * 1000.0));
            assert_near(height(segments(100.0), k, t, C).as_f64(), expected);
        }
    }

    #[test]
    fn the_curve_has_a_floor_and_saturates() {
        assert_eq!(height(Segments::ONE, 10 << 24, 0, C), Segments::ZERO);
        assert!(height(Segments::ONE, 0, u64::MAX, C) >= Segments::CAP);
        let most = Ratio::from_millionths(u32::MAX);
        assert_eq!(height(Segments::MAX, 0, u64::MAX, most), Segments::MAX);
    }

    proptest! {
        /// (K - e)^3 c <= distance <= (K + e)^3 c, where e is 4e-8 K plus a tick, in integers.
        #[test]
        fn k_is_the_root_for_any_c(
            raw in 6_442_450_944..=1_u64 << 52,
            c in 250_000..100_000_000_u32,
        ) {
            let k = u128::from(k(Segments::from_raw(raw), Ratio::from_millionths(c)));
            let e = k / 25_000_000 + 1;
            // Segments << 32 in millionths times ticks cubed: << 72.
            let distance = (u128::from(raw) * 1_000_000) << 40;
            prop_assert!((k - e).pow(3) * u128::from(c) <= distance);
            prop_assert!((k + e).pow(3) * u128::from(c) >= distance);
        }

        /// The two floors lose less than (c / 10^6 + 1) * 2^-32 segments.
        #[test]
        fn the_curve_equals_the_cube(
            w_max in 0..=1_u64 << 52,
            k in 0..2_705_659_904_u32,
            t in 0..3_000_000_000_u64,
            c in 10_000..100_000_000_u32,
        ) {
            let height = i128::from(
                height(Segments::from_raw(w_max), k, t, Ratio::from_millionths(c)).raw(),
            );
            let d = i128::from(t) - i128::from(k);
            let exact = i128::from(w_max) + d.pow(3) / (1 << 40) * i128::from(c) / 1_000_000;
            let exact = exact.clamp(0, u64::MAX.into());
            prop_assert!((height - exact).abs() <= i128::from(c) / 1_000_000 + 1);
        }

        #[test]
        fn the_curve_never_falls(w_max: u64, k: u32, t: u64, later: u64, c: u32) {
            let (w_max, c) = (Segments::from_raw(w_max), Ratio::from_millionths(c));
            let later = t.saturating_add(later >> (t % 64));
            prop_assert!(height(w_max, k, t, c) <= height(w_max, k, later, c));
        }
    }
}
