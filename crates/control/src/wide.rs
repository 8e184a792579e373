//! Arithmetic wider than 64 bits: comparisons and quotients of products. Every result is the
//! exact floor of the stated expression. The C twins in `bpf/dumbbell.h` use 64-bit arithmetic
//! only.
//!
//! ```
//! use dumbbell_control::wide::{muldiv, product_at_least, reciprocal};
//!
//! assert_eq!(muldiv(u64::MAX, 3, 4), u64::MAX / 4 * 3 + 2);
//! assert!(product_at_least(u64::MAX, 2, u64::MAX - 1, 2));
//! // A fifth of a segment, in the fixed point of windows.
//! assert_eq!(reciprocal(5 << 32), (1 << 32) / 5);
//! ```

use crate::hint::cold_path;

/// `floor(a * x / d)`, saturating at `u64::MAX`; also `u64::MAX` for `d = 0`.
#[inline]
pub const fn muldiv(a: u64, x: u32, d: u32) -> u64 {
    narrow_quotient(a as u128 * x as u128, d)
}

/// `floor((a * x + b * y) / d)`, saturating at `u64::MAX`; also `u64::MAX` for `d = 0`.
#[inline]
pub const fn muladd_div(a: u64, x: u32, b: u64, y: u32, d: u32) -> u64 {
    narrow_quotient(a as u128 * x as u128 + b as u128 * y as u128, d)
}

/// `floor(n / d)` with 128 bits; `u128::MAX` for `d = 0`.
#[inline]
pub const fn div128by32(n: u128, d: u32) -> u128 {
    if d == 0 {
        return u128::MAX;
    }
    n / d as u128
}

/// Whether `a * b >= c * d`.
#[inline]
pub const fn product_at_least(a: u64, b: u64, c: u64, d: u64) -> bool {
    a as u128 * b as u128 >= c as u128 * d as u128
}

/// Whether `a * b > c * d`.
#[inline]
pub const fn product_above(a: u64, b: u64, c: u64, d: u64) -> bool {
    a as u128 * b as u128 > c as u128 * d as u128
}

/// `floor(2^64 / w)`, saturating at `u64::MAX` for `w` of 0 or 1. For a window of `w` this
/// is one segment divided by the window.
#[inline]
pub const fn reciprocal(w: u64) -> u64 {
    if w <= 1 {
        cold_path();
        return u64::MAX;
    }
    // 2^64 - w fits in 64 bits, and floor((2^64 - w) / w) = floor(2^64 / w) - 1.
    w.wrapping_neg() / w + 1
}

/// `floor(n / d)`, saturating at `u64::MAX`. It makes two divisions of 64 bits, which together cost a
/// fraction of a general 128-bit division.
#[inline]
const fn narrow_quotient(n: u128, d: u32) -> u64 {
    let d = d as u64;
    let high = (n >> 64) as u64;
    let low = n as u64;
    if high >= d {
        return u64::MAX;
    }
    if high == 0 {
        return low / d;
    }
    let upper = (high << 32) | (low >> 32);
    let lower = ((upper % d) << 32) | (low & 0xffff_ffff);
    ((upper / d) << 32) | (lower / d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_floors() {
        assert_eq!(muldiv(10, 4, 5), 8);
        assert_eq!(muldiv(11, 4, 5), 8);
        assert_eq!(muldiv(7, 3, 4), 5);
        // (2^64 - 1) * 2 / 3, by hand: 2^64 - 1 = 3 * 6148914691236517205.
        assert_eq!(muldiv(u64::MAX, 2, 3), 12_297_829_382_473_034_410);
        assert_eq!(muladd_div(10, 19, 40, 1, 21), 10);
        assert_eq!(muladd_div(u64::MAX, u32::MAX, 0, 9, u32::MAX), u64::MAX);
        assert_eq!(div128by32(1 << 100, 1 << 31), 1 << 69);
    }

    #[test]
    fn results_that_do_not_fit_saturate() {
        assert_eq!(muldiv(u64::MAX, 2, 1), u64::MAX);
        assert_eq!(muldiv(1, 1, 0), u64::MAX);
        assert_eq!(muldiv(0, 0, 0), u64::MAX);
        assert_eq!(div128by32(0, 0), u128::MAX);
    }

    #[test]
    fn products_compare_beyond_64_bits() {
        assert!(product_at_least(1 << 63, 4, 1 << 62, 8));
        assert!(!product_above(1 << 63, 4, 1 << 62, 8));
        assert!(product_above(u64::MAX, u64::MAX, u64::MAX, u64::MAX - 1));
    }

    #[test]
    fn a_reciprocal_is_a_floor() {
        assert_eq!(reciprocal(1 << 32), 1 << 32);
        assert_eq!(reciprocal(1 << 52), 1 << 12);
        // 2^64 / 3 = 6148914691236517205.33
        assert_eq!(reciprocal(3), 6_148_914_691_236_517_205);
        assert_eq!(reciprocal((1 << 32) + 1), (1 << 32) - 1);
        assert_eq!(reciprocal(u64::MAX), 1);
        assert_eq!(reciprocal(1), u64::MAX);
        assert_eq!(reciprocal(0), u64::MAX);
    }
}
