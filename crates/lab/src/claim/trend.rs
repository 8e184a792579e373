//! The claim of a trend: "A becomes the less fair the more flows there are."

use dumbbell_run::statistics::Estimate;

use super::places::{self, Finding};
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::{list, shown};
use super::{Judgement, Table};

/// A claim that a curve rises, or falls, from each x value to the next.
#[derive(Debug)]
pub(super) struct Trend {
    /// The curve.
    series: String,
    /// The direction of the trend.
    way: Way,
    /// The x values, in order; if empty, all of them.
    at: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Rises,
    Falls,
}

impl Way {
    const WORDS: [(&str, Self); 2] = [("rises", Self::Rises), ("falls", Self::Falls)];

    fn name(self) -> &'static str {
        match self {
            Self::Rises => "rises",
            Self::Falls => "falls",
        }
    }

    /// Whether a step has this direction.
    fn has(self, step: f64) -> bool {
        match self {
            Self::Rises => step > 0.0,
            Self::Falls => step < 0.0,
        }
    }
}

impl Sort for Trend {
    const NAME: &'static str = "trend";
    const EXAMPLE: &'static str = "{ series = \"A\", way = \"falls\", at = [1, 2] }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let series = from.curve("series");
        let way = from.word("way", &Way::WORDS);
        let at = from.places("at");
        if at.as_ref().is_some_and(|at| at.len() == 1) {
            from.wrong(
                "at",
                "a trend requires two places",
                "name another one, or leave `at` out",
            );
        }
        Some(Self {
            series: series?,
            way: way?,
            at: at?,
        })
    }
}

impl Statement for Trend {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let at = table.places(&self.at);
        let mut findings = Vec::new();
        let mut only = None;
        for pair in at.windows(2) {
            let step = table.step(&self.series, pair[0], pair[1])?;
            findings.push(Finding::of(&step, |step| self.way.has(step)));
            only = Some(changed(&step));
        }
        let seen = at.iter().map(|x| table.estimate(&self.series, *x));
        let seen: Vec<String> = seen.map(|e| Some(shown(&e?))).collect::<Option<_>>()?;
        places::judgement(
            format!("{} {} from place to place", self.series, self.way.name()),
            &findings,
            only,
            ("in", "steps"),
            format!(
                "places {}; {} has {}",
                list(&at),
                self.series,
                seen.join(", ")
            ),
        )
    }

    fn curves(&self) -> Vec<&str> {
        vec![&self.series]
    }

    fn places(&self) -> &[f64] {
        &self.at
    }
}

/// Describes by how much the curve rises or falls.
fn changed(step: &Estimate) -> String {
    let size = Estimate {
        mean: step.mean.abs(),
        ..*step
    };
    let way = if step.mean < 0.0 { "falls" } else { "rises" };
    format!("it {way} by {}", shown(&size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    /// Judges a curve with these values of the seeds at 1, 2, 4 and 8.
    fn judged(way: Way, at: &[f64], runs: [&[f64]; 4]) -> Option<Judgement> {
        let cube = of_measure(&["A"], &[1.0, 2.0, 4.0, 8.0], &[&runs]);
        let trend = Trend {
            series: "A".to_owned(),
            way,
            at: at.to_vec(),
        };
        trend.judge(&Table::of(&cube))
    }

    #[test]
    fn all_most_or_few_steps_follow_the_trend() {
        let falling: [&[f64]; 4] = [&[9.0, 9.1], &[8.0, 8.1], &[7.0, 7.1], &[5.0, 5.1]];
        let all = judged(Way::Falls, &[], falling).expect("measured");
        assert_eq!((all.verdict, all.firm), (Verdict::Holds, true));
        assert_eq!(all.here, "true in 3 of 3 steps");
        assert_eq!(all.paper, "A falls from place to place");
        let other_way = judged(Way::Rises, &[], falling).expect("measured");
        assert_eq!((other_way.verdict, other_way.firm), (Verdict::Fails, true));
        // The third step goes up, so two of three fall.
        let bent: [&[f64]; 4] = [&[9.0, 9.1], &[8.0, 8.1], &[7.0, 7.1], &[8.0, 8.1]];
        assert_eq!(
            judged(Way::Falls, &[], bent).map(|j| j.verdict),
            Some(Verdict::Partly)
        );
        assert_eq!(
            judged(Way::Rises, &[], bent).map(|j| j.verdict),
            Some(Verdict::Fails)
        );
        // A constant curve neither rises nor falls.
        let level = [&[3.0, 3.0][..]; 4];
        for way in [Way::Rises, Way::Falls] {
            assert_eq!(
                judged(way, &[], level).map(|j| j.verdict),
                Some(Verdict::Fails)
            );
        }
    }

    #[test]
    fn runs_with_the_same_seed_are_compared() {
        // The means fall from 15 to 14. Each seed falls by 1, although the seeds are far apart.
        let apart: [&[f64]; 4] = [&[10.0, 20.0], &[9.0, 19.0], &[8.0, 18.0], &[7.0, 17.0]];
        assert!(judged(Way::Falls, &[], apart).expect("measured").firm);
        // One seed falls by 5, the other rises by 3: the mean falls, but the interval includes a
        // rise.
        let noisy: [&[f64]; 4] = [&[10.0, 20.0], &[5.0, 23.0], &[0.0; 2], &[0.0; 2]];
        let vague = judged(Way::Falls, &[1.0, 2.0], noisy).expect("measured");
        assert_eq!((vague.verdict, vague.firm), (Verdict::Holds, false));
        assert!(vague.here.starts_with("it falls by 1 ± "), "{}", vague.here);
    }

    #[test]
    fn missing_values_cannot_be_judged() {
        let gap: [&[f64]; 4] = [&[9.0], &[], &[7.0], &[5.0]];
        assert_eq!(judged(Way::Falls, &[], gap), None);
        assert!(judged(Way::Falls, &[4.0, 8.0], gap).is_some());
        // A quick reproduction that keeps only one x value has no steps.
        assert_eq!(judged(Way::Falls, &[4.0, 99.0], gap), None);
    }
}
