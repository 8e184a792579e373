//! "A keeps what it has elsewhere."

use serde::Deserialize;

use super::places::{self, Finding};
use super::{Judgement, Table};

/// A curve has in every place at least a part of what it has in one of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keeps {
    /// The curve.
    pub series: String,
    /// The places; all, where none is given.
    #[serde(default)]
    pub at: Vec<f64>,
    /// The place with which they are compared.
    pub of: f64,
    /// The least part that is right.
    pub least: f64,
}

impl Keeps {
    pub(super) fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;

    /// What a curve with these values at 1, 2 and 3 keeps of its values at 3.
    fn judged(values: [[f64; 2]; 3], at: &[f64]) -> Judgement {
        let keeps = Keeps {
            series: "A".into(),
            at: at.to_vec(),
            of: 3.0,
            least: 0.9,
        };
        keeps
            .judge(&Table {
                series: vec!["A"],
                xs: &[1.0, 2.0, 3.0],
                values: &[values.map(Vec::from).to_vec()],
            })
            .expect("measured")
    }

    #[test]
    fn in_all_places_in_half_of_them_or_in_fewer() {
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
    fn runs_are_compared_by_their_seeds() {
        let judgement = judged([[90.0, 180.0], [1.0, 1.0], [100.0, 200.0]], &[1.0]);
        assert_eq!(judgement.verdict, Verdict::Holds);
        assert_eq!(judgement.here, "0.900 ± 0.000 at 1");
        assert!(judgement.firm);
    }
}
