//! Quantities: a number and its unit in one string, read exactly as an integer of nanoseconds, bits per
//! second or bytes.

mod unit;

use std::fmt;

use dumbbell_control::units::{Bytes, Duration};

use crate::decimal::{self, Decimal, Inexact};
use crate::suggest;
use unit::{ALIASES, BITS, RATES, SIZES, TIMES};

/// A rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(pub u64);

/// The physical quantity that a string expresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A rate, in bits per second.
    Rate,
    /// A time, in nanoseconds.
    Time,
    /// A size, in bytes.
    Size,
}

/// Why a string is not a valid quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What is wrong.
    pub message: String,
    /// A hint about how to correct it.
    pub help: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.help)
    }
}

impl std::error::Error for Wrong {}

/// Reads a rate such as `"2 Mb/s"`.
///
/// # Errors
/// [`Wrong`] if the text is not an integer number of bits per second.
pub fn rate(text: &str) -> Result<BitRate, Wrong> {
    Measure::Rate.read(text).map(BitRate)
}

/// Reads a time such as `"10 ms"`.
///
/// # Errors
/// [`Wrong`] if the text is not an integer number of nanoseconds.
pub fn time(text: &str) -> Result<Duration, Wrong> {
    Measure::Time.read(text).map(Duration::from_nanos)
}

/// Reads a size such as `"1500 B"`.
///
/// # Errors
/// [`Wrong`] if the text is not an integer number of bytes.
pub fn size(text: &str) -> Result<Bytes, Wrong> {
    Measure::Size.read(text).map(Bytes)
}

impl Measure {
    /// Reads a quantity of this kind in its base unit.
    ///
    /// # Errors
    /// [`Wrong`] if the text has no number or no unit, has a unit of another quantity, or gives a value
    /// that is not an integer in base units.
    pub fn read(self, text: &str) -> Result<u64, Wrong> {
        let text = text.trim();
        let split = text
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
            .unwrap_or(text.len());
        let (number, unit) = (&text[..split], text[split..].trim_start());
        if number.is_empty() {
            return Err(self.wrong(format!("`{}` does not start with a number", clip(text))));
        }
        if unit.is_empty() {
            return Err(self.wrong(format!("`{}` has no unit", clip(text))));
        }
        let factor = self.factor(number, unit)?;
        let base = self.base();
        Decimal::parse(number)
            .and_then(|d| d.times(factor))
            .map_err(|reason| match reason {
                Inexact::NotANumber => {
                    self.wrong(format!("`{}` is not a plain decimal number", clip(number)))
                }
                Inexact::Negative => self.wrong(format!("{} is negative", self.noun())),
                Inexact::TooLarge => self.wrong(format!(
                    "{} is larger than anything that can be simulated",
                    clip(text)
                )),
                Inexact::TooFine => Wrong {
                    message: format!("`{}` is not a whole number of {base}", clip(text)),
                    help: format!("{}s are kept exactly, in {base}", self.word()),
                },
            })
    }

    /// Formats the quantity in the largest unit in which it is an integer.
    pub fn show(self, value: u64) -> String {
        let ladder: &[(&str, u64)] = match self {
            Self::Rate => &[
                ("Gb/s", 1_000_000_000),
                ("Mb/s", 1_000_000),
                ("kb/s", 1_000),
                ("b/s", 1),
            ],
            Self::Time => &[
                ("s", 1_000_000_000),
                ("ms", 1_000_000),
                ("us", 1_000),
                ("ns", 1),
            ],
            Self::Size => &[("B", 1)],
        };
        let fits = |unit: &&(&str, u64)| value != 0 && value.is_multiple_of(unit.1);
        let (unit, factor) = ladder.iter().find(fits).unwrap_or(match self {
            Self::Time => &("s", 1_000_000_000),
            Self::Rate => &("b/s", 1),
            Self::Size => &("B", 1),
        });
        format!("{} {unit}", value / factor)
    }

