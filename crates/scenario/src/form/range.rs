//! Ranges described in words.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

use crate::quantity::Measure;

/// Describes a range of times: "1 us to 24 h", or "above 0, up to 30 days".
pub(crate) fn of_times(range: &RangeInclusive<Duration>) -> String {
    let high = time(*range.end());
    match range.start().as_nanos() {
        0 => format!("0 to {high}"),
        1 => format!("above 0, up to {high}"),
        _ => format!("{} to {high}", time(*range.start())),
    }
}

/// Describes a range of rates or sizes, given in base units.
pub(crate) fn of_quantities(measure: Measure, range: &RangeInclusive<u64>) -> String {
    format!(
        "{} to {}",
        quantity(measure, *range.start()),
        quantity(measure, *range.end())
    )
}

/// Describes a range of integers: "1 to 100,000".
pub(crate) fn of_numbers(range: &RangeInclusive<u64>) -> String {
    format!("{} to {}", number(*range.start()), number(*range.end()))
}

/// Formats a number for people: 100,000, or 2^20, or 10^15.
pub(crate) fn number(n: u64) -> String {
    if n == u64::MAX {
        return "2^64 - 1".to_owned();
    }
    if n.is_power_of_two() && n >= 1 << 16 {
        return format!("2^{}", n.ilog2());
    }
    if n >= 1_000_000_000_000 && n == 10u64.pow(n.ilog10()) {
        return format!("10^{}", n.ilog10());
    }
    let digits = n.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a time in the largest unit in which it is an integer of at least 1.
fn time(time: Duration) -> String {
    const LADDER: [(&str, u64); 3] = [
        ("days", 24 * 3_600_000_000_000),
        ("h", 3_600_000_000_000),
        ("min", 60_000_000_000),
    ];
    let ns = time.as_nanos();
    let unit = LADDER.iter().find(|(name, factor)| {
        // A day is 24 h, but 30 days are 30 days.
        let least = if *name == "days" { 2 } else { 1 };
        ns.is_multiple_of(*factor) && ns / factor >= least
    });
    match unit {
        Some((name, factor)) => format!("{} {name}", ns / factor),
        None => Measure::Time.show(ns),
    }
}

fn quantity(measure: Measure, value: u64) -> String {
    match measure {
        Measure::Time => time(Duration::from_nanos(value)),
        Measure::Rate if value.is_multiple_of(1_000_000_000_000) && value > 0 => {
            format!("{} Tb/s", value / 1_000_000_000_000)
        }
        Measure::Rate => Measure::Rate.show(value),
        Measure::Size => format!("{} B", number(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let shown = [0, 999, 1000, 65_535, 65_536, 100_000, 10_000_000].map(number);
        let wanted = [
            "0",
            "999",
            "1,000",
            "65,535",
            "2^16",
            "100,000",
            "10,000,000",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(number(1_000_000_000_000_000), "10^15");
        assert_eq!(number(u64::MAX), "2^64 - 1");
    }

    #[test]
    fn times_have_large_units() {
        let s = Duration::from_secs;
        let ns = Duration::from_nanos;
        assert_eq!(
            of_times(&(ns(1)..=s(30 * 86_400))),
            "above 0, up to 30 days"
        );
        assert_eq!(of_times(&(ns(0)..=s(3600))), "0 to 1 h");
        assert_eq!(of_times(&(ns(1000)..=s(86_400))), "1 us to 24 h");
        assert_eq!(of_times(&(ns(1000)..=ns(500_000_000))), "1 us to 500 ms");
        assert_eq!(of_times(&(s(1)..=s(90))), "1 s to 90 s");
    }

    #[test]
    fn rates_and_sizes_have_their_units() {
        let rates = of_quantities(Measure::Rate, &(1..=10_000_000_000_000));
        assert_eq!(rates, "1 b/s to 10 Tb/s");
        assert_eq!(
            of_quantities(Measure::Size, &(0..=65_535)),
            "0 B to 65,535 B"
        );
    }
}
