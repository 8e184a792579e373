//! The claim that a curve is the highest, or the lowest: "A is above all others", or below.

use super::places::{self, Finding};
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::percent;
use super::{Judgement, Table};

/// A claim that one curve is above every other one at each x value.
pub(super) type Highest = Extreme<true>;

/// A claim that one curve is below every other one at each x value.
pub(super) type Lowest = Extreme<false>;

/// A claim that a curve is the highest or the lowest.
#[derive(Debug)]
pub(super) struct Extreme<const HIGHEST: bool> {
    /// The curve.
    series: String,
    /// The x values; if empty, all of them.
    at: Vec<f64>,
    /// The fraction by which another curve may be ahead while the claim still counts as true; if
    /// negative, the fraction by which the curve has to be ahead.
    margin: f64,
    /// At which x values it has to be true.
    extent: Extent,
}

/// At which x values the claim has to be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// At each of them.
    Each,
    /// At more than half of them.
    Most,
    /// Of the means over them.
    Mean,
}

impl<const HIGHEST: bool> Sort for Extreme<HIGHEST> {
    const NAME: &'static str = if HIGHEST { "highest" } else { "lowest" };
    const EXAMPLE: &'static str = if HIGHEST {
        "{ series = \"A\", at = [1, 2] }"
    } else {
        "{ series = \"B\", at = [1, 2] }"
    };

    fn read(from: &Reader<'_>) -> Option<Self> {
        let series = from.curve("series");
        let at = from.places("at");
        let margin = from.number_if_any("margin").unwrap_or(0.0);
        let extent = match (from.flag("mostly"), from.flag("mean")) {
            (false, false) => Extent::Each,
            (true, false) => Extent::Most,
            (false, true) => Extent::Mean,
            (true, true) => {
                from.wrong(
                    "mean",
                    "one mean is not in most places",
                    "`mostly` counts places, and `mean` is over all of them: leave one of them out",
                );
                return None;
            }
        };
        Some(Self {
            series: series?,
            at: at?,
            margin,
            extent,
        })
    }
}

impl<const HIGHEST: bool> Statement for Extreme<HIGHEST> {
    fn curves(&self) -> Vec<&str> {
        vec![&self.series]
    }

    fn places(&self) -> &[f64] {
        &self.at
    }