    /// Returns an example of such a quantity.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Rate => "2 Mb/s",
            Self::Time => "10 ms",
            Self::Size => "1000 B",
        }
    }

    /// Suggests a unit for a number without one: `10` as a time becomes `"10 ms"`. What is no number becomes an
    /// example.
    pub(crate) fn guess(self, number: &str) -> String {
        if number.contains(['n', 'N']) {
            return self.example().to_owned();
        }
        format!(
            "{number} {}",
            self.example().split(' ').next_back().unwrap_or_default()
        )
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Time => "time",
            Self::Size => "size",
        }
    }

    fn noun(self) -> String {
        format!("a {}", self.word())
    }

    fn base(self) -> &'static str {
        match self {
            Self::Rate => "bits a second",
            Self::Time => "nanoseconds",
            Self::Size => "bytes",
        }
    }

    pub(crate) fn units(self) -> &'static [(&'static str, u64)] {
        match self {
            Self::Rate => RATES,
            Self::Time => TIMES,
            Self::Size => SIZES,
        }
    }

    fn wrong(self, message: String) -> Wrong {
        Wrong {
            message,
            help: format!(
                "write a number and a unit, for example \"{}\"",
                self.example()
            ),
        }
    }

    fn factor(self, number: &str, unit: &str) -> Result<u64, Wrong> {
        if let Some((_, factor)) = self.units().iter().find(|(name, _)| *name == unit) {
            return Ok(*factor);
        }
        if let Some(wrong) = self.confusion(number, unit) {
            return Err(wrong);
        }
        let exponent = unit.strip_prefix(['e', 'E']);
        if exponent
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c)))
        {
            return Err(Wrong {
                message: format!("`{number}{}` has an exponent", clip(unit)),
                help: format!(
                    "write the number out, with a unit that suits it, for example \"{}\"",
                    self.example()
                ),
            });
        }
        let names: Vec<&str> = self.units().iter().map(|(name, _)| *name).collect();
        let alias = ALIASES
            .iter()
            .find(|(word, measure, _)| word.eq_ignore_ascii_case(unit) && *measure == self);
        let alias = alias.map(|(_, _, right)| *right);
        let help = match (alias, suggest::nearest(unit, names.iter().copied())) {
            (Some(right), _) | (None, Some(right)) => format!("did you mean \"{number} {right}\"?"),
            (None, None) => format!(
                "the units of a {} are {}",
                self.word(),
                suggest::list(self.main_units())
            ),
        };
        Err(Wrong {
            message: format!("`{}` is not a unit of a {}", clip(unit), self.word()),
            help,
        })
    }

    fn main_units(self) -> &'static [&'static str] {
        match self {
            Self::Rate => &[
                "b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "B/s", "kB/s", "MB/s", "GB/s",
            ],
            Self::Time => &["ns", "us", "ms", "s", "min", "h"],
            Self::Size => &["B", "kB", "MB", "GB", "KiB", "MiB", "GiB"],
        }
    }

    /// Returns the message for a unit that measures another quantity.
    fn confusion(self, number: &str, unit: &str) -> Option<Wrong> {
        if let Some((bits, prefix, bytes)) = BITS.iter().find(|(name, ..)| *name == unit) {
            return match self {
                Self::Rate => Some(Wrong {
                    message: format!("`{unit}` is an amount of data, not a rate"),
                    help: format!("a rate says how much a second: \"{number} {bits}/s\""),
                }),
                Self::Size => Some(Wrong {
                    message: format!("`{unit}` counts bits; a size is counted in bytes"),
                    help: format!(
                        "if {number} {prefix} bytes are meant, write \"{number} {bytes}\""
                    ),
                }),
                Self::Time => Some(self.other(number, unit, "an amount of data")),
            };
        }
        let (other, _) = [Self::Rate, Self::Time, Self::Size]
            .into_iter()
            .filter(|other| *other != self)
            .find_map(|other| {
                other
                    .units()
                    .iter()
                    .find(|(name, _)| *name == unit)
                    .map(|found| (other, found))
            })?;
        if self == Self::Rate && other == Self::Size {
            return Some(Wrong {
                message: format!("`{unit}` is a size, not a rate"),
                help: format!("a rate says how much a second: \"{number} {unit}/s\""),
            });
        }
        Some(self.other(number, unit, &other.noun()))
    }

    fn other(self, number: &str, unit: &str, found: &str) -> Wrong {
        Wrong {
            message: format!("`{} {unit}` is {found}, not {}", clip(number), self.noun()),
            help: format!("a {} is written like \"{}\"", self.word(), self.example()),
        }
    }
}

/// Shortens a word of the file for a message.
pub(crate) fn clip(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(40)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(40).is_some() {
        shown.push_str("...");
    }
    shown
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Measure::Rate.show(self.0))
    }
}

