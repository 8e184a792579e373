//! Reads a parameter's value from one word of a command line, in the same notation as in files.

use dumbbell_control::parameter::{Kind, Setting};
use dumbbell_control::units::{Ratio, Segments};

use crate::decimal::Decimal;
use crate::parameter::range;
use crate::quantity::{self, Wrong};

/// Reads a value such as `3`, `0.8`, `10 ms`, `true` or `tustin`.
///
/// # Errors
/// [`Wrong`] if the text is not a value of this kind, or is out of its range.
pub fn read(kind: Kind, text: &str) -> Result<Setting, Wrong> {
    let text = text.trim();
    let value = match kind {
        Kind::Duration(..) => Some(Setting::Duration(quantity::time(text)?)),
        Kind::Segments(_, Segments::MAX) if text == "unlimited" => {
            Some(Setting::Segments(Segments::MAX))
        }
        Kind::Segments(..) => Decimal::parse(text)
            .and_then(|number| number.times_rounded(1 << 32))
            .map(|raw| Setting::Segments(Segments::from_raw(raw)))
            .ok(),
        Kind::Ratio(..) => Decimal::parse(text)
            .and_then(|number| number.times(1_000_000))
            .ok()
            .and_then(|parts| u32::try_from(parts).ok())
            .map(|parts| Setting::Ratio(Ratio::from_millionths(parts))),
        Kind::Count(..) => text.parse().ok().map(Setting::Count),
        Kind::Rate(..) => match text.parse() {
            Ok(rate) => Some(Setting::Count(rate)),
            Err(_) => u32::try_from(quantity::rate(text)?.0)
                .ok()
                .map(Setting::Count),
        },
        Kind::Flag => text.parse().ok().map(Setting::Flag),
        Kind::Choice(words) => words
            .iter()
            .find(|word| **word == text)
            .map(|word| Setting::Choice(word)),
    };
    value
        .filter(|value| kind.admits(*value))
        .ok_or_else(|| Wrong {
            message: format!("`{text}` is not a value of this parameter"),
            help: format!("it is {}", range(kind)),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_control::units::Duration;

    #[test]
    fn every_kind_is_read_as_in_files() {
        let segments = Kind::Segments(Segments::ZERO, Segments::whole(10));
        assert_eq!(
            read(segments, "2.5"),
            Ok(Setting::Segments(Segments::from_raw(5 << 31)))
        );
        let ratio = Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        let eight = Setting::Ratio(Ratio::from_millionths(800_000));
        assert_eq!(read(ratio, "0.8"), Ok(eight));
        let span = Kind::Duration(Duration::ZERO, Duration::from_secs(1));
        let ten = Setting::Duration(Duration::from_millis(10));
        assert_eq!(read(span, "10 ms"), Ok(ten));
        assert_eq!(read(Kind::Count(1, 9), " 9"), Ok(Setting::Count(9)));
        let rate = Ok(Setting::Count(300_000));
        for text in ["300000", "300 kb/s", "0.3 Mbit/s", "37.5 kB/s"] {
            assert_eq!(read(Kind::Rate(1, 4_000_000_000), text), rate);
        }
        assert_eq!(read(Kind::Flag, "true"), Ok(Setting::Flag(true)));
        let words = Kind::Choice(&["ack", "abc"]);
        assert_eq!(read(words, "abc"), Ok(Setting::Choice("abc")));
    }

    #[test]
    fn invalid_values_are_rejected_with_a_hint() {
        let wrong = read(Kind::Count(1, 9), "10").unwrap_err();
        assert_eq!(wrong.help, "it is a whole number from 1 to 9");
        let wrong = read(Kind::Choice(&["ack", "abc"]), "acks").unwrap_err();
        assert_eq!(wrong.help, "it is one of `ack` and `abc`");
        for text in ["0 b/s", "5 Gb/s", "300 ks", "much"] {
            assert!(read(Kind::Rate(1, 4_000_000_000), text).is_err(), "{text}");
        }
        assert!(read(Kind::Ratio(Ratio::ZERO, Ratio::ONE), "0.1234567").is_err());
        assert!(read(Kind::Segments(Segments::ONE, Segments::MAX), "unlimited").is_ok());
        assert!(read(Kind::Segments(Segments::ONE, Segments::CAP), "unlimited").is_err());
    }
}
