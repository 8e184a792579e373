//! Decimal numbers, stored exactly as they are written.

/// A decimal number: `digits / 10^scale`, with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: u128,
    scale: u32,
}

/// Why a number cannot be stored, or cannot be expressed in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inexact {
    /// It is not a decimal number.
    NotANumber,
    /// Below zero.
    Negative,
    /// It is larger than any supported quantity.
    TooLarge,
    /// It has more decimals than the resolution allows.
    TooFine,
}

/// More digits than any quantity needs; products with the largest unit fit into 128 bits.
const MOST_DIGITS: usize = 25;

impl Decimal {
    /// Parses `12`, `0.5`, `1e-5`. Underscores between digits are rejected: the TOML reader has removed
    /// them, and quantities must not contain any.
    pub(crate) fn parse(text: &str) -> Result<Self, Inexact> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], exponent(&text[at + 1..])?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let dotted = mantissa.contains('.');
        let digits_only = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty()
            || (dotted && fraction.is_empty())
            || !digits_only(whole)
            || !digits_only(fraction)
        {
            return Err(Inexact::NotANumber);
        }
        Self::assemble(negative, whole, fraction, exponent)
    }

    fn assemble(
        negative: bool,
        whole: &str,
        fraction: &str,
        exponent: i64,
    ) -> Result<Self, Inexact> {
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0').trim_end_matches('0');
        if significant.is_empty() {
            return Ok(Self {
                negative: false,
                digits: 0,
                scale: 0,
            });
        }
        let trailing = all.len() - all.trim_end_matches('0').len();
        // The number is significant * 10^power.
        let power = exponent - fraction.len() as i64 + trailing as i64;
        if significant.len() as i64 + power > MOST_DIGITS as i64 {
            return Err(Inexact::TooLarge);
        }
        if significant.len() > MOST_DIGITS || power < -(MOST_DIGITS as i64) {
            return Err(Inexact::TooFine);
        }
        let mut digits = significant
            .bytes()
            .fold(0u128, |n, b| n * 10 + u128::from(b - b'0'));
        if power > 0 {
            digits *= 10u128.pow(power as u32);
        }
        Ok(Self {
            negative,
            digits,
            scale: power.min(0).unsigned_abs() as u32,
        })
    }

    /// Returns the number times `factor`, if that is an integer that fits into 64 bits. `factor` must be
    /// below 2^43.
    pub(crate) fn times(self, factor: u64) -> Result<u64, Inexact> {
        let (product, power) = self.product(factor)?;
        if product % power != 0 {
            return Err(Inexact::TooFine);
        }
        u64::try_from(product / power).map_err(|_| Inexact::TooLarge)
    }

    /// Returns the number times `factor`, rounded to the nearest integer. `factor` must be below 2^43.
    pub(crate) fn times_rounded(self, factor: u64) -> Result<u64, Inexact> {
        let (product, power) = self.product(factor)?;
        u64::try_from((product + power / 2) / power).map_err(|_| Inexact::TooLarge)
    }

    fn product(self, factor: u64) -> Result<(u128, u128), Inexact> {
        if self.negative {
            return Err(Inexact::Negative);
        }
        Ok((self.digits * u128::from(factor), 10u128.pow(self.scale)))
    }
}

/// Formats `whole / 10^decimals` in its shortest form.
pub(crate) fn show(whole: u64, decimals: u32) -> String {
    let unit = 10u64.pow(decimals);
    let fraction = format!("{:0width$}", whole % unit, width = decimals as usize);
    match fraction.trim_end_matches('0') {
        "" => (whole / unit).to_string(),
        fraction => format!("{}.{fraction}", whole / unit),
    }
}

fn exponent(text: &str) -> Result<i64, Inexact> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Inexact::NotANumber);
    }
    match text.strip_prefix('+').unwrap_or(text).parse::<i64>() {
        Ok(exponent) => Ok(exponent.clamp(-1_000_000, 1_000_000)),
        Err(_) if text.starts_with('-') => Ok(-1_000_000),
        Err(_) => Ok(1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str, factor: u64) -> Result<u64, Inexact> {
        Decimal::parse(text).and_then(|d| d.times(factor))
    }

    #[test]
    fn products_are_exact() {
        assert_eq!(times("0.1", 1_000_000_000), Ok(100_000_000));
        assert_eq!(times("1e-5", 1_000_000), Ok(10));
        assert_eq!(times("1.5e3", 2), Ok(3000));
        assert_eq!(times("007.250", 4), Ok(29));
        assert_eq!(times("100", 1), Ok(100));
        assert_eq!(times("0.000", 5), Ok(0));
        assert_eq!(times("+3", 5), Ok(15));
        assert_eq!(times("18446744073709551615", 1), Ok(u64::MAX));
    }

    #[test]
    fn inexact_values_report_their_cause() {
        assert_eq!(times("0.15", 10), Err(Inexact::TooFine));
        assert_eq!(times("-1", 10), Err(Inexact::Negative));
        assert_eq!(times("18446744073709551616", 1), Err(Inexact::TooLarge));
        assert_eq!(times("1e400", 1), Err(Inexact::TooLarge));
        assert_eq!(times("1e99999999999999999999", 1), Err(Inexact::TooLarge));
        assert_eq!(times("1e-99999999999999999999", 1), Err(Inexact::TooFine));
        assert_eq!(
            times("0.00000000000000000000000000000001", 1),
            Err(Inexact::TooFine)
        );
        for word in [
            "", ".", "1.", ".5", "1e", "e5", "inf", "nan", "1 0", "0x1", "--1", "1e+-2", "1_000",
        ] {
            assert_eq!(times(word, 1), Err(Inexact::NotANumber), "{word}");
        }
    }

    #[test]
    fn rounding_is_to_the_nearest() {
        let rounded = |text: &str| Decimal::parse(text).and_then(|d| d.times_rounded(10));
        assert_eq!(rounded("0.14"), Ok(1));
        assert_eq!(rounded("0.15"), Ok(2));
        assert_eq!(rounded("0.26"), Ok(3));
    }

    #[test]
    fn numbers_are_shown_without_needless_zeros() {
        assert_eq!(show(1_500_000, 6), "1.5");
        assert_eq!(show(10, 6), "0.00001");
        assert_eq!(show(3_000_000, 6), "3");
        assert_eq!(show(0, 6), "0");
        assert_eq!(show(42, 0), "42");
    }
}
