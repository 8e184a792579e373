//! Converts floating-point numbers into integers where this is exact: times are multiples of
//! nanoseconds, rates are whole bit/s.

/// How integers represent the numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// By their bits.
    Bits,
    /// The integer n represents n / 10^digits.
    Decimal {
        /// At most [`MOST_DIGITS`].
        digits: u8,
    },
    /// The integer n represents n / 2^shift.
    Binary {
        /// From 1 to [`MOST_SHIFT`].
        shift: u8,
    },
}

/// Nanoseconds need nine digits, and means of a few of them some more. 10^22 is the largest power
/// that is exact.
const MOST_DIGITS: u8 = 12;
const MOST_SHIFT: u8 = 63;
/// The code of the first binary form.
const BINARY: u8 = 64;
/// Every integer up to this is exactly a floating-point number.
const EXACT: f64 = (1_u64 << 53) as f64;

const POWERS: [f64; 1 + MOST_DIGITS as usize] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
];

impl Form {
    /// All forms from which these bits can be restored exactly, with the integers in each form.
    pub(super) fn all(bits: &[u64]) -> impl Iterator<Item = (Self, Vec<u64>)> {
        [Self::decimal(bits), Self::binary(bits)]
            .into_iter()
            .flatten()
            .filter_map(|form| {
                let wholes: Option<_> = bits.iter().map(|bits| form.whole(*bits)).collect();
                Some((form, wholes?))
            })
            .chain([(Self::Bits, bits.to_vec())])
    }

    fn decimal(bits: &[u64]) -> Option<Self> {
        let mut digits = 0;
        for bits in bits {
            while (Self::Decimal { digits }).whole(*bits).is_none() {
                digits += 1;
                if digits > MOST_DIGITS {
                    return None;
                }
            }
        }
        Some(Self::Decimal { digits })
    }

    fn binary(bits: &[u64]) -> Option<Self> {
        let mut shift = 0;
        for bits in bits.iter().filter(|bits| **bits != 0) {
            let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
            let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
            shift = shift.max(52 - mantissa.trailing_zeros() as i32 - exponent);
        }
        let shift = u8::try_from(shift).ok()?;
        (1..=MOST_SHIFT)
            .contains(&shift)
            .then_some(Self::Binary { shift })
    }

    /// The integer for these bits in this form, if they can be restored from it.
    fn whole(self, bits: u64) -> Option<u64> {
        let number = f64::from_bits(bits);
        let whole = match self {
            Self::Bits => return Some(bits),
            Self::Decimal { digits } => (number * POWERS[usize::from(digits)]).round(),
            Self::Binary { shift } => number * power_of_two(shift),
        };
        // Beyond this range, and for NaN, the conversion is not exact.
        if !(-EXACT..=EXACT).contains(&whole) {
            return None;
        }
        let whole = (whole as i64).cast_unsigned();
        (self.bits(whole) == bits).then_some(whole)
    }

    /// The bits of the number that an integer represents.
    pub(super) fn bits(self, whole: u64) -> u64 {
        let number = whole.cast_signed() as f64;
        match self {
            Self::Bits => whole,
            Self::Decimal { digits } => (number / POWERS[usize::from(digits)]).to_bits(),
            Self::Binary { shift } => (number / power_of_two(shift)).to_bits(),
        }
    }

    pub(super) fn code(self) -> u8 {
        match self {
            Self::Bits => 0,
            Self::Decimal { digits } => 1 + digits,
            Self::Binary { shift } => BINARY + shift,
        }
    }

    /// The form with a code, if there is one.
    pub(super) fn of(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Bits),
            1..=13 => Some(Self::Decimal { digits: code - 1 }),
            65..=127 => Some(Self::Binary {
                shift: code - BINARY,
            }),
            _ => None,
        }
    }
}

/// 2^shift.
fn power_of_two(shift: u8) -> f64 {
    (1_u64 << shift) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(numbers: &[f64]) -> Vec<(Form, Vec<i64>)> {
        let bits: Vec<u64> = numbers.iter().map(|number| number.to_bits()).collect();
        let signed = |wholes: Vec<u64>| wholes.into_iter().map(u64::cast_signed).collect();
        Form::all(&bits)
            .filter(|(form, _)| *form != Form::Bits)
            .map(|(form, wholes)| (form, signed(wholes)))
            .collect()
    }

    #[test]
    fn times_are_integers_in_nanoseconds() {
        let nine = Form::Decimal { digits: 9 };
        let found = form(&[0.1, 0.393_247_376, 100.0]);
        assert_eq!(
            found,
            [(nine, vec![100_000_000, 393_247_376, 100_000_000_000])]
        );
    }

    #[test]
    fn windows_are_integers_in_binary_fractions() {
        // 10.5 and 3 / 2^32 segments.
        let found = form(&[10.5, 3.0 / 4_294_967_296.0]);
        let thirty_two = Form::Binary { shift: 32 };
        assert_eq!(found, [(thirty_two, vec![21 << 31, 3])]);
    }

    #[test]
    fn numbers_that_cannot_be_restored_have_only_the_form_of_bits() {
        for number in [-0.0, f64::NAN, f64::INFINITY, 1.0 / 3.0, 1e300, 5e-324] {
            let decimals = form(&[1.0, number]);
            assert_eq!(decimals, [], "{number}");
        }
    }

    #[test]
    fn each_code_belongs_to_one_form() {
        let forms: Vec<Form> = (0..=u8::MAX).filter_map(Form::of).collect();
        assert_eq!(forms.len(), 1 + 13 + 63);
        assert!((0..=u8::MAX).all(|code| Form::of(code).is_none_or(|form| form.code() == code)));
    }
}
