//! The claim that a number is within bounds: "A's index is above 0.98."

use dumbbell_run::statistics::Estimate;

use super::places::{self, Finding};
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::{number, shown};
use super::{Judgement, Table};

/// A claim that numbers have a lower bound, an upper bound, or both, at every x value.
#[derive(Debug)]
pub(super) struct Bound {
    /// The curves; if empty, all of them.
    series: Vec<String>,
    /// The x values; if empty, all of them.
    at: Vec<f64>,
    /// The bounds.
    right: Right,
    /// Whether the mean over the x values has to be within the bounds, instead of each number.
    mean: bool,
}

/// The range in which a number is right.
#[derive(Clone, Copy, Debug)]
enum Right {
    Least(f64),
    Most(f64),
    Between(f64, f64),
}

impl Right {
    fn has(self, number: f64) -> bool {
        match self {
            Self::Least(least) => number >= least,
            Self::Most(most) => number <= most,
            Self::Between(least, most) => number >= least && number <= most,
        }
    }

    /// Reports bounds that no run can violate, and bounds that no run can meet.
    fn check(self, from: &Reader<'_>) {
        let (low, high) = from.range();
        let (least, most) = match self {
            Self::Least(least) => (least, f64::INFINITY),
            Self::Most(most) => (f64::NEG_INFINITY, most),
            Self::Between(least, most) => (least, most),
        };
        let key = if least > f64::NEG_INFINITY {
            "least"
        } else {
            "most"
        };
        let range = format!("the measure is from {} to {}", end(low), end(high));
        if least <= low && most >= high {
            from.wrong(key, "no run can violate this bound", &range);
        } else if least > high || most < low {
            from.wrong(key, "no run can meet this bound", &range);
        }
    }

    fn words(self) -> String {
        match self {
            Self::Between(least, most) => format!("{} to {}", number(least), number(most)),
            Self::Least(least) => format!("at least {}", number(least)),
            Self::Most(most) => format!("at most {}", number(most)),
        }
    }
}

/// The end of a range.
fn end(number: f64) -> String {
    if number.is_finite() {
        self::number(number)
    } else {
        "any number".to_owned()
    }
}

impl Sort for Bound {
    const NAME: &'static str = "bound";
    const EXAMPLE: &'static str = "{ series = [\"A\"], at = [1, 2], least = 0.98 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let series = from.curves("series");
        let at = from.places("at");
        let mean = from.flag("mean");
        let right = match (from.number_if_any("least"), from.number_if_any("most")) {
            (Some(least), None) => Some(Right::Least(least)),
            (None, Some(most)) => Some(Right::Most(most)),
            (Some(least), Some(most)) if least <= most => Some(Right::Between(least, most)),
            (Some(_), Some(_)) => {
                from.wrong(
                    "most",
                    "no number is at least `least` and at most `most`",
                    "`least` is the smaller one",
                );
                None
            }
            (None, None) => {
                from.wrong(
                    "least",
                    "this bound allows any number",
                    "`least`, `most` or both are required",
                );
                None
            }
        };
        if let Some(right) = right {
            right.check(from);
        }
        Some(Self {
            series: series?,
            at: at?,
            right: right?,
            mean,
        })
    }
}

impl Statement for Bound {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let names: Vec<&str> = if self.series.is_empty() {
            table.curves().collect()
        } else {
            self.series.iter().map(String::as_str).collect()
        };
        let mut findings = Vec::new();
        let mut seen = Vec::new();
        let mut only = None;
        let places = table.places(&self.at);
        let mut find = |place: String, found: &Estimate| {
            findings.push(Finding::of(found, |number| self.right.has(number)));
            only = Some(shown(found));
            seen.push(format!("{place} {}", shown(found)));
        };
        if self.mean {
            for name in &names {
                let found = table.mean(name, &places)?;
                find(format!("{name}, mean of {} places", places.len()), &found);
            }
        } else {
            for &x in &places {
                for name in &names {
                    let found = table.estimate(name, x)?;
                    find(format!("{name}{}", table.place(x)), &found);
                }
            }
        }
        places::judgement(
            self.right.words(),
            &findings,
            only,
            ("of", "numbers"),
            seen.join(", "),
        )
    }

    fn curves(&self) -> Vec<&str> {
        self.series.iter().map(String::as_str).collect()
    }

    fn places(&self) -> &[f64] {
        &self.at
    }

    fn is_about_all(&self) -> bool {
        self.series.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    #[test]
    fn a_bound_may_be_met_at_all_half_or_fewer_x_values() {
        let cube = of_measure(&["A", "B"], &[0.0], &[&[&[0.99, 0.99]], &[&[0.9, 0.9]]]);
        let judge = |series: &[&str], least| {
            let bound = Bound {
                series: series.iter().map(|s| (*s).to_owned()).collect(),
                at: Vec::new(),
                right: Right::Least(least),
                mean: false,
            };
            bound.judge(&Table::of(&cube)).expect("measured")
        };
        assert_eq!(judge(&[], 0.98).verdict, Verdict::Partly);
        assert_eq!(judge(&["A"], 0.98).verdict, Verdict::Holds);
        assert_eq!(judge(&["A"], 0.98).here, "0.99 (every run)");
        assert_eq!(judge(&["B"], 0.98).verdict, Verdict::Fails);
        assert_eq!(judge(&[], 0.98).paper, "at least 0.98");
    }

    #[test]
    fn a_bound_may_apply_to_the_mean_over_the_x_values() {
        // The means over both x values: 0.5 and 0.7 with the two seeds.
        let cube = of_measure(&["A"], &[1.0, 2.0], &[&[&[0.1, 0.3], &[0.9, 1.1]]]);
        let judge = |mean, most| {
            let bound = Bound {
                series: vec!["A".to_owned()],
                at: Vec::new(),
                right: Right::Most(most),
                mean,
            };
            bound.judge(&Table::of(&cube)).expect("measured")
        };
        assert_eq!(judge(false, 0.61).verdict, Verdict::Partly);
        assert_eq!(judge(true, 0.61).verdict, Verdict::Holds);
        assert_eq!(judge(true, 0.59).verdict, Verdict::Fails);
        assert!(
            judge(true, 0.61)
                .evidence
                .starts_with("A, mean of 2 places 0.6")
        );
    }
}
