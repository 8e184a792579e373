//! "A is above all others."

use serde::Deserialize;

use super::places::{self, Finding};
use super::table::{list, percent};
use super::{Judgement, Table};

/// In each place one curve is above every other one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Highest {
    /// The curve.
    pub series: String,
    /// The places.
    pub at: Vec<f64>,
}

impl Highest {
    pub(super) fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let at = table.places(&self.at);
        let mut findings = Vec::new();
        let mut leads = Vec::new();
        for &x in &at {
            let ranking = table.ranking(x)?;
            let mut rivals = ranking.iter().filter(|(name, _)| *name != self.series);
            let (best, _) = *rivals.clone().next()?;
            // Differences, not ratios: their mean has the sign of the difference of the means.
            let ahead = |(rival, _): &(&str, f64)| {
                let lead = table.pairs(&self.series, rival, x, |a, b| a - b)?;
                Some(Finding::of(&lead, |d| d > 0.0))
            };
            let against: Option<Vec<Finding>> = rivals.by_ref().map(ahead).collect();
            findings.push(Finding::all(&against?));
            let lead = table.gain(&self.series, best, x)?;
            leads.push(format!("{} over {best} at {x}", percent(&lead)));
        }
        if leads.is_empty() {
            return None;
        }
        let (verdict, firm) = places::verdict(&findings);
        let true_ones = findings.iter().filter(|f| f.holds).count();
        Some(Judgement {
            verdict,
            firm,
            paper: format!("{} is the highest", self.series),
            here: format!("it is in {true_ones} of {} places", at.len()),
            evidence: format!(
                "places {}; against the best other curve: {}",
                list(&at),
                leads.join(", ")
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    #[test]
    fn the_best_rival_counts() {
        let highest = |series: &str| Highest {
            series: series.into(),
            at: vec![1.0, 2.0],
        };
        let values = [
            vec![vec![110.0, 111.0], vec![90.0, 90.0]],
            vec![vec![100.0, 100.0], vec![100.0, 100.0]],
            vec![vec![50.0, 50.0], vec![80.0, 80.0]],
        ];
        let table = Table {
            series: vec!["A", "B", "C"],
            xs: &[1.0, 2.0],
            values: &values,
        };
        let judge = |series| highest(series).judge(&table).expect("measured");
        let a = judge("A");
        assert_eq!((a.verdict, a.firm), (Verdict::Partly, true));
        assert_eq!(a.here, "it is in 1 of 2 places");
        assert!(a.evidence.contains("-10.0 ± 0.0 % over B at 2"));
        assert_eq!(judge("C").verdict, Verdict::Fails);
    }

    #[test]
    fn two_curves_are_never_both_the_highest_and_every_rival_makes_it_infirm() {
        let judge = |series: &str, values: &[Vec<Vec<f64>>]| {
            let highest = Highest {
                series: series.into(),
                at: vec![1.0],
            };
            let table = Table {
                series: vec!["A", "B", "C"],
                xs: &[1.0],
                values,
            };
            highest.judge(&table).expect("measured")
        };
        // The mean ratio of A to B and that of B to A are both above 1.
        let crossing = [
            vec![vec![4.0, 1.0]],
            vec![vec![1.0, 4.5]],
            vec![vec![0.5, 0.5]],
        ];
        assert_eq!(judge("A", &crossing).verdict, Verdict::Fails);
        assert_eq!(judge("B", &crossing).verdict, Verdict::Holds);
        // B is the best of the others, but C may be above A.
        let noisy = [
            vec![vec![100.0; 4]],
            vec![vec![99.0; 4]],
            vec![vec![70.0, 125.0, 75.0, 125.0]],
        ];
        let a = judge("A", &noisy);
        assert_eq!((a.verdict, a.firm), (Verdict::Holds, false));
    }
}