/// Formats a number of segments as a decimal number that is read as the same fixed-point value.
pub(crate) fn show_segments(raw: u64) -> String {
    const FRACTION: u32 = 32;
    let (whole, part) = (raw >> FRACTION, raw & ((1 << FRACTION) - 1));
    for decimals in 0..=10 {
        let unit = 10u128.pow(decimals);
        let digits = (u128::from(part) * unit + (1 << (FRACTION - 1))) >> FRACTION;
        let back = ((digits << FRACTION) + unit / 2) / unit;
        if back == u128::from(part) {
            let fraction = decimal::show(digits as u64, decimals);
            return format!("{whole}{}", fraction.strip_prefix('0').unwrap_or_default());
        }
    }
    unreachable!("ten decimals are finer than 2^-32")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        assert_eq!(time("0.1 s"), Ok(Duration::from_nanos(100_000_000)));
        assert_eq!(time("1 h"), Ok(Duration::from_nanos(3_600_000_000_000)));
        assert_eq!(time("2min"), Ok(Duration::from_nanos(120_000_000_000)));
        assert_eq!(time("0.3 us"), Ok(Duration::from_nanos(300)));
        assert_eq!(time("5 µs"), time("5 us"));
        assert_eq!(rate("2 Mb/s"), Ok(BitRate(2_000_000)));
        assert_eq!(rate("2 Mbit/s"), Ok(BitRate(2_000_000)));
        assert_eq!(rate("2Mbps"), Ok(BitRate(2_000_000)));
        assert_eq!(rate("250 kB/s"), Ok(BitRate(2_000_000)));
        assert_eq!(rate("1 MiB/s"), Ok(BitRate(8_388_608)));
        assert_eq!(rate("0.000000000001 Tb/s"), Ok(BitRate(1)));
        assert_eq!(size("1500 B"), Ok(Bytes(1500)));
        assert_eq!(size("1.5 KiB"), Ok(Bytes(1536)));
        assert_eq!(size("20 MB"), Ok(Bytes(20_000_000)));
    }

    #[test]
    fn the_largest_whole_unit_is_shown() {
        assert_eq!(Measure::Time.show(100_000_000), "100 ms");
        assert_eq!(Measure::Time.show(90_000_000_000), "90 s");
        assert_eq!(Measure::Time.show(1_001), "1001 ns");
        assert_eq!(Measure::Time.show(0), "0 s");
        assert_eq!(Measure::Rate.show(10_000_000_000_000), "10000 Gb/s");
        assert_eq!(Measure::Rate.show(0), "0 b/s");
        assert_eq!(Measure::Size.show(1500), "1500 B");
    }

    #[test]
    fn confused_units_get_a_pointed_message() {
        let says = |wrong: Wrong, message: &str, help: &str| {
            assert!(wrong.message.contains(message), "{wrong}");
            assert!(wrong.help.contains(help), "{wrong}");
        };
        says(rate("10 s").unwrap_err(), "is a time, not a rate", "2 Mb/s");
        says(
            rate("2 Mb").unwrap_err(),
            "an amount of data, not a rate",
            "\"2 Mb/s\"",
        );
        says(
            rate("2 MB").unwrap_err(),
            "is a size, not a rate",
            "\"2 MB/s\"",
        );
        says(
            rate("2 mb/s").unwrap_err(),
            "not a unit of a rate",
            "\"2 Mb/s\"",
        );
        says(
            rate("2 Mb/sec").unwrap_err(),
            "not a unit of a rate",
            "\"2 Mb/s\"",
        );
        says(size("10 Mb").unwrap_err(), "counts bits", "\"10 MB\"");
        says(
            size("10 Mb/s").unwrap_err(),
            "is a rate, not a size",
            "1000 B",
        );
        says(
            size("1000 bytes").unwrap_err(),
            "not a unit of a size",
            "\"1000 B\"",
        );
        says(
            time("5 m").unwrap_err(),
            "not a unit of a time",
            "\"5 min\"",
        );
        says(
            time("5 kb").unwrap_err(),
            "an amount of data, not a time",
            "10 ms",
        );
        says(time("10").unwrap_err(), "has no unit", "10 ms");
        says(
            time("ten seconds").unwrap_err(),
            "does not start with a number",
            "10 ms",
        );
        says(time("-1 s").unwrap_err(), "negative", "10 ms");
        says(
            time("0.5 ns").unwrap_err(),
            "not a whole number of nanoseconds",
            "kept exactly",
        );
        says(
            time("99999999999 h").unwrap_err(),
            "larger than anything",
            "10 ms",
        );
        says(
            time("1.2.3 s").unwrap_err(),
            "not a plain decimal number",
            "10 ms",
        );
    }

    #[test]
    fn segments_are_shown_with_as_many_decimals_as_they_need() {
        assert_eq!(show_segments(3 << 32), "3");
        assert_eq!(show_segments((3 << 32) + (1 << 31)), "3.5");
        // 0.1 * 2^32 = 429496729.6, to the nearest.
        assert_eq!(show_segments(429_496_730), "0.1");
        // 2^-32 = 2.328e-10: the ten decimals 0.0000000002 round back to it.
        assert_eq!(show_segments(1), "0.0000000002");
        assert_eq!(show_segments(u64::MAX - 1), "4294967295.9999999995");
    }
}
