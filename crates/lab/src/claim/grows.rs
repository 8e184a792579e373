//! The claim of a growing gain: "The advantage of A becomes more and more obvious."

use dumbbell_run::statistics::Estimate;

use super::places::{self, Finding};
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::list;
use super::{Judgement, Table};

/// A claim that a curve's gain over each of the other curves, or over those named, grows from each x
/// value to the next.
#[derive(Debug)]
pub(super) struct Grows {
    /// The curve.
    series: String,
    /// The x values, in order; if empty, all of them.
    at: Vec<f64>,
    /// The curves with which it is compared; if empty, all others.
    over: Vec<String>,
}

impl Sort for Grows {
    const NAME: &'static str = "grows";
    const EXAMPLE: &'static str = "{ series = \"A\", over = [\"B\"], at = [1, 2] }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let series = from.curve("series");
        let over = from.curves("over");
        if let (Some(series), Some(over)) = (&series, &over)
            && over.contains(series)
        {
            from.wrong(
                "over",
                "a curve gains nothing over itself",
                "name other curves",
            );
        }
        let at = from.places("at");
        if at.as_ref().is_some_and(|at| at.len() == 1) {
            from.wrong(
                "at",
                "growth requires two places",
                "name another one, or leave `at` out",
            );
        }
        Some(Self {
            series: series?,
            at: at?,
            over: over?,
        })
    }
}

impl Statement for Grows {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let at = table.places(&self.at);
        let mut findings = Vec::new();
        let mut lines = Vec::new();
        let is_rival = |name: &&str| {
            *name != self.series
                && (self.over.is_empty() || self.over.iter().any(|over| over == *name))
        };
        for rival in table.curves().filter(is_rival) {
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
            one_run: false,
            paper: match self.over.as_slice() {
                [] => format!("{}'s gain over each other grows", self.series),
                over => format!("{}'s gain over {} grows", self.series, over.join(", ")),
            },
            here: format!("it does in {true_ones} of {} steps", findings.len()),
            evidence: format!("places {}; {}", list(&at), lines.join("; ")),
        })
    }

    fn curves(&self) -> Vec<&str> {
        let over = self.over.iter().map(String::as_str);
        std::iter::once(self.series.as_str()).chain(over).collect()
    }

    fn places(&self) -> &[f64] {
        &self.at
    }

    fn is_about_all(&self) -> bool {
        self.over.is_empty()
    }
}

impl Grows {
    /// The increase of the gain over a rival from one x value to the next.
    fn step(&self, table: &Table<'_>, rival: &str, from: f64, to: f64) -> Option<Estimate> {
        let ratios = |x| {
            let pairs = table
                .at(&self.series, x)?
                .into_iter()
                .zip(table.at(rival, x)?);
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
    use crate::cube::tests::of_measure;

    #[test]
    fn there_is_no_verdict_without_a_ratio() {
        let grows = Grows {
            series: "A".into(),
            at: vec![1.0, 2.0],
            over: Vec::new(),
        };
        let runs: &[&[f64]] = &[&[1.0, 1.0], &[0.0, 0.0]];
        let cube = of_measure(&["A", "B"], &[1.0, 2.0], &[runs, runs]);
        assert_eq!(grows.judge(&Table::of(&cube)), None);
    }

    #[test]
    fn every_step_over_every_rival_counts() {
        let judge = |over: &[&str], a: [f64; 3]| {
            let grows = Grows {
                series: "A".into(),
                at: vec![1.0, 2.0, 3.0],
                over: over.iter().map(|name| (*name).to_owned()).collect(),
            };
            let a = a.map(|x| [x, x]);
            let a = a.each_ref().map(|runs| &runs[..]);
            let (b, c) = ([&[100.0, 100.0][..]; 3], [&[50.0, 50.0][..]; 3]);
            let cube = of_measure(&["A", "B", "C"], &[1.0, 2.0, 3.0], &[&a, &b, &c]);
            grows.judge(&Table::of(&cube)).expect("measured")
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
