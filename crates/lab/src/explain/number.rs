//! Numbers as people write them.

use super::fact::Unit;

/// Decimals of a measured number where nothing asks for more.
pub(super) const DECIMALS: usize = 1;

/// The largest denominator that a part is written with.
const LARGEST_DENOMINATOR: u32 = 16;

/// A number that was set: whole, or a fraction, or as many decimals as it has.
pub(super) fn exact(number: f64, unit: Unit) -> String {
    match unit {
        Unit::Pure => fraction(number).unwrap_or_else(|| trimmed(number)),
        Unit::Segments => trimmed(number),
        Unit::Bytes => format!("{} B", trimmed(number)),
        Unit::Seconds | Unit::BitRate => {
            let (scale, prefix) = prefix(number, unit);
            format!("{} {prefix}", trimmed(number / scale))
        }
    }
}

/// A number that was measured, with so many decimals.
pub(super) fn measured(number: f64, unit: Unit, decimals: usize, signed: bool) -> String {
    let sign = if signed && number > 0.0 { "+" } else { "" };
    match unit {
        Unit::Pure | Unit::Segments => format!("{sign}{number:.decimals$}"),
        Unit::Bytes => format!("{sign}{number:.0} B"),
        Unit::Seconds => {
            let (scale, unit) = prefix(number, unit);
            format!("{sign}{:.decimals$} {unit}", number / scale)
        }
        Unit::BitRate => {
            let (scale, unit) = prefix(number, unit);
            // Two estimates of the same path often differ by a few percent only.
            format!("{sign}{:.*} {unit}", decimals + 1, number / scale)
        }
    }
}

/// What a number is divided by to be read easily, and the unit that it then has.
fn prefix(number: f64, unit: Unit) -> (f64, &'static str) {
    let ladder: &[(f64, f64, &str)] = match unit {
        Unit::BitRate => &[
            (1e9, 1e9, "Gb/s"),
            (1e6, 1e6, "Mb/s"),
            (1e3, 1e3, "kb/s"),
            (0.0, 1.0, "b/s"),
        ],
        // A tenth of a millisecond is still written in milliseconds; so is zero.
        _ if number == 0.0 => &[(0.0, 1e-3, "ms")],
        _ => &[(1.0, 1.0, "s"), (1e-4, 1e-3, "ms"), (0.0, 1e-6, "us")],
    };
    let fits = ladder.iter().find(|(least, ..)| number.abs() >= *least);
    fits.map_or((1.0, ""), |(_, scale, name)| (*scale, name))
}

/// Whole, or a fraction of small numbers.
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
