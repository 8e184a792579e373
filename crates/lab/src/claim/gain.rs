//! The claim of a gain in percent: "A exceeds B by 35.7 %."

use super::printed::Printed;
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::percent;
use super::{Judgement, Table};

/// A claim of a gain that the paper prints.
///
/// It holds if the measured gain is within a fifth of the printed one, and partly if it has the
/// same sign and is at most a factor larger or smaller. The measured gain is the mean over the
/// pairs of runs that share a seed.
#[derive(Debug)]
pub(super) struct Gain {
    /// The better curve.
    of: String,
    /// The curve to which it is compared.
    over: String,
    /// The x value, if something is varied.
    at: f64,
    /// The paper's number.
    printed: Printed,
}

impl Sort for Gain {
    const NAME: &'static str = "gain";
    const EXAMPLE: &'static str = "{ of = \"A\", over = \"B\", at = 2, paper = 35.7 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let of = from.curve("of");
        let over = from.other("over", of.as_ref(), "a curve cannot exceed itself");
        let at = from.place("at");
        let printed = Printed::read(from);
        Some(Self {
            of: of?,
            over: over?,
            at: at?,
            printed: printed?,
        })
    }
}

impl Statement for Gain {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let gain = table.gain(&self.of, &self.over, self.at)?;
        Some(Judgement {
            verdict: self.printed.verdict(gain.mean),
            firm: self.printed.is_firm(&gain),
            one_run: false,
            paper: self.printed.words(),
            here: percent(&gain),
            evidence: self.printed.evidence(gain.mean, &self.of, &self.over),
        })
    }

    fn curves(&self) -> Vec<&str> {
        vec![&self.of, &self.over]
    }

    fn places(&self) -> &[f64] {
        std::slice::from_ref(&self.at)
    }

    fn printed(&self) -> Option<f64> {
        Some(self.printed.percent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    /// Judges data in which A exceeds B by these gains, in percent, one for each seed.
    fn judged(gains: &[f64], paper: f64) -> Judgement {
        let a: Vec<f64> = gains.iter().map(|g| 200.0 * (1.0 + g / 100.0)).collect();
        let b = vec![200.0; gains.len()];
        let gain = Gain {
            of: "A".into(),
            over: "B".into(),
            at: 0.02,
            printed: Printed::of(paper),
        };
        let cube = of_measure(&["A", "B"], &[0.02], &[&[&a], &[&b]]);
        gain.judge(&Table::of(&cube)).expect("measured")
    }

    #[test]
    fn a_gain_may_agree_in_size_in_sign_or_not_at_all() {
        assert_eq!(judged(&[30.0, 32.0], 35.7).verdict, Verdict::Holds);
        assert_eq!(judged(&[20.0, 22.0], 35.7).verdict, Verdict::Partly);
        assert_eq!(judged(&[16.0, 18.0], 35.7).verdict, Verdict::Fails);
        assert_eq!(judged(&[-14.0, -15.0], 38.6).verdict, Verdict::Fails);
    }

    #[test]
    fn a_verdict_is_firm_only_if_the_whole_interval_agrees() {
        assert!(judged(&[36.0, 36.1, 36.2], 35.7).firm);
        assert!(!judged(&[20.0, 36.0, 51.0], 35.7).firm);
        assert!(!judged(&[36.0], 35.7).firm, "one seed proves nothing");
    }

    #[test]
    fn the_evidence_shows_both_ratios() {
        let judgement = judged(&[50.0, 50.0], 76.8);
        assert_eq!(judgement.paper, "+76.8 %");
        assert_eq!(judgement.here, "+50.0 ± 0.0 %");
        assert!(
            judgement
                .evidence
                .contains("1.500 times B here, 1.768 times in the paper")
        );
    }
}
