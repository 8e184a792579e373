//! The claim that a curve keeps its value: "A keeps what it has elsewhere."

use super::places::{self, Finding};
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::{Judgement, Table};

/// A claim that a curve has, at every x value, at least a fraction `least` of its value at `of`.
#[derive(Debug)]
pub(super) struct Keeps {
    /// The curve.
    series: String,
    /// The x values; if empty, all of them.
    at: Vec<f64>,
    /// The x value with which they are compared.
    of: f64,
    /// The smallest fraction for which the claim is true.
    least: f64,
}

impl Sort for Keeps {
    const NAME: &'static str = "keeps";
    const EXAMPLE: &'static str = "{ series = \"A\", at = [1], of = 2, least = 0.9 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let series = from.curve("series");
        let (at, of) = (from.places("at"), from.place("of"));
        if let (Some(at), Some(of)) = (&at, of)
            && at.contains(&of)
        {
            from.wrong(
                "of",
                "a place is not compared with itself",
                "leave it out of `at`",
            );
        }
        let least = from.number("least", |least| least > 0.0, "a part, above 0");
        Some(Self {
            series: series?,
            at: at?,
            of: of?,
            least: least?,
        })
    }
}

impl Statement for Keeps {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let mut findings = Vec::new();
        let mut seen = Vec::new();
        for x in table.places(&self.at) {
            let part = table.between(&self.series, x, self.of)?;
            findings.push(Finding::of(&part, |part| part >= self.least));
            let half = part
                .half_width
                .map_or(String::new(), |h| format!(" ± {h:.3}"));
            seen.push(format!("{:.3}{half}{}", part.mean, table.place(x)));
        }
        places::judgement(
            format!("at least {} of that at {}", self.least, self.of),
            &findings,
            seen.first().cloned(),
            ("in", "places"),
            format!("{} has {}", self.series, seen.join(", ")),
        )
    }

    fn curves(&self) -> Vec<&str> {
        vec![&self.series]
    }

    fn places(&self) -> &[f64] {
        &self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    /// Judges a curve with these values at 1, 2 and 3 against its value at 3.
    fn judged(values: [[f64; 2]; 3], at: &[f64]) -> Judgement {
        let keeps = Keeps {
            series: "A".into(),
            at: at.to_vec(),
            of: 3.0,
            least: 0.9,
        };
        let values = values.each_ref().map(|runs| &runs[..]);
        let cube = of_measure(&["A"], &[1.0, 2.0, 3.0], &[&values]);
        keeps.judge(&Table::of(&cube)).expect("measured")
    }

    #[test]
    fn a_value_may_be_kept_at_all_half_or_fewer_x_values() {
        let last = [500.0, 500.0];
        let cases = [
            ([[480.0, 480.0], [470.0, 470.0], last], Verdict::Holds),
            ([[480.0, 480.0], [400.0, 400.0], last], Verdict::Partly),
            ([[440.0, 440.0], [400.0, 400.0], last], Verdict::Fails),
        ];
        for (values, verdict) in cases {
            assert_eq!(judged(values, &[1.0, 2.0]).verdict, verdict);
        }
    }

    #[test]
    fn runs_with_the_same_seed_are_compared() {
        let judgement = judged([[90.0, 180.0], [1.0, 1.0], [100.0, 200.0]], &[1.0]);
        assert_eq!(judgement.verdict, Verdict::Holds);
        assert_eq!(judgement.here, "0.900 ± 0.000 at 1");
        assert!(judgement.firm);
    }
}
