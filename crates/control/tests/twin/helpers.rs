//! The helpers of `bpf/dumbbell.h` against 128-bit arithmetic.

use dumbbell_control::filter::tustin;
use dumbbell_control::units::{Rate, Ratio, Segments};
use dumbbell_control::{estimate::bandwidth, wide};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::extremes::{half, word};
use crate::program::{Record, ask};

fn joined(hi: u64, lo: u64) -> u128 {
    (u128::from(hi) << 64) | u128::from(lo)
}

fn record() -> impl Strategy<Value = Record> {
    (
        0..12u64,
        word(),
        word(),
        word(),
        word(),
        half(),
        any::<bool>(),
    )
        .prop_map(|(operation, a, b, c, d, e, near)| match operation {
            // A product next to the other one.
            8 if near => [operation, a, b, b, a.wrapping_add(d % 3).wrapping_sub(1), 0],
            // A number next to the other one.
            3 if near => [operation, a, b, a, b.wrapping_add(d % 3).wrapping_sub(1), 0],
            5 => [operation, a, b as u32 as u64, c as u32 as u64, 0, 0],
            6 => [operation, a, b as u32 as u64, c, d as u32 as u64, e.into()],
            // Bytes below 2^48.
            9 => [operation, a >> 16, b as u32 as u64, 0, 0, 0],
            10 => [operation, a, b, c, d as u32 as u64, e.into()],
            11 => [operation, a, b as u32 as u64, 0, 0, 0],
            _ => [operation, a, b, c, d, e.into()],
        })
}

/// The answer, by the widest arithmetic that Rust has.
fn expected(r: &Record) -> u128 {
    let saturated = |n: u128| n.min(u64::MAX.into());
    let [a, b, c, d, e] = [r[1], r[2], r[3], r[4], r[5]].map(u128::from);
    match r[0] {
        0 => a * b,
        1 => joined(r[1], r[2]).wrapping_add(joined(r[3], r[4])),
        2 => joined(r[1], r[2]).checked_shl(r[3] as u32).unwrap_or(0),
        3 => u128::from(joined(r[1], r[2]) >= joined(r[3], r[4])),
        4 => wide::div128by32(joined(r[1], r[2]), r[3] as u32),
        5 if c == 0 => u64::MAX.into(),
        5 => saturated(a * b / c),
        6 if e == 0 => u64::MAX.into(),
        6 => saturated((a * b + c * d) / e),
        7 if a == 0 => u64::MAX.into(),
        7 => saturated((1 << 64) / a),
        8 => u128::from(a * b >= c * d),
        9 => bandwidth::rate(r[1], r[2]).raw().into(),
        10 => {
            let rates = [r[1], r[2], r[3]].map(Rate::from_raw);
            tustin::step(rates[0], rates[1], rates[2], r[4] as u32, r[5] as u32)
                .raw()
                .into()
        }
        _ => {
            let ratio = Ratio::from_millionths(r[2] as u32);
            Segments::from_raw(r[1]).scaled(ratio).raw().into()
        }
    }
}

/// And Rust's own helpers, where they are not what is expected already.
fn in_rust(r: &Record) -> Option<u128> {
    Some(match r[0] {
        5 => wide::muldiv(r[1], r[2] as u32, r[3] as u32).into(),
        6 => wide::muladd_div(r[1], r[2] as u32, r[3], r[4] as u32, r[5] as u32).into(),
        7 => wide::reciprocal(r[1]).into(),
        8 => wide::product_at_least(r[1], r[2], r[3], r[4]).into(),
        _ => return None,
    })
}

#[test]
fn helpers_are_exact_in_both_languages() {
    let mut runner = TestRunner::new(Config::with_cases(64));
    let batch = prop::collection::vec(record(), 4_000);
    let outcome = runner.run(&batch, |records| {
        for r in &records {
            if let Some(answer) = in_rust(r) {
                prop_assert_eq!(answer, expected(r), "Rust, {:x?}", r);
            }
        }
        let Some(answers) = ask::<2>("helpers", &records) else {
            return Ok(());
        };
        for (r, answer) in records.iter().zip(answers) {
            prop_assert_eq!(joined(answer[0], answer[1]), expected(r), "C, {:x?}", r);
        }
        Ok(())
    });
    outcome.expect("no mismatch");
}
