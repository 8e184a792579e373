//! The claim that curves agree: "The curves are almost the same."

use super::places::{self, Finding};
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::list;
use super::{Judgement, Table};

/// A claim that the highest curve is at most `most` times the lowest at each x value.
#[derive(Debug)]
pub(super) struct Spread {
    /// The x values; if empty, all of them.
    at: Vec<f64>,
    /// The largest ratio that still counts as equal.
    most: f64,
}

impl Sort for Spread {
    const NAME: &'static str = "spread";
    const EXAMPLE: &'static str = "{ at = [1, 2], most = 1.05 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let at = from.places("at");
        let most = from.number(
            "most",
            |most| most >= 1.0,
            "a ratio of the highest to the lowest, at least 1",
        );
        Some(Self {
            at: at?,
            most: most?,
        })
    }
}

impl Statement for Spread {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let at = table.places(&self.at);
        let mut findings = Vec::new();
        let mut widest: Option<(f64, f64, &str, &str)> = None;
        for &x in &at {
            let ranking = table.ranking(x)?;
            let ((high, above), (low, below)) = (ranking[0], ranking[ranking.len() - 1]);
            findings.push(self.near(table, &ranking, x)?);
            // Two zeros count as equal.
            let ratio = if above == below { 1.0 } else { above / below };
            if widest.is_none_or(|(most, ..)| ratio > most) {
                widest = Some((ratio, x, high, low));
            }
        }
        let (ratio, x, high, low) = widest?;
        let (verdict, firm) = places::verdict(&findings);
        let true_ones = findings.iter().filter(|f| f.holds).count();
        Some(Judgement {
            verdict,
            firm,
            one_run: false,
            paper: format!("almost the same (test: highest / lowest <= {})", self.most),
            here: format!("at most {ratio:.3}"),
            evidence: match at.len() {
                1 => format!("{high} is {ratio:.3} times {low}"),
                n => format!(
                    "true in {true_ones} of {n} places ({}); widest at {x}: {high} is {ratio:.3} times {low}",
                    list(&at)
                ),
            },
        })
    }

    fn curves(&self) -> Vec<&str> {
        Vec::new()
    }

    fn places(&self) -> &[f64] {
        &self.at
    }

    fn is_about_all(&self) -> bool {
        true
    }
}

impl Spread {
    /// Whether all curves are within the ratio of each other at an x value.
    fn near(&self, table: &Table<'_>, curves: &[(&str, f64)], x: f64) -> Option<Finding> {
        let mut pairs = Vec::new();
        for (i, (high, _)) in curves.iter().enumerate() {
            for (low, _) in curves.iter().skip(i + 1) {
                let excess = table.pairs(high, low, x, |a, b| a - self.most * b)?;
                pairs.push(Finding::of(&excess, |d| d <= 0.0));
            }
        }
        Some(Finding::all(&pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    fn judged(most: f64) -> Option<Judgement> {
        let spread = Spread {
            at: vec![1.0, 2.0, 7.0],
            most,
        };
        let cube = of_measure(
            &["A", "B", "C"],
            &[1.0, 2.0],
            &[
                &[&[100.0, 100.0], &[100.0, 100.0]],
                &[&[101.0, 101.0], &[130.0, 130.0]],
                &[&[102.0, 102.0], &[125.0, 125.0]],
            ],
        );
        spread.judge(&Table::of(&cube))
    }

    #[test]
    fn a_noisy_curve_makes_it_infirm_and_two_zeros_are_equal() {
        let spread = Spread {
            at: vec![1.0],
            most: 1.05,
        };
        let judge = |a: [f64; 4], b: [f64; 4]| {
            let cube = of_measure(&["A", "B"], &[1.0], &[&[&a], &[&b]]);
            spread.judge(&Table::of(&cube)).expect("measured")
        };
        let noisy = judge([100.0; 4], [70.0, 127.0, 75.0, 127.0]);
        assert_eq!((noisy.verdict, noisy.firm), (Verdict::Holds, false));
        let none = judge([0.0; 4], [0.0; 4]);
        assert_eq!((none.verdict, none.firm), (Verdict::Holds, true));
    }

    #[test]
    fn the_x_value_with_the_largest_ratio_is_named() {
        let judgement = judged(1.05).expect("measured");
        assert_eq!((judgement.verdict, judgement.firm), (Verdict::Partly, true));
        assert_eq!(judgement.here, "at most 1.300");
        assert!(
            judgement
                .evidence
                .contains("widest at 2: B is 1.300 times A")
        );
        assert!(judgement.evidence.contains("1 of 2 places (1, 2)"));
        assert_eq!(judged(1.31).map(|j| j.verdict), Some(Verdict::Holds));
        assert_eq!(judged(1.01).map(|j| j.verdict), Some(Verdict::Fails));
    }
}