    fn is_about_all(&self) -> bool {
        true
    }

    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let at = table.places(&self.at);
        let groups: Vec<&[f64]> = match self.extent {
            Extent::Mean => vec![&at],
            Extent::Each | Extent::Most => at.chunks(1).collect(),
        };
        let mut findings = Vec::new();
        let mut leads = Vec::new();
        for group in groups {
            let mut ranking = table.ranking_of_means(group)?;
            if !HIGHEST {
                ranking.reverse();
            }
            let mut rivals = ranking.iter().filter(|(name, _)| *name != self.series);
            let (rival, _) = *rivals.clone().next()?;
            // Differences instead of ratios, because the sign of the mean difference agrees with
            // the order of the means.
            let ahead = |(other, _): &(&str, f64)| {
                let (sign, part) = if HIGHEST {
                    (1.0, 1.0 - self.margin)
                } else {
                    (-1.0, 1.0 + self.margin)
                };
                let lead = |a, b| sign * (a - part * b);
                let lead = table.pairs_of_means(&self.series, other, group, lead)?;
                Some(Finding::of(&lead, |d| {
                    if self.margin > 0.0 { d >= 0.0 } else { d > 0.0 }
                }))
            };
            let against: Option<Vec<Finding>> = rivals.by_ref().map(ahead).collect();
            findings.push(Finding::all(&against?));
            let gain = |a, b| (a / b - 1.0) * 100.0;
            let gain = table.pairs_of_means(&self.series, rival, group, gain)?;
            let place = match group {
                [x] => table.place(*x),
                several => format!(", mean of {} places", several.len()),
            };
            leads.push(format!("{} against {rival}{place}", percent(&gain)));
        }
        if leads.is_empty() {
            return None;
        }
        let (verdict, firm) = match self.extent {
            Extent::Most => places::mostly(&findings),
            Extent::Each | Extent::Mean => places::verdict(&findings),
        };
        let true_ones = findings.iter().filter(|f| f.holds).count();
        let word = Self::NAME;
        Some(Judgement {
            verdict,
            firm,
            one_run: false,
            paper: match self.extent {
                Extent::Each => format!("{} is the {word}", self.series),
                Extent::Most => format!("{} is the {word} in most places", self.series),
                Extent::Mean => format!("{} is the {word} on average", self.series),
            },
            here: match (findings.len(), true_ones) {
                (1, 0) => "it is not".to_owned(),
                (1, _) => "it is".to_owned(),
                (all, _) => format!("it is in {true_ones} of {all} places"),
            },
            evidence: format!("against the best other curve: {}", leads.join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    #[test]
    fn a_curve_is_compared_with_its_best_rival() {
        fn extreme<const HIGHEST: bool>(series: &str) -> Extreme<HIGHEST> {
            Extreme {
                series: series.into(),
                at: Vec::new(),
                margin: 0.0,
                extent: Extent::Each,
            }
        }
        let cube = of_measure(
            &["A", "B", "C"],
            &[1.0, 2.0],
            &[
                &[&[110.0, 111.0], &[90.0, 90.0]],
                &[&[100.0, 100.0], &[100.0, 100.0]],
                &[&[50.0, 50.0], &[80.0, 80.0]],
            ],
        );
        let table = Table::of(&cube);
        let judge = |series| extreme::<true>(series).judge(&table).expect("measured");
        let a = judge("A");
        assert_eq!((a.verdict, a.firm), (Verdict::Partly, true));
        assert_eq!(a.here, "it is in 1 of 2 places");
        assert!(a.evidence.contains("-10.0 ± 0.0 % against B at 2"));
        assert_eq!(judge("C").verdict, Verdict::Fails);
        // C is the lowest at both x values, B and A at none.
        let lowest = |series| {
            let judgement = extreme::<false>(series).judge(&table);
            judgement.expect("measured").verdict
        };
        assert_eq!(lowest("C"), Verdict::Holds);
        assert_eq!(lowest("B"), Verdict::Fails);
        // 10 % behind at the second x value is still true with a margin of 10 %.
        let near = Highest {
            margin: 0.1 + 1e-9,
            ..extreme("A")
        };
        let near = near.judge(&table).expect("measured");
        assert_eq!(near.verdict, Verdict::Holds);
    }

    #[test]
    fn two_curves_are_never_both_the_highest_and_any_rival_can_make_it_infirm() {
        let judge = |series: &str, values: [&[f64]; 3]| {
            let highest = Highest {
                series: series.into(),
                at: vec![1.0],
                margin: 0.0,
                extent: Extent::Each,
            };
            let values = values.each_ref().map(std::slice::from_ref);
            let cube = of_measure(&["A", "B", "C"], &[1.0], &values);
            highest.judge(&Table::of(&cube)).expect("measured")
        };
        // The mean ratios of A to B and of B to A are both above 1.
        let crossing: [&[f64]; 3] = [&[4.0, 1.0], &[1.0, 4.5], &[0.5, 0.5]];
        assert_eq!(judge("A", crossing).verdict, Verdict::Fails);
        assert_eq!(judge("B", crossing).verdict, Verdict::Holds);
        // B has the highest mean of the others, but C may be above A.
        let noisy: [&[f64]; 3] = [&[100.0; 4], &[99.0; 4], &[70.0, 125.0, 75.0, 125.0]];
        let a = judge("A", noisy);
        assert_eq!((a.verdict, a.firm), (Verdict::Holds, false));
    }

    #[test]
    fn on_average_a_curve_may_be_ahead_although_it_is_not_in_each_place() {
        // The means over both x values are 100.5 and 101 for A, 95 and 95 for B.
        let cube = of_measure(
            &["A", "B"],
            &[1.0, 2.0],
            &[
                &[&[111.0, 112.0], &[90.0, 90.0]],
                &[&[90.0, 90.0], &[100.0, 100.0]],
            ],
        );
        let judge = |series: &str, margin| {
            let highest = Highest {
                series: series.into(),
                at: Vec::new(),
                margin,
                extent: Extent::Mean,
            };
            highest.judge(&Table::of(&cube)).expect("measured")
        };
        let a = judge("A", 0.0);
        assert_eq!((a.verdict, a.here.as_str()), (Verdict::Holds, "it is"));
        assert!(
            a.evidence.contains("against B, mean of 2 places"),
            "{}",
            a.evidence
        );
        assert_eq!(judge("B", 0.0).verdict, Verdict::Fails);
        // The lead is 5.8 and 6.3 %.
        assert_eq!(judge("A", -0.05).verdict, Verdict::Holds);
        assert_eq!(judge("A", -0.07).verdict, Verdict::Fails);
    }
}
