//! Numbers that tend to break arithmetic: small ones, powers of two and their neighbours, and random
//! ones.

use proptest::prelude::*;

/// A 64-bit number.
pub fn word() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..16u64,
        any::<u64>(),
        (0..64u32, any::<u64>()).prop_map(|(shift, any)| any >> shift),
        (0..64u32, -2..=2i64).prop_map(|(shift, off)| (1u64 << shift).wrapping_add_signed(off)),
        (0..16u64).prop_map(|off| u64::MAX - off),
    ]
}

/// A 32-bit number.
pub fn half() -> impl Strategy<Value = u32> {
    word().prop_map(|word| word as u32)
}
