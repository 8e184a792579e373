//! The arithmetic functions of the twins alone, compared with 128-bit arithmetic.

use std::cmp::Ordering;
use std::num::NonZeroU64;

use dumbbell_control::estimate::{bandwidth, history, throughput};
use dumbbell_control::filter::{ewma, tustin};
use dumbbell_control::units::{Duration, Rate, Ratio, Segments};
use dumbbell_control::wide;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::extremes::{half, word};
use crate::program::ask;
use crate::walk::{Record, record};

fn joined(hi: u64, lo: u64) -> u128 {
    (u128::from(hi) << 64) | u128::from(lo)
}

fn any_record() -> impl Strategy<Value = Record> {
    (
        0..21u64,
        word(),
        word(),
        word(),
        word(),
        half(),
        any::<bool>(),
    )
        .prop_map(|(operation, a, b, c, d, e, near)| {
            let next_to = |n: u64| n.wrapping_add(d % 3).wrapping_sub(1);
            let [b32, c32, d32] = [b, c, d].map(|n| u64::from(n as u32));
            let arguments = match operation {
                // Two products that differ by one or are equal.
                8 | 12 if near => [a, b, b, next_to(a), 0],
                // Two numbers that differ by one or are equal.
                3 if near => [a, b, a, next_to(b), 0],
                5 => [a, b32, c32, 0, 0],
                6 => [a, b32, c, d32, e.into()],
                10 => [a, b, c, d32, e.into()],
                11 | 15 => [a, b32, 0, 0, 0],
                // A dividend close to a multiple of the divisor.
                13 if near => {
                    let n = u128::from(a) * u128::from(b) + u128::from(d % 3);
                    let n = n.saturating_sub(1);
                    [(n >> 64) as u64, n as u64, b, 0, 0]
                }
                // Rates up to their cap, RTTs up to the longest.
                16 => [a >> 4, b >> 27, c32, 0, 0],
                17 => [a, b32, c.max(1), 0, 0],
                18 => [a, b, c32, 0, 0],
                // A rate close to the edge of the other's tolerance.
                19 if near => {
                    let old = b >> 4;
                    let part = u64::from(e) % 1_000_001;
                    let off = u128::from(old) * u128::from(part) / 1_000_000;
                    let edge = if a % 2 == 0 {
                        old + off as u64
                    } else {
                        old - off as u64
                    };
                    [next_to(edge), old, part, 0, 0]
                }
                19 => [a, b, c32, 0, 0],
                20 if near && a % 2 == 0 => [next_to(b), b, 0, 0, 0],
                20 if near => [next_to(b.wrapping_neg()), b, 0, 0, 0],
                _ => [a, b, c, d, e.into()],
            };
            let [a, b, c, d, e] = arguments;
            record([operation, a, b, c, d, e])
        })
}

fn number(ordering: Ordering) -> u128 {
    match ordering {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    }
}

/// The expected result, by 128-bit arithmetic.
fn expected(r: &Record) -> u128 {
    const RATE_CAP: u128 = 1 << 60;
    const CWND_CAP: u128 = 1 << 52;
    let saturated = |n: u128| n.min(u64::MAX.into());
    let [a, b, c, d, e] = [r[1], r[2], r[3], r[4], r[5]].map(u128::from);
    match r[0] {
        0 => a * b,
        1 => joined(r[1], r[2]).wrapping_add(joined(r[3], r[4])),
        2 => joined(r[1], r[2]).checked_shl(r[3] as u32).unwrap_or(0),
        3 => u128::from(joined(r[1], r[2]) >= joined(r[3], r[4])),
        4 => joined(r[1], r[2])
            .checked_div(u128::from(r[3] as u32))
            .unwrap_or(u128::MAX),
        5 => saturated((a * b).checked_div(c).unwrap_or(u128::MAX)),
        6 => saturated((a * b + c * d).checked_div(e).unwrap_or(u128::MAX)),
        7 => saturated((1u128 << 64).checked_div(a).unwrap_or(u128::MAX)),
        8 => u128::from(a * b >= c * d),
        9 => (a * 65_536 * 1_000_000_000)
            .checked_div(b)
            .unwrap_or(u128::MAX)
            .min(RATE_CAP),
        10 => {
            let spacing = e.min(d);
            let divisor = (d + spacing).min(u32::MAX.into());
            let sum = saturated(b + c);
            let next = (a * (d - spacing) + sum * spacing).checked_div(divisor);
            next.unwrap_or(u128::MAX).min(RATE_CAP)
        }
        11 => saturated(a * b / 1_000_000),
        12 => u128::from(a * b > c * d),
        13 => saturated(joined(r[1], r[2]).checked_div(c).unwrap_or(u128::MAX)),
        14 => r[1].leading_zeros().into(),
        15 => ((a * b) >> 32).min(u32::MAX.into()),
        16 => (((a * b) << 16) / 1_000_000_000 / c.max(1)).min(CWND_CAP),
        17 => (((a.min(CWND_CAP) * b * 8_000_000_000) >> 16) / c).min(RATE_CAP),
        18 => {
            let gain = c.min(1_000_000);
            saturated((a * (1_000_000 - gain) + b * gain) / 1_000_000)
        }
        19 if a.abs_diff(b) * 1_000_000 <= b * c => 1,
        19 => number(a.cmp(&b)),
        20 if u128::from((r[1] as i64).unsigned_abs()) <= b => 1,
        20 => number((r[1] as i64).cmp(&0)),
        operation => unreachable!("{operation}"),
    }
}

/// The result of the function that the controls use in Rust; `None` if there is no such function.
fn in_rust(r: &Record) -> Option<u128> {
    let rate = |i: usize| Rate::from_raw(r[i]);
    let ratio = |i: usize| Ratio::from_millionths(r[i] as u32);
    let half = |i: usize| r[i] as u32;
    let window = Segments::from_raw(r[1]);
    Some(match r[0] {
        4 => wide::div128by32(joined(r[1], r[2]), half(3)),
        5 => wide::muldiv(r[1], half(2), half(3)).into(),
        6 => wide::muladd_div(r[1], half(2), r[3], half(4), half(5)).into(),
        7 => wide::reciprocal(r[1]).into(),
        8 => wide::product_at_least(r[1], r[2], r[3], r[4]).into(),
        9 => bandwidth::rate(r[1], r[2]).raw().into(),
        10 => tustin::step(rate(1), rate(2), rate(3), half(4), half(5))
            .raw()
            .into(),
        11 => window.scaled(ratio(2)).raw().into(),
        12 => wide::product_above(r[1], r[2], r[3], r[4]).into(),
        15 => bandwidth::bytes(window, half(2)).into(),
        16 => {
            let rtt = Duration::from_nanos(r[2]);
            bandwidth::window(rate(1), rtt, half(3)).raw().into()
        }
        17 => {
            let eighths = NonZeroU64::new(r[3]).expect("an RTT");
            throughput::rate(window, half(2), eighths).raw().into()
        }
        18 => ewma::step(rate(1), rate(2), ratio(3)).raw().into(),
        19 => number(history::change(rate(1), Some(rate(2)), ratio(3))),
        _ => return None,
    })
}

#[test]
fn helpers_are_exact_in_both_languages() {
    let mut runner = TestRunner::new(Config::with_cases(96));
    let batch = prop::collection::vec(any_record(), 4_000);
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
