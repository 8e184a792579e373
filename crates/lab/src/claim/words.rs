//! Formats numbers for the text of claims.

use dumbbell_run::statistics::Estimate;

/// How far a reproduced number may be from the paper's, as a fraction of it, unless the claim
/// states a tolerance.
pub(super) const TOLERANCE: f64 = 0.2;

/// A gain in percent with its interval. One decimal is enough, unless the interval rounds to 0.
pub(super) fn percent(gain: &Estimate) -> String {
    match gain.half_width {
        Some(half) => {
            let rounds_to_zero = (1e-6..0.05).contains(&half);
            let digits = if rounds_to_zero { digits(half) } else { 1 };
            format!("{:+.digits$} ± {half:.digits$} %", gain.mean)
        }
        None => format!("{:+.1} % (one run)", gain.mean),
    }
}

/// A list of x values: `0.01, 0.02`.
pub(super) fn list(places: &[f64]) -> String {
    let places: Vec<String> = places.iter().map(f64::to_string).collect();
    places.join(", ")
}

/// A number with four significant digits.
pub(super) fn number(value: f64) -> String {
    let digits = (3 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 6);
    let text = format!("{value:.*}", digits as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A number with its interval, rounded to two significant digits of the interval.
pub(super) fn shown(estimate: &Estimate) -> String {
    match estimate.half_width {
        // A half width that is only a rounding error is not shown.
        Some(half) if half > 1e-9 * estimate.mean.abs() => {
            let digits = digits(half);
            format!("{:.digits$} ± {half:.digits$}", estimate.mean)
        }
        Some(_) => format!("{} ± 0", number(estimate.mean)),
        None => format!("{} (one run)", number(estimate.mean)),
    }
}

/// The number of decimals with which this half width has two significant digits; at most six.
fn digits(half: f64) -> usize {
    let exponent = format!("{half:.1e}");
    let exponent = exponent.rsplit_once('e').and_then(|(_, e)| e.parse().ok());
    (1 - exponent.unwrap_or(0i32)).clamp(0, 6) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_has_one_decimal_or_as_many_as_its_interval_needs() {
        let words = |mean, half| {
            percent(&Estimate {
                mean,
                half_width: Some(half),
            })
        };
        assert_eq!(words(36.04, 2.81), "+36.0 ± 2.8 %");
        assert_eq!(words(-8.0, 12.0), "-8.0 ± 12.0 %");
        assert_eq!(words(0.0163, 0.0121), "+0.016 ± 0.012 %");
        assert_eq!(words(50.0, 0.0), "+50.0 ± 0.0 %");
    }

    #[test]
    fn numbers_are_rounded_to_two_digits_of_the_interval() {
        let words = |mean, half| {
            shown(&Estimate {
                mean,
                half_width: Some(half),
            })
        };
        assert_eq!(words(0.999_56, 0.000_194), "0.99956 ± 0.00019");
        assert_eq!(words(1.238_2, 0.061_29), "1.238 ± 0.061");
        assert_eq!(words(348.26, 12.7), "348 ± 13");
        assert_eq!(words(161.614_939, 3e-14), "161.6 ± 0");
    }
}
