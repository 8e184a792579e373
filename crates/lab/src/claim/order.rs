//! "A is below B."

use serde::Deserialize;

use super::places::{self, Finding};
use super::table::percent;
use super::{Judgement, Table};

/// In each place the curves follow each other, the lowest first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The curves, the lowest first.
    pub series: Vec<String>,
    /// The places; all, where none is given.
    #[serde(default)]
    pub at: Vec<f64>,
}

impl Order {
    pub(super) fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let mut findings = Vec::new();
        let mut seen = Vec::new();
        for &x in &table.places(&self.at) {
            for pair in self.series.windows(2) {
                let [low, high] = pair else { continue };
                let gain = table.gain(low, high, x)?;
                findings.push(Finding::of(&gain, |g| g < 0.0));
                seen.push(format!(
                    "{low} against {high}{} {}",
                    table.place(x),
                    percent(&gain)
                ));
            }
        }
        if findings.is_empty() {
            return None;
        }
        let (verdict, firm) = places::verdict(&findings);
        let true_ones = findings.iter().filter(|f| f.holds).count();
        Some(Judgement {
            verdict,
            firm,
            paper: self.series.join(" < "),
            here: match (findings.len(), true_ones) {
                (1, _) => seen[0].clone(),
                (all, _) => format!("true in {true_ones} of {all} cases"),
            },
            evidence: seen.join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    #[test]
    fn each_curve_is_below_the_next() {
        let values = [
            vec![vec![90.0, 91.0]],
            vec![vec![105.0, 106.0]],
            vec![vec![100.0, 99.0]],
        ];
        let table = Table {
            series: vec!["A", "B", "C"],
            xs: &[0.0],
            values: &values,
        };
        let judge = |series: &[&str]| {
            let order = Order {
                series: series.iter().map(|s| (*s).to_owned()).collect(),
                at: Vec::new(),
            };
            order.judge(&table).expect("measured")
        };
        assert_eq!(judge(&["A", "B"]).verdict, Verdict::Holds);
        assert_eq!(judge(&["A", "B"]).paper, "A < B");
        assert_eq!(judge(&["B", "A"]).verdict, Verdict::Fails);
        assert_eq!(judge(&["A", "B", "C"]).verdict, Verdict::Partly);
        assert_eq!(judge(&["A", "C", "B"]).verdict, Verdict::Holds);
    }
}
