//! Formats numbers for readers.

use super::fact::Unit;

/// Decimals of a measured number if no more are required.
pub(super) const DECIMALS: usize = 1;

/// The largest denominator of a fraction.
const LARGEST_DENOMINATOR: u32 = 16;

/// Formats an exact number: as a whole number, as a fraction, or with as many decimals as it has.
pub(super) fn exact(number: f64, unit: Unit) -> String {
    match unit {
        Unit::Pure => fraction(number).unwrap_or_else(|| trimmed(number)),
        Unit::Segments => trimmed(number),
        Unit::Seconds | Unit::BitRate | Unit::Bytes => {
            let (scale, name) = prefix(number, unit);
            format!("{} {name}", trimmed(number / scale))
        }
    }
}

/// Formats a measured number with so many decimals.
pub(super) fn measured(number: f64, unit: Unit, decimals: usize, signed: bool) -> String {
    let (scale, name) = prefix(number, unit);
    let decimals = match unit {
        Unit::Bytes => 0,
        // Two estimates of the same path often differ by a few percent only.
        Unit::BitRate => decimals + 1,
        // A fraction of segments, and what is left of a window.
        Unit::Pure => decimals + 2,
        Unit::Segments | Unit::Seconds => decimals,
    };
    let text = format!("{:.decimals$}", number / scale);
    let zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    let text = match text.strip_prefix('-') {
        Some(positive) if zero => positive.to_owned(),
        _ if signed && number > 0.0 && !zero => format!("+{text}"),
        _ => text,
    };
    if name.is_empty() {
        text
    } else {
        format!("{text} {name}")
    }
}

/// The divisor that makes a number easy to read, and the resulting unit.
fn prefix(number: f64, unit: Unit) -> (f64, &'static str) {
    let ladder: &[(f64, f64, &str)] = match unit {
        Unit::Pure | Unit::Segments => &[(0.0, 1.0, "")],
        Unit::Bytes => &[(0.0, 1.0, "B")],
        Unit::BitRate => &[
            (1e9, 1e9, "Gb/s"),
            (1e6, 1e6, "Mb/s"),
            (1e3, 1e3, "kb/s"),
            (0.0, 1.0, "b/s"),
        ],
        // A tenth of a millisecond is still written in milliseconds, and so is zero.
        Unit::Seconds if number == 0.0 => &[(0.0, 1e-3, "ms")],
        Unit::Seconds => &[(1.0, 1.0, "s"), (1e-4, 1e-3, "ms"), (0.0, 1e-6, "us")],
    };
    let fits = ladder.iter().find(|(least, ..)| number.abs() >= *least);
    fits.map_or((1.0, ""), |(_, scale, name)| (*scale, name))
}

/// The number as a whole number or as a fraction of small numbers.
fn fraction(number: f64) -> Option<String> {
    for denominator in 1..=LARGEST_DENOMINATOR {
        let numerator = number * f64::from(denominator);
        // Parameters have a resolution of a millionth.
        if (numerator - numerator.round()).abs() < 1e-7 {
            let numerator = numerator.round();
            return Some(match denominator {
                1 => format!("{numerator}"),
                _ => format!("{numerator}/{denominator}"),
            });
        }
    }
    None
}

fn trimmed(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_numbers_are_shown_whole_as_fractions_or_with_all_decimals() {
        for (number, text) in [
            (0.5, "1/2"),
            (0.8, "4/5"),
            (0.875, "7/8"),
            (0.7, "7/10"),
            (2.0, "2"),
            (0.0, "0"),
            (0.123_456, "0.123456"),
        ] {
            assert_eq!(exact(number, Unit::Pure), text);
        }
        assert_eq!(exact(3.0, Unit::Segments), "3");
        assert_eq!(exact(2.5, Unit::Segments), "2.5");
        assert_eq!(exact(1000.0, Unit::Bytes), "1000 B");
        assert_eq!(exact(1e-6, Unit::Seconds), "1 us");
        assert_eq!(exact(0.05, Unit::Seconds), "50 ms");
        assert_eq!(exact(0.0, Unit::Seconds), "0 ms");
    }

    #[test]
    fn measured_numbers_are_rounded_in_a_readable_unit() {
        for (number, text) in [
            (0.066_048, "66.0 ms"),
            (0.0008, "0.8 ms"),
            (0.000_012_34, "12.3 us"),
            (1.5, "1.5 s"),
            (-0.0042, "-4.2 ms"),
            (0.0, "0.0 ms"),
        ] {
            assert_eq!(measured(number, Unit::Seconds, 1, false), text);
        }
        assert_eq!(measured(1.9e6, Unit::BitRate, 1, false), "1.90 Mb/s");
        assert_eq!(measured(133_672.0, Unit::BitRate, 1, false), "133.67 kb/s");
        assert_eq!(measured(4.23, Unit::Segments, 2, false), "4.23");
        assert_eq!(measured(0.028_65, Unit::Pure, 1, false), "0.029");
    }

    #[test]
    fn zero_has_no_sign_and_other_numbers_may_have_one() {
        assert_eq!(measured(-0.01, Unit::Segments, 1, false), "0.0");
        assert_eq!(measured(0.01, Unit::Segments, 1, true), "0.0");
        assert_eq!(measured(0.0008, Unit::Seconds, 1, true), "+0.8 ms");
        assert_eq!(measured(-0.0008, Unit::Seconds, 1, true), "-0.8 ms");
        assert_eq!(measured(0.0, Unit::Seconds, 1, true), "0.0 ms");
    }
}
