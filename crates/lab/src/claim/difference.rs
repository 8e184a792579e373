//! The claim of a difference: "A exceeds B by over 2 Mb/s."

use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::{number, shown};
use super::{Judgement, Table, Verdict};

/// A claim that one curve is at least `least` above another one, in the measure's unit. It holds if
/// the mean difference is at least that large, and partly if the difference only has the right
/// sign, or if it is larger than `most`.
#[derive(Debug)]
pub(super) struct Difference {
    /// The upper curve.
    of: String,
    /// The lower curve.
    over: String,
    /// The x value, if something is varied.
    at: f64,
    /// The smallest difference for which the claim holds, above 0.
    least: f64,
    /// The largest one, if there is one: "over 2 Mb/s" is not said of 6 Mb/s.
    most: Option<f64>,
}

impl Sort for Difference {
    const NAME: &'static str = "difference";
    const EXAMPLE: &'static str = "{ of = \"A\", over = \"B\", at = 2, least = 0.5 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let of = from.curve("of");
        let over = from.other("over", of.as_ref(), "a curve is not above itself");
        let at = from.place("at");
        let least = from.number("least", |least| least > 0.0, "`least` is above 0");
        let most = from.number_if_any("most");
        if most.zip(least).is_some_and(|(most, least)| most < least) {
            from.wrong("most", "`most` is below `least`", "it is the larger one");
            return None;
        }
        Some(Self {
            of: of?,
            over: over?,
            at: at?,
            least: least?,
            most,
        })
    }
}

impl Statement for Difference {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let found = table.pairs(&self.of, &self.over, self.at, |a, b| a - b)?;
        let verdict = self.verdict(found.mean);
        let ends = [found.low(), found.high()];
        let mean = |curve: &str| Some(shown(&table.estimate(curve, self.at)?));
        Some(Judgement {
            verdict,
            firm: found.half_width.is_some() && ends.iter().all(|d| self.verdict(*d) == verdict),
            one_run: false,
            paper: match self.most {
                None => format!("at least {} more", number(self.least)),
                Some(most) => format!("{} to {} more", number(self.least), number(most)),
            },
            here: format!("{} more", shown(&found)),
            evidence: format!(
                "{} {}, {} {}",
                self.of,
                mean(&self.of)?,
                self.over,
                mean(&self.over)?
            ),
        })
    }

    fn curves(&self) -> Vec<&str> {
        vec![&self.of, &self.over]
    }

    fn places(&self) -> &[f64] {
        std::slice::from_ref(&self.at)
    }
}

impl Difference {
    fn verdict(&self, difference: f64) -> Verdict {
        let most = self.most.unwrap_or(f64::INFINITY);
        if difference >= self.least && difference <= most {
            Verdict::Holds
        } else if difference > 0.0 {
            Verdict::Partly
        } else {
            Verdict::Fails
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::tests::of_measure;

    fn judged(a: [f64; 2], b: [f64; 2]) -> Judgement {
        let cube = of_measure(&["A", "B"], &[0.0], &[&[&a], &[&b]]);
        let difference = Difference {
            of: "A".into(),
            over: "B".into(),
            at: 0.0,
            least: 2.0,
            most: None,
        };
        difference.judge(&Table::of(&cube)).expect("measured")
    }

    #[test]
    fn a_difference_may_be_large_enough_too_small_or_zero() {
        let large = judged([4.5, 5.5], [1.0, 2.0]);
        assert_eq!((large.verdict, large.firm), (Verdict::Holds, true));
        assert_eq!(large.here, "3.5 (every run) more");
        assert_eq!(large.paper, "at least 2 more");
        assert_eq!(judged([2.5, 3.5], [1.0, 2.0]).verdict, Verdict::Partly);
        assert_eq!(judged([1.0, 2.0], [1.0, 2.0]).verdict, Verdict::Fails);
        let cube = of_measure(&["A", "B"], &[0.0], &[&[&[9.0, 9.5]], &[&[1.0, 2.0]]]);
        let over_two = Difference {
            of: "A".into(),
            over: "B".into(),
            at: 0.0,
            least: 2.0,
            most: Some(4.0),
        };
        let far = over_two.judge(&Table::of(&cube)).expect("measured");
        assert_eq!(far.verdict, Verdict::Partly);
        assert_eq!(far.paper, "2 to 4 more");
        // Differences of 4 and 0.1: two runs give a wide interval.
        let vague = judged([5.0, 2.1], [1.0, 2.0]);
        assert_eq!((vague.verdict, vague.firm), (Verdict::Holds, false));
    }
}
