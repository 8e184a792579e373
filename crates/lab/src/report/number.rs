//! Formats numbers for readers.

/// A mean with half the width of its interval: the half width with two significant digits, the mean
/// with the same number of decimals.
pub(super) fn with_interval(mean: f64, half: f64) -> String {
    // Less than a millionth is a rounding error: the runs are equal.
    if half <= 1e-6 * mean.abs() {
        return format!("{} (every run)", plain(mean));
    }
    if !half.is_finite() {
        return format!("{} ± {}", plain(mean), plain(half));
    }
    let decimals = decimals(half, 2);
    format!("{mean:.decimals$} ± {half:.decimals$}")
}

/// The number of one run, which has no interval.
pub(super) fn of_one_run(x: f64) -> String {
    if x.is_finite() {
        format!("{} (one run)", plain(x))
    } else {
        plain(x)
    }
}

/// A number without an interval, with five significant digits.
pub(super) fn plain(x: f64) -> String {
    if !x.is_finite() {
        return "–".to_owned();
    }
    let decimals = decimals(x, 5);
    let text = format!("{x:.decimals$}");
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An x value with all its digits.
pub(super) fn place(x: f64) -> String {
    let size = x.abs();
    if x != 0.0 && !(1e-6..1e9).contains(&size) {
        return format!("{x:e}");
    }
    x.to_string()
}

/// The name of an x value, if it has one.
pub(super) fn name(names: &[(f64, String)], x: f64) -> Option<&str> {
    let named = names.iter().find(|(place, _)| *place == x);
    named.map(|(_, name)| name.as_str())
}

/// Replaces spaces so that numbers are not separated from their units and intervals at line breaks:
/// "+1.5 ± 0.3 %".
pub(super) fn unbroken(text: &str) -> String {
    text.replace(" ± ", "\u{a0}±\u{a0}")
        .replace(" %", "\u{a0}%")
}

/// A number of things: "1 claim", "2 claims".
pub(super) fn many(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The number of decimals that shows so many significant digits.
fn decimals(x: f64, significant: i32) -> usize {
    let digits = significant as usize - 1;
    // Rounding can change the exponent, as for 9.96, and formatting takes this into account.
    let exponent: i32 = format!("{x:.digits$e}")
        .rsplit_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    (significant - 1 - exponent).clamp(0, 12) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_of_the_interval_determine_the_decimals() {
        assert_eq!(with_interval(1321.049, 12.61), "1321 ± 13");
        assert_eq!(with_interval(1321.049, 1.26), "1321.0 ± 1.3");
        assert_eq!(with_interval(0.98765, 0.00996), "0.988 ± 0.010");
        assert_eq!(with_interval(123_456.0, 4321.0), "123456 ± 4321");
    }

    #[test]
    fn an_interval_of_width_zero() {
        assert_eq!(with_interval(1900.0, 0.0), "1900 (every run)");
        assert_eq!(with_interval(f64::NAN, f64::NAN), "– ± –");
    }

    #[test]
    fn five_digits_without_an_interval() {
        let shown = [0.0, 1.0 / 3.0, 1500.0, 1_234_567.8, -0.000_123_456].map(plain);
        assert_eq!(shown, ["0", "0.33333", "1500", "1234568", "-0.00012346"]);
    }

    #[test]
    fn a_number_stays_on_one_line() {
        assert_eq!(
            unbroken("A is +1.5 ± 0.3 % above B"),
            "A is +1.5\u{a0}±\u{a0}0.3\u{a0}% above B"
        );
    }

    #[test]
    fn x_values_keep_their_digits() {
        let shown = [1e-4, 0.02, 66.0, 1e-9, 1e12, 0.0].map(place);
        assert_eq!(shown, ["0.0001", "0.02", "66", "1e-9", "1e12", "0"]);
    }
}
