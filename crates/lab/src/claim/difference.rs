//! "A exceeds B by over 2 Mb/s."

use dumbbell_run::statistics::Estimate;
use serde::Deserialize;

use super::value::{number, shown};
use super::{Judgement, Table, Verdict};

/// One curve is by at least so much above another one, in the measure's unit. It holds if the mean
/// difference is as large; partly, if it has the same sign.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The curve that is above.
    pub of: String,
    /// The one below.
    pub over: String,
    /// The place, where something is varied.
    #[serde(default)]
    pub at: f64,
    /// The least difference that is right, above 0.
    pub least: f64,
}

impl Difference {
    pub(super) fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let found = table.pairs(&self.of, &self.over, self.at, |a, b| a - b)?;
        let verdict = self.verdict(found.mean);
        let ends = [found.low(), found.high()];
        let mean = |curve: &str| Some(shown(&Estimate::of(table.at(curve, self.at)?)?));
        Some(Judgement {
            verdict,
            firm: found.half_width.is_some() && ends.iter().all(|d| self.verdict(*d) == verdict),
            paper: format!("at least {} more", number(self.least)),
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

    fn verdict(&self, difference: f64) -> Verdict {
        if difference >= self.least {
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

    fn judged(a: [f64; 2], b: [f64; 2]) -> Judgement {
        let values = [vec![a.to_vec()], vec![b.to_vec()]];
        let table = Table {
            series: vec!["A", "B"],
            xs: &[0.0],
            values: &values,
        };
        let difference = Difference {
            of: "A".into(),
            over: "B".into(),
            at: 0.0,
            least: 2.0,
        };
        difference.judge(&table).expect("measured")
    }

    #[test]
    fn as_large_smaller_or_the_other_way_round() {
        let large = judged([4.5, 5.5], [1.0, 2.0]);
        assert_eq!((large.verdict, large.firm), (Verdict::Holds, true));
        assert_eq!(large.here, "3.5 ± 0 more");
        assert_eq!(large.paper, "at least 2 more");
        assert_eq!(judged([2.5, 3.5], [1.0, 2.0]).verdict, Verdict::Partly);
        assert_eq!(judged([1.0, 2.0], [1.0, 2.0]).verdict, Verdict::Fails);
        // 4 and 0.1 more by turns: two runs say little.
        let vague = judged([5.0, 2.1], [1.0, 2.0]);
        assert_eq!((vague.verdict, vague.firm), (Verdict::Holds, false));
    }
}
