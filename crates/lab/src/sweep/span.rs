//! The values of an axis that a file gives as a range: `{ from, to, step }`, `{ from, to, count }` or
//! `{ from, to, log }`.

use dumbbell_scenario::quantity::Measure;

use crate::description::{Keys, Node};

/// The keys of a range.
pub(super) const WORDS: [&str; 5] = ["from", "to", "step", "count", "log"];

/// The most values of an axis.
pub(super) const MOST: u64 = 100_000;

/// An end of a range: a number as it is written, or a quantity in its base unit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// A plain number: its digits without the point, and the number of digits after it.
    Plain(i128, u32),
    /// A quantity in whole base units.
    Quantity(Measure, u64),
}

/// How many values there are between the ends.
enum Spacing {
    Step(End),
    Count(u64),
    Log(u64),
}

/// Reads a range, and returns its values as TOML; `None` if it is wrong, which is recorded.
pub(super) fn values(node: &Node<'_>) -> Option<Vec<String>> {
    let keys = node.keys(format!("the range of `{}`", node.name()))?;
    let from = keys.need("from", "0.001");
    let to = keys.need("to", "0.01");
    let spacing = spacing(&keys);
    keys.done();
    let (from_node, to_node) = (from?, to?);
    let (from, to) = (end(&from_node)?, end(&to_node)?);
    let (low, high) = match together(from, to) {
        Some(ends) => ends,
        None => {
            to_node.wrong(
                "`from` and `to` are values of different kinds",
                "write both with the same sort of unit, or both without",
            );
            return None;
        }
    };
    if low.whole > high.whole {
        to_node.wrong("`to` is below `from`", "a range goes up: exchange the two");
        return None;
    }
    let written = match spacing? {
        (Spacing::Step(step), node) => steps(low, high, step, &node)?,
        (Spacing::Count(count), node) => {
            count_is_possible(count, low, high, &node)?;
            let value = |i: u64| match i {
                0 => low.text(low.whole),
                i if i == count - 1 => low.text(high.whole),
                i => low.between(high, i as f64 / (count - 1) as f64),
            };
            (0..count).map(value).collect()
        }
        (Spacing::Log(count), node) => {
            count_is_possible(count, low, high, &node)?;
            if low.whole <= 0 {
                from_node.wrong(
                    "a logarithm needs values above 0",
                    "write a `from` above 0, or `count` instead of `log`",
                );
                return None;
            }
            let ratio = libm::log(high.whole as f64 / low.whole as f64);
            let value = |i: u64| match i {
                0 => low.text(low.whole),
                i if i == count - 1 => low.text(high.whole),
                i => low.log(ratio * i as f64 / (count - 1) as f64),
            };
            (0..count).map(value).collect()
        }
    };
    if let Some(at) = (1..written.len()).find(|at| written[*at] == written[at - 1]) {
        node.wrong(
            format!("the value {} is there twice", written[at]),
            "whole numbers and base units are not divided further: ask for fewer values, or write 1.0 \
             instead of 1 for a number with a fraction",
        );
        return None;
    }
    Some(written)
}

/// An end of a range in whole multiples of a unit that both ends share.
#[derive(Clone, Copy)]
struct Scaled {
    whole: i128,
    /// Digits after the point of a plain number.
    digits: u32,
    measure: Option<Measure>,
}

impl Scaled {
    /// Writes a value in TOML.
    fn text(self, whole: i128) -> String {
        match self.measure {
            Some(measure) => format!("\"{}\"", measure.show(whole as u64)),
            None => decimal(whole, self.digits),
        }
    }

    /// The value this far on the way to another one.
    fn between(self, other: Self, part: f64) -> String {
        let exact = self.whole as f64 + (other.whole - self.whole) as f64 * part;
        self.rounded(exact)
    }

    /// The value that is `e^power` times this one.
    fn log(self, power: f64) -> String {
        self.rounded(self.whole as f64 * libm::exp(power))
    }

    /// Quantities and whole numbers are rounded to whole base units; other numbers have 12 digits.
    fn rounded(self, exact: f64) -> String {
        if self.measure.is_some() || self.digits == 0 {
            return self.text(libm::round(exact) as i128);
        }
        let value = exact / libm::pow(10.0, f64::from(self.digits));
        let short: f64 = format!("{value:.11e}").parse().unwrap_or(value);
        format!("{short:?}")
    }
}

