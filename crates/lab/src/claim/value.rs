//! The claim of a number: "A reaches 348 kb/s."

use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::{TOLERANCE, number, shown};
use super::{Judgement, Table, Verdict};

/// A claim of a number that the paper prints. It holds if the measured number is within `tolerance` of
/// it, and partly if it is within twice the tolerance.
#[derive(Debug)]
pub(super) struct Value {
    /// The curve.
    series: String,
    /// The x value, if something is varied.
    at: f64,
    /// The paper's number.
    paper: f64,
    /// How far the measured number may be from it, as a fraction of it.
    tolerance: f64,
}

impl Sort for Value {
    const NAME: &'static str = "value";
    const EXAMPLE: &'static str = "{ series = \"A\", at = 2, paper = 348 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let series = from.curve("series");
        let at = from.place("at");
        let paper = from.number(
            "paper",
            |paper| paper != 0.0,
            "a number that is printed, and not 0",
        );
        let tolerance = from.number_if_any("tolerance");
        if tolerance.is_some_and(|part| part <= 0.0) {
            from.wrong(
                "tolerance",
                "`tolerance` is above 0",
                "a part of the printed number, such as 0.2",
            );
        }
        Some(Self {
            series: series?,
            at: at?,
            paper: paper?,
            tolerance: tolerance.unwrap_or(TOLERANCE),
        })
    }
}

impl Statement for Value {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let found = table.estimate(&self.series, self.at)?;
        let verdict = self.verdict(found.mean);
        let ends = [found.low(), found.high()];
        let firm = found.half_width.is_some() && ends.iter().all(|v| self.verdict(*v) == verdict);
        Some(Judgement {
            verdict,
            firm,
            one_run: false,
            paper: number(self.paper),
            here: shown(&found),
            evidence: format!(
                "{:+.1} % off the paper's number; {:.0} % are allowed",
                (found.mean / self.paper - 1.0) * 100.0,
                self.tolerance * 100.0
            ),
        })
    }

    fn curves(&self) -> Vec<&str> {
        vec![&self.series]
    }

    fn places(&self) -> &[f64] {
        std::slice::from_ref(&self.at)
    }

    fn printed(&self) -> Option<f64> {
        Some(self.paper)
    }
}

impl Value {
    fn verdict(&self, found: f64) -> Verdict {
        let off = (found - self.paper).abs() / self.paper.abs();
        if off <= self.tolerance {
            Verdict::Holds
        } else if off <= 2.0 * self.tolerance {
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

    #[test]
    fn a_printed_number_may_be_met_nearly_met_or_missed() {
        let judge = |found: f64| {
            let cube = of_measure(&["A"], &[0.0], &[&[&[found, found]]]);
            let value = Value {
                series: "A".into(),
                at: 0.0,
                paper: 100.0,
                tolerance: 0.2,
            };
            let judgement = value.judge(&Table::of(&cube)).expect("measured");
            (judgement.verdict, judgement.here)
        };
        assert_eq!(judge(119.0), (Verdict::Holds, "119 (every run)".to_owned()));
        assert_eq!(
            judge(65.5),
            (Verdict::Partly, "65.5 (every run)".to_owned())
        );
        assert_eq!(judge(50.0).0, Verdict::Fails);
    }
}
