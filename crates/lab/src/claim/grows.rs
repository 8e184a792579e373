//! "The advantage of A becomes more and more obvious."

use dumbbell_run::statistics::Estimate;
use serde::Deserialize;

use super::places::{self, Finding};
use super::table::list;
use super::{Judgement, Table};

/// From place to place, one curve's gain over each of the others, or over those that are named, grows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grows {
    /// The curve.
    pub series: String,
    /// The places, in order; all, where none is given.
    #[serde(default)]
    pub at: Vec<f64>,
    /// The curves with which it is compared; all others, where none is given.
    #[serde(default)]
    pub over: Vec<String>,
}

impl Grows {
    pub(super) fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let at = table.places(&self.at);
        let mut findings = Vec::new();
        let mut lines = Vec::new();
        let is_rival = |name: &&&str| {
            **name != self.series
                && (self.over.is_empty() || self.over.iter().any(|over| over == **name))
        };
        for &rival in table.series.iter().filter(is_rival) {
            let mut growing = 0;
            for pair in at.windows(2) {
                let step = self.step(table, rival, pair[0], pair[1])?;
                let found = Finding::of(&step, |g| g > 0.0);
                growing += usize::from(found.holds);
                findings.push(found);
            }
            let (first, last) = (*at.first()?, *at.last()?);
            lines.push(format!(
                "over {rival} in {growing} of {} steps, from {:+.1} to {:+.1} %",
                at.len() - 1,
                table.gain(&self.series, rival, first)?.mean,
                table.gain(&self.series, rival, last)?.mean,
            ));
        }
        if findings.is_empty() {
            return None;
        }
        let (verdict, firm) = places::verdict(&findings);
        let true_ones = findings.iter().filter(|f| f.holds).count();
        Some(Judgement {
            verdict,
            firm,
            paper: match self.over.as_slice() {
                [] => format!("{}'s gain over each other grows", self.series),
                over => format!("{}'s gain over {} grows", self.series, over.join(", ")),
            },
            here: format!("it does in {true_ones} of {} steps", findings.len()),
            evidence: format!("places {}; {}", list(&at), lines.join("; ")),
        })
    }

    /// By how much the gain over a rival grows from a place to the next one.
    fn step(&self, table: &Table<'_>, rival: &str, from: f64, to: f64) -> Option<Estimate> {
        let ratios = |x| {
            let pairs = table.at(&self.series, x)?.iter().zip(table.at(rival, x)?);
            Some(pairs.map(|(a, b)| a / b).collect::<Vec<f64>>())
        };
        let steps: Vec<f64> = ratios(from)?
            .iter()
            .zip(ratios(to)?)
            .map(|(before, after)| after - before)
            .collect();
        Estimate::of(&steps).filter(|step| step.mean.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    #[test]
    fn no_ratio_no_verdict() {
        let grows = Grows {
            series: "A".into(),
            at: vec![1.0, 2.0],
            over: Vec::new(),
        };
        let values = [
            vec![vec![1.0, 1.0], vec![0.0, 0.0]],
            vec![vec![1.0, 1.0], vec![0.0, 0.0]],
        ];
        let judged = grows.judge(&Table {
            series: vec!["A", "B"],
            xs: &[1.0, 2.0],
            values: &values,
        });
        assert_eq!(judged, None);
    }

    #[test]
    fn every_step_over_every_rival_counts() {
        let judge = |over: &[&str], a: [f64; 3]| {
            let grows = Grows {
                series: "A".into(),
                at: vec![1.0, 2.0, 3.0],
                over: over.iter().map(|name| (*name).to_owned()).collect(),
            };
            let twice = |x: f64| vec![x, x];
            let values = [
                a.map(twice).to_vec(),
                vec![twice(100.0); 3],
                vec![twice(50.0); 3],
            ];
            grows
                .judge(&Table {
                    series: vec!["A", "B", "C"],
                    xs: &[1.0, 2.0, 3.0],
                    values: &values,
                })
                .expect("measured")
        };
        assert_eq!(judge(&[], [100.0, 110.0, 130.0]).verdict, Verdict::Holds);
        let partly = judge(&[], [100.0, 110.0, 105.0]);
        assert_eq!(partly.verdict, Verdict::Partly);
        assert_eq!(partly.here, "it does in 2 of 4 steps");
        assert!(
            partly
                .evidence
                .contains("over C in 1 of 2 steps, from +100.0 to +110.0 %")
        );
        assert_eq!(judge(&[], [100.0, 90.0, 80.0]).verdict, Verdict::Fails);
        assert_eq!(partly.paper, "A's gain over each other grows");
        let one = judge(&["C"], [100.0, 110.0, 105.0]);
        assert_eq!(one.here, "it does in 1 of 2 steps");
        assert_eq!(one.paper, "A's gain over C grows");
        assert!(!one.evidence.contains("over B"), "{}", one.evidence);
    }
}