/// Both ends as multiples of the same unit; `None` if they are of different kinds.
fn together(from: End, to: End) -> Option<(Scaled, Scaled)> {
    match (from, to) {
        (End::Plain(a, x), End::Plain(b, y)) => {
            let digits = x.max(y);
            let scaled = |whole: i128, has: u32| {
                Some(Scaled {
                    whole: whole.checked_mul(10i128.checked_pow(digits - has)?)?,
                    digits,
                    measure: None,
                })
            };
            Some((scaled(a, x)?, scaled(b, y)?))
        }
        (End::Quantity(one, a), End::Quantity(other, b)) if one == other => {
            let scaled = |whole: u64| Scaled {
                whole: whole.into(),
                digits: 0,
                measure: Some(one),
            };
            Some((scaled(a), scaled(b)))
        }
        _ => None,
    }
}

fn steps(low: Scaled, high: Scaled, step: End, node: &Node<'_>) -> Option<Vec<String>> {
    let own = match low.measure {
        Some(measure) => End::Quantity(measure, 0),
        None => End::Plain(0, low.digits),
    };
    let Some((zero, step)) = together(own, step) else {
        node.wrong(
            "`step` is a value of another kind than `from` and `to`",
            "write it with the same sort of unit",
        );
        return None;
    };
    if step.whole <= 0 {
        node.wrong("`step` is not above 0", "a range goes up in steps above 0");
        return None;
    }
    // A finer step has more digits than the ends.
    let finer = 10i128.pow(zero.digits - low.digits);
    let (first, last) = (low.whole * finer, high.whole * finer);
    let count = (last - first) / step.whole + 1;
    if count > i128::from(MOST) {
        node.wrong(
            format!("the range has {count} values"),
            format!("an axis has at most {MOST}: make the step larger"),
        );
        return None;
    }
    let value = |i: i128| step.text(first + i * step.whole);
    Some((0..count).map(value).collect())
}

fn count_is_possible(count: u64, low: Scaled, high: Scaled, node: &Node<'_>) -> Option<()> {
    let wrong = if count < 2 {
        "a range has at least 2 values, its ends".to_owned()
    } else if count > MOST {
        format!("an axis has at most {MOST} values")
    } else if low.whole == high.whole {
        "`from` and `to` are equal".to_owned()
    } else {
        return Some(());
    };
    node.wrong(wrong, "write for example count = 5");
    None
}

fn spacing<'d>(keys: &Keys<'d>) -> Option<(Spacing, Node<'d>)> {
    match keys.present(&["step", "count", "log"])[..] {
        ["step"] => {
            let node = keys.find("step")?;
            Some((Spacing::Step(end(&node)?), node))
        }
        ["count"] => {
            let node = keys.find("count")?;
            Some((Spacing::Count(node.count()?), node))
        }
        ["log"] => {
            let node = keys.find("log")?;
            Some((Spacing::Log(node.count()?), node))
        }
        [] => {
            keys.lacks(
                "count",
                "a range has `step`, `count` or `log`: { from = 1, to = 9, count = 5 }",
            );
            None
        }
        _ => {
            keys.wrong(
                "the values are spaced in several ways",
                "keep one of `step`, `count` and `log`",
            );
            None
        }
    }
}

/// Reads an end of a range, or a step.
fn end(node: &Node<'_>) -> Option<End> {
    if let Some(text) = node.as_text() {
        let measures = [Measure::Time, Measure::Rate, Measure::Size];
        let found = measures
            .into_iter()
            .find_map(|measure| Some(End::Quantity(measure, measure.read(text).ok()?)));
        if found.is_none() {
            node.wrong(
                format!(
                    "`{}` is `{text}`, which is no number and no quantity",
                    node.name()
                ),
                "a range is between numbers, such as 0.01, or quantities, such as \"5 ms\"",
            );
        }
        return found;
    }
    let number = node.as_number()?;
    let plain = plain(&number);
    if plain.is_none() {
        node.wrong(
            format!("`{}` has too many digits", node.name()),
            "write a plain decimal number such as 0.01",
        );
    }
    plain
}

/// Reads a plain decimal number exactly.
fn plain(text: &str) -> Option<End> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let after = i32::try_from(fraction.len()).ok()? - exponent;
    let (digits, after) = match u32::try_from(after) {
        Ok(after) => (digits, after),
        Err(_) => (
            digits.checked_mul(10i128.checked_pow(after.unsigned_abs())?)?,
            0,
        ),
    };
    (after <= 18 && digits.unsigned_abs() < 10u128.pow(18)).then_some(End::Plain(digits, after))
}

