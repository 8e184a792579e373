//! The claim of a largest gain: "A exceeds B by up to 300 %."

use dumbbell_run::statistics::Estimate;

use super::printed::Printed;
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::percent;
use super::{Judgement, Table};

/// A claim of the largest gain over several x values. It has two sides: nowhere is the gain larger,
/// and somewhere it is about as large. So the largest measured gain is judged as
/// [`Gain`](super::gain::Gain) judges the gain at one x value.
#[derive(Debug)]
pub(super) struct UpTo {
    /// The better curve.
    of: String,
    /// The curve to which it is compared.
    over: String,
    /// The x values; if empty, all of them.
    at: Vec<f64>,
    /// The paper's number. If it is negative, the largest reduction is meant.
    printed: Printed,
}

impl Sort for UpTo {
    const NAME: &'static str = "up_to";
    const EXAMPLE: &'static str = "{ of = \"A\", over = \"B\", at = [1, 2], paper = 300 }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let of = from.curve("of");
        let over = from.other("over", of.as_ref(), "a curve cannot exceed itself");
        let at = from.places("at");
        let printed = Printed::read(from);
        Some(Self {
            of: of?,
            over: over?,
            at: at?,
            printed: printed?,
        })
    }
}

impl Statement for UpTo {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let sign = self.printed.sign();
        let mut seen = Vec::new();
        let mut largest: Option<(f64, Estimate)> = None;
        // The largest gain that any place may have.
        let mut high = f64::NEG_INFINITY;
        for x in table.places(&self.at) {
            let gain = table.gain(&self.of, &self.over, x)?;
            seen.push(format!("{}{}", percent(&gain), table.place(x)));
            high = high.max(sign * gain.mean + gain.half_width.unwrap_or(f64::INFINITY));
            if largest.is_none_or(|(_, most)| sign * gain.mean > sign * most.mean) {
                largest = Some((x, gain));
            }
        }
        let (x, gain) = largest?;
        let may_be_higher = Estimate {
            mean: gain.mean,
            half_width: Some(high - sign * gain.mean).filter(|half| half.is_finite()),
        };
        Some(Judgement {
            verdict: self.printed.verdict(gain.mean),
            firm: self.printed.is_firm(&gain) && self.printed.is_firm(&may_be_higher),
            one_run: false,
            paper: format!("up to {}", self.printed.words()),
            here: format!("up to {}{}", percent(&gain), table.place(x)),
            evidence: format!(
                "{}; in all places: {}",
                self.printed.evidence(gain.mean, &self.of, &self.over),
                seen.join(", ")
            ),
        })
    }

    fn curves(&self) -> Vec<&str> {
        vec![&self.of, &self.over]
    }

    fn places(&self) -> &[f64] {
        &self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    /// Judges data in which A exceeds B by these gains, in percent, at 1, 2 and 3, with two seeds.
    fn judged(gains: [[f64; 2]; 3], at: &[f64], paper: f64) -> Judgement {
        let a = gains.map(|gains| gains.map(|gain| 200.0 * (1.0 + gain / 100.0)));
        let a = a.each_ref().map(|runs| &runs[..]);
        let b: [&[f64]; 3] = [&[200.0, 200.0]; 3];
        let cube = of_measure(&["A", "B"], &[1.0, 2.0, 3.0], &[&a, &b]);
        let claim = UpTo {
            of: "A".into(),
            over: "B".into(),
            at: at.to_vec(),
            printed: Printed::of(paper),
        };
        claim.judge(&Table::of(&cube)).expect("measured")
    }

    const GAINS: [[f64; 2]; 3] = [[0.0, 0.1], [290.0, 291.0], [80.0, 81.0]];

    #[test]
    fn up_to_has_two_sides() {
        assert_eq!(judged(GAINS, &[], 300.0).verdict, Verdict::Holds);
        assert_eq!(judged(GAINS, &[], 200.0).verdict, Verdict::Partly);
        // Too much is as wrong as too little.
        assert_eq!(judged(GAINS, &[], 100.0).verdict, Verdict::Fails);
        assert_eq!(judged(GAINS, &[], 600.0).verdict, Verdict::Fails);
        // Two curves that are the same gain nothing.
        let same = [[0.0, 0.0]; 3];
        assert_eq!(judged(same, &[], 300.0).verdict, Verdict::Fails);
    }

    #[test]
    fn the_largest_gain_is_that_of_the_named_places() {
        assert_eq!(judged(GAINS, &[1.0, 3.0], 80.0).verdict, Verdict::Holds);
        let judgement = judged(GAINS, &[], 300.0);
        assert_eq!(judgement.paper, "up to +300.0 %");
        assert_eq!(judgement.here, "up to +290.5 ± 6.4 % at 2");
        assert!(judgement.evidence.contains("at 1, +290.5"), "{judgement:?}");
        assert!(judgement.firm);
    }

    #[test]
    fn a_reduction_is_negative() {
        let gains = GAINS.map(|gains| gains.map(|gain| -gain / 10.0));
        let judgement = judged(gains, &[], -30.0);
        assert_eq!(judgement.verdict, Verdict::Holds);
        assert_eq!(judgement.here, "up to -29.1 ± 0.6 % at 2");
    }

    #[test]
    fn another_place_may_have_the_largest_gain_within_its_interval() {
        // Differences of 40 and 200 leave a wide interval.
        let gains = [[290.0, 291.0], [40.0, 200.0], [0.0, 0.0]];
        let judgement = judged(gains, &[], 300.0);
        assert_eq!((judgement.verdict, judgement.firm), (Verdict::Holds, false));
    }
}
