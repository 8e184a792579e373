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
            let (rival, _) = *ranking.iter().find(|(name, _)| *name != self.series)?;
            let lead = table.gain(&self.series, rival, x)?;
            findings.push(Finding::of(&lead, |g| g > 0.0));
            leads.push(format!("{} over {rival} at {x}", percent(&lead)));
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
}
