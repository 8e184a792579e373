//! The claim of a gain in percent: "A exceeds B by 35.7 %."

use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::{TOLERANCE, percent};
use super::{Judgement, Table, Verdict};

/// A claim of a gain that the paper prints.
///
/// It holds if the measured gain is within a fifth of the printed one, and partly if it only has
/// the same sign. The measured gain is the mean over the pairs of runs that share a seed.
#[derive(Debug)]
pub(super) struct Gain {
    /// The better curve.
    of: String,
    /// The curve to which it is compared.
    over: String,
    /// The x value, if something is varied.
    at: f64,
    /// The paper's number, in percent.
    paper: f64,
}

impl Sort for Gain {
    const NAME: &'static str = "gain";
    const EXAMPLE: &'static str = "{ of = \"A\", over = \"B\", at = 2, paper = 35.7 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let of = from.curve("of");
        let over = from.other("over", of.as_ref(), "a curve cannot exceed itself");
        let at = from.place("at");
        let paper = from.number(
            "paper",
            f64::is_normal,
            "the paper's number in percent, and not 0",
        );
        Some(Self {
            of: of?,
            over: over?,
            at: at?,
            paper: paper?,
        })
    }
}

impl Statement for Gain {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let gain = table.gain(&self.of, &self.over, self.at)?;
        let verdict = self.verdict(gain.mean);
        let ends = [gain.low(), gain.high()];
        let firm = gain.half_width.is_some() && ends.iter().all(|g| self.verdict(*g) == verdict);
        let ratio = |percent: f64| 1.0 + percent / 100.0;
        let how = match verdict {
            Verdict::Holds => "within a fifth of the paper's number",
            Verdict::Partly => "the direction is the paper's, the size is not",
            _ => "the direction is not the paper's",
        };
        Some(Judgement {
            verdict,
            firm,
            one_run: false,
            paper: format!("{:+.1} %", self.paper),
            here: percent(&gain),
            evidence: format!(
                "{how}; {} is {:.3} times {} here, {:.3} times in the paper ({:+.1} %)",
                self.of,
                ratio(gain.mean),
                self.over,
                ratio(self.paper),
                (ratio(gain.mean) / ratio(self.paper) - 1.0) * 100.0
            ),
        })
    }

    fn curves(&self) -> Vec<&str> {
        vec![&self.of, &self.over]
    }

    fn places(&self) -> &[f64] {
        std::slice::from_ref(&self.at)
    }
}

impl Gain {
    fn verdict(&self, gain: f64) -> Verdict {
        if (gain - self.paper).abs() <= TOLERANCE * self.paper.abs() {
            Verdict::Holds
        } else if gain * self.paper > 0.0 {
            Verdict::Partly
        } else {
            Verdict::Fails
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::tests::of_measure;

    /// Judges data in which A exceeds B by these gains, in percent, one for each seed.
    fn judged(gains: &[f64], paper: f64) -> Judgement {
        let a: Vec<f64> = gains.iter().map(|g| 200.0 * (1.0 + g / 100.0)).collect();
        let b = vec![200.0; gains.len()];
        let gain = Gain {
            of: "A".into(),
            over: "B".into(),
            at: 0.02,
            paper,
        };
        let cube = of_measure(&["A", "B"], &[0.02], &[&[&a], &[&b]]);
        gain.judge(&Table::of(&cube)).expect("measured")
    }

    #[test]
    fn a_gain_may_agree_in_size_in_sign_or_not_at_all() {
        assert_eq!(judged(&[30.0, 32.0], 35.7).verdict, Verdict::Holds);
        assert_eq!(judged(&[20.0, 22.0], 35.7).verdict, Verdict::Partly);
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