/// Writes a number with so many digits after the point, without zeros at its end.
fn decimal(whole: i128, digits: u32) -> String {
    if digits == 0 {
        return whole.to_string();
    }
    let sign = if whole < 0 { "-" } else { "" };
    let scale = 10u128.pow(digits);
    let (before, after) = (whole.unsigned_abs() / scale, whole.unsigned_abs() % scale);
    let after = format!("{after:0width$}", width = digits as usize);
    let after = after.trim_end_matches('0');
    let after = if after.is_empty() { "0" } else { after };
    format!("{sign}{before}.{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description;

    fn range(text: &str) -> Result<Vec<String>, String> {
        let read = description::read("my.toml", &format!("x = {{ {text} }}"), |keys| {
            let found = keys.find("x").and_then(|node| values(&node));
            keys.done();
            found
        });
        read.map_err(|wrong| wrong.to_string())
    }

    fn is(text: &str, expected: &[&str]) {
        assert_eq!(
            range(text).as_deref().map(|all| all.join(", ")),
            Ok(expected.join(", "))
        );
    }

    #[test]
    fn steps_are_exact() {
        is(
            "from = 0.1, to = 0.4, step = 0.1",
            &["0.1", "0.2", "0.3", "0.4"],
        );
        is("from = 5, to = 12, step = 3", &["5", "8", "11"]);
        is("from = 1, to = 2, step = 0.5", &["1.0", "1.5", "2.0"]);
        is(
            "from = 1e-3, to = 0.002, step = 5e-4",
            &["0.001", "0.0015", "0.002"],
        );
        is(
            "from = \"5 ms\", to = \"0.02 s\", step = \"5 ms\"",
            &["\"5 ms\"", "\"10 ms\"", "\"15 ms\"", "\"20 ms\""],
        );
    }

    #[test]
    fn a_count_divides_evenly() {
        is(
            "from = 0.0, to = 1.0, count = 5",
            &["0.0", "0.25", "0.5", "0.75", "1.0"],
        );
        is("from = 10, to = 20, count = 3", &["10", "15", "20"]);
        is(
            "from = \"1 Mb/s\", to = \"4 Mb/s\", count = 4",
            &["\"1 Mb/s\"", "\"2 Mb/s\"", "\"3 Mb/s\"", "\"4 Mb/s\""],
        );
    }

    #[test]
    fn a_logarithm_has_equal_ratios_and_exact_ends() {
        is("from = 0.001, to = 0.1, log = 3", &["0.001", "0.01", "0.1"]);
        is(
            "from = \"1 ms\", to = \"100 ms\", log = 3",
            &["\"1 ms\"", "\"10 ms\"", "\"100 ms\""],
        );
        is("from = 10, to = 80, log = 4", &["10", "20", "40", "80"]);
    }

    #[test]
    fn wrong_ranges_are_refused() {
        for (text, message) in [
            ("from = 1, to = 2", "`step`, `count` or `log`"),
            ("from = 1, to = 2, step = 1, count = 2", "several ways"),
            ("from = 2, to = 1, step = 1", "below `from`"),
            ("from = 1, to = 2, step = 0", "not above 0"),
            ("from = 1, to = 2, step = -1", "not above 0"),
            ("from = 1, to = \"2 ms\", count = 3", "different kinds"),
            ("from = 1, to = 2, step = \"1 ms\"", "another kind"),
            (
                "from = \"1 ms\", to = \"2 Mb/s\", count = 3",
                "different kinds",
            ),
            ("from = 0, to = 1, log = 3", "above 0"),
            ("from = 1, to = 2, count = 1", "at least 2"),
            ("from = 1, to = 3, count = 9", "twice"),
            ("from = 1, to = 1, count = 2", "equal"),
            ("from = 0, to = 1e9, step = 1", "1000000001 values"),
            (
                "from = \"soon\", to = 3, count = 2",
                "no number and no quantity",
            ),
            ("form = 1, to = 2, count = 2", "did you mean `from`?"),
        ] {
            let wrong = range(text).expect_err(text);
            assert!(wrong.contains(message), "{text}: {wrong}");
        }
    }
}
