//! A gain that a paper prints, and how far a measured one may be from it.

use dumbbell_run::statistics::Estimate;

use super::Verdict;
use super::reader::Reader;
use super::words::TOLERANCE;

/// The factor of the printed gain beyond which a measured one fails, unless the claim states
/// another.
const BEYOND: f64 = 2.0;

/// A printed gain in percent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printed {
    /// The paper's number, in percent.
    paper: f64,
    /// A measured gain that is more than this factor larger or smaller fails.
    beyond: f64,
}

impl Printed {
    /// Reads the keys `paper` and `beyond`.
    pub(super) fn read(from: &Reader<'_>) -> Option<Self> {
        let paper = from.number(
            "paper",
            f64::is_normal,
            "the paper's number in percent, and not 0",
        );
        let beyond = from.number_if_any("beyond").unwrap_or(BEYOND);
        // Gains within a fifth hold, and 0.8 of the printed gain is 1.25 times smaller.
        if beyond < 1.25 {
            from.wrong(
                "beyond",
                &format!("`beyond` is {beyond}"),
                "a factor of at least 1.25, because a gain within a fifth holds",
            );
        }
        let paper = paper?;
        Some(Self { paper, beyond })
    }

    /// The paper's number, in percent.
    pub(super) fn percent(self) -> f64 {
        self.paper
    }

    #[cfg(test)]
    pub(super) fn of(paper: f64) -> Self {
        let beyond = BEYOND;
        Self { paper, beyond }
    }

    /// The verdict on a measured gain.
    pub(super) fn verdict(self, gain: f64) -> Verdict {
        let part = gain / self.paper;
        if (part - 1.0).abs() <= TOLERANCE {
            Verdict::Holds
        } else if part >= 1.0 / self.beyond && part <= self.beyond {
            Verdict::Partly
        } else {
            Verdict::Fails
        }
    }

    /// Whether every gain in the interval has the verdict of the mean.
    pub(super) fn is_firm(self, gain: &Estimate) -> bool {
        // Partly and fails are each possible on both sides of the printed gain.
        let side = |gain: f64| match self.verdict(gain) {
            Verdict::Holds => (Verdict::Holds, false),
            verdict => (verdict, gain / self.paper > 1.0),
        };
        let ends = [gain.low(), gain.high()];
        gain.half_width.is_some() && ends.iter().all(|end| side(*end) == side(gain.mean))
    }

    /// 1 if the paper prints a gain, -1 if it prints a reduction.
    pub(super) fn sign(self) -> f64 {
        self.paper.signum()
    }

    /// The printed number, with its unit.
    pub(super) fn words(self) -> String {
        format!("{:+.1} %", self.paper)
    }

    /// Why a measured gain has its verdict, and the ratios behind both gains.
    pub(super) fn evidence(self, gain: f64, of: &str, over: &str) -> String {
        let ratio = |percent: f64| 1.0 + percent / 100.0;
        let how = match self.verdict(gain) {
            Verdict::Holds => "within a fifth of the paper's number".to_owned(),
            Verdict::Partly => "the direction is the paper's, the size is not".to_owned(),
            _ if gain * self.paper > 0.0 => {
                let part = gain / self.paper;
                let (factor, than) = if part > 1.0 {
                    (part, "larger")
                } else {
                    (1.0 / part, "smaller")
                };
                format!(
                    "{factor:.1} times {than} than the paper's number; a factor of {} is allowed",
                    self.beyond
                )
            }
            _ => "the direction is not the paper's".to_owned(),
        };
        format!(
            "{how}; {of} is {:.3} times {over} here, {:.3} times in the paper ({:+.1} %)",
            ratio(gain),
            ratio(self.paper),
            (ratio(gain) / ratio(self.paper) - 1.0) * 100.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_may_agree_nearly_agree_or_be_another_one() {
        let cases = [
            (50.0, Verdict::Holds),
            (59.0, Verdict::Holds),
            (41.0, Verdict::Holds),
            (61.0, Verdict::Partly),
            (26.0, Verdict::Partly),
            (99.0, Verdict::Partly),
            (101.0, Verdict::Fails),
            (24.0, Verdict::Fails),
            (0.0, Verdict::Fails),
            (-50.0, Verdict::Fails),
        ];
        for (gain, verdict) in cases {
            assert_eq!(Printed::of(50.0).verdict(gain), verdict, "{gain}");
            assert_eq!(Printed::of(-50.0).verdict(-gain), verdict, "{gain}");
        }
        let wide = Printed {
            paper: 50.0,
            beyond: 4.0,
        };
        assert_eq!(wide.verdict(190.0), Verdict::Partly);
        assert_eq!(wide.verdict(13.0), Verdict::Partly);
        assert_eq!(wide.verdict(201.0), Verdict::Fails);
    }

    #[test]
    fn it_is_firm_if_no_gain_of_the_interval_has_another_verdict() {
        let firm = |mean, half| {
            Printed::of(50.0).is_firm(&Estimate {
                mean,
                half_width: half,
            })
        };
        assert!(firm(50.0, Some(5.0)));
        assert!(firm(80.0, Some(10.0)));
        assert!(!firm(80.0, Some(25.0)), "it may be beyond the factor");
        assert!(!firm(80.0, None));
        // Both ends are partly right, but what lies between holds.
        assert!(!firm(62.0, Some(30.0)));
    }

    #[test]
    fn the_evidence_says_by_how_much_it_is_another_gain() {
        let printed = Printed::of(70.0);
        let evidence = printed.evidence(455.0, "A", "B");
        assert!(
            evidence.starts_with("6.5 times larger than the paper's number; a factor of 2"),
            "{evidence}"
        );
        assert!(evidence.contains("5.550 times B here, 1.700 times in the paper"));
        let evidence = printed.evidence(7.0, "A", "B");
        assert!(evidence.starts_with("10.0 times smaller"), "{evidence}");
        let evidence = printed.evidence(-7.0, "A", "B");
        assert!(evidence.starts_with("the direction is not"), "{evidence}");
    }
}
