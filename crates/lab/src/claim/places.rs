//! A statement about several x values, which may be true at some of them and false at others.

use dumbbell_run::statistics::Estimate;

use super::{Judgement, Verdict};

/// Whether a statement is true at one x value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// Whether it is true of the mean.
    pub(super) holds: bool,
    /// Whether all numbers within the interval give the same answer.
    pub(super) firm: bool,
}

impl Finding {
    /// Evaluates a condition for an estimate.
    pub(super) fn of(estimate: &Estimate, condition: impl Fn(f64) -> bool) -> Self {
        let holds = condition(estimate.mean);
        Self {
            holds,
            firm: estimate.half_width.is_some()
                && condition(estimate.low()) == holds
                && condition(estimate.high()) == holds,
        }
    }
}

impl Finding {
    /// Whether all of several statements are true. The result is firm if all are firmly true, or if
    /// one is firmly false.
    pub(super) fn all(findings: &[Self]) -> Self {
        let holds = findings.iter().all(|f| f.holds);
        Self {
            holds,
            firm: if holds {
                findings.iter().all(|f| f.firm)
            } else {
                findings.iter().any(|f| f.firm && !f.holds)
            },
        }
    }
}

/// The judgement of a statement about several x values. `paper` is the paper's statement, and
/// `findings` holds one result for each x value. The preposition and the noun are used as in
/// "true `in` 3 of 4 `cases`"; if there is only one finding, `only` is used instead. `None` without
/// findings.
pub(super) fn judgement(
    paper: String,
    findings: &[Finding],
    only: Option<String>,
    (preposition, what): (&str, &str),
    evidence: String,
) -> Option<Judgement> {
    if findings.is_empty() {
        return None;
    }
    let (verdict, firm) = verdict(findings);
    let only = only.filter(|_| findings.len() == 1);
    let true_ones = findings.iter().filter(|f| f.holds).count();
    let all = findings.len();
    Some(Judgement {
        verdict,
        firm,
        one_run: false,
        paper,
        here: only.unwrap_or_else(|| format!("true {preposition} {true_ones} of {all} {what}")),
        evidence,
    })
}

/// The verdict over all x values, and whether it is firm. A claim that is true everywhere holds;
/// one that is true at half of the x values or more holds partly. The verdict is firm if it does
/// not change when every finding within the noise is counted for the claim or against it.
pub(super) fn verdict(findings: &[Finding]) -> (Verdict, bool) {
    decided(findings, |true_ones, all| {
        if true_ones == all {
            Verdict::Holds
        } else if 2 * true_ones >= all {
            Verdict::Partly
        } else {
            Verdict::Fails
        }
    })
}

/// The verdict on a claim about most x values, and whether it is firm: it holds if it is true at
/// more than half of them.
pub(super) fn mostly(findings: &[Finding]) -> (Verdict, bool) {
    decided(findings, |true_ones, all| {
        if 2 * true_ones > all {
            Verdict::Holds
        } else {
            Verdict::Fails
        }
    })
}

/// Derives the verdict from the number of true findings. It is firm if it does not change when
/// every finding within the noise is counted for the claim or against it.
fn decided(findings: &[Finding], verdict: impl Fn(usize, usize) -> Verdict) -> (Verdict, bool) {
    let counting = |counts: fn(&Finding) -> bool| {
        let true_ones = findings.iter().filter(|f| counts(f)).count();
        verdict(true_ones, findings.len())
    };
    let best = counting(|f| f.holds || !f.firm);
    let worst = counting(|f| f.holds && f.firm);
    (counting(|f| f.holds), best == worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUE: Finding = Finding {
        holds: true,
        firm: true,
    };
    const FALSE: Finding = Finding {
        holds: false,
        firm: true,
    };
    const MAYBE: Finding = Finding {
        holds: true,
        firm: false,
    };

    #[test]
    fn true_at_all_half_or_fewer_x_values() {
        assert_eq!(verdict(&[TRUE, TRUE]), (Verdict::Holds, true));
        assert_eq!(verdict(&[TRUE, FALSE]), (Verdict::Partly, true));
        assert_eq!(verdict(&[TRUE, FALSE, FALSE]), (Verdict::Fails, true));
    }

    #[test]
    fn most_means_more_than_half() {
        assert_eq!(mostly(&[TRUE, TRUE, FALSE]), (Verdict::Holds, true));
        assert_eq!(mostly(&[TRUE, FALSE]), (Verdict::Fails, true));
        assert_eq!(mostly(&[TRUE, MAYBE, FALSE]), (Verdict::Holds, false));
        assert_eq!(
            mostly(&[TRUE, TRUE, TRUE, FALSE, MAYBE]),
            (Verdict::Holds, true)
        );
    }

    #[test]
    fn a_finding_within_the_noise_makes_it_infirm_only_if_it_decides() {
        assert_eq!(verdict(&[TRUE, MAYBE]), (Verdict::Holds, false));
        assert_eq!(
            verdict(&[TRUE, TRUE, FALSE, MAYBE]),
            (Verdict::Partly, true)
        );
    }

    #[test]
    fn one_x_value_is_described_and_several_are_counted() {
        let judge = |findings: &[Finding]| {
            let only = Some("it is".to_owned());
            judgement(
                "p".to_owned(),
                findings,
                only,
                ("in", "places"),
                String::new(),
            )
        };
        assert_eq!(judge(&[]), None);
        assert_eq!(judge(&[TRUE]).expect("one").here, "it is");
        let both = judge(&[TRUE, FALSE]).expect("two");
        assert_eq!(both.here, "true in 1 of 2 places");
        assert_eq!((both.verdict, both.firm), (Verdict::Partly, true));
    }

    #[test]
    fn one_firm_exception_is_enough() {
        let (a, b) = (Finding::all(&[TRUE, MAYBE]), Finding::all(&[MAYBE, FALSE]));
        assert_eq!((a.holds, a.firm), (true, false));
        assert_eq!((b.holds, b.firm), (false, true));
        let wrong = Finding {
            holds: false,
            firm: false,
        };
        assert!(!Finding::all(&[TRUE, wrong]).firm);
        assert!(Finding::all(&[TRUE, TRUE]).firm);
    }

    #[test]
    fn an_estimate_without_an_interval_is_never_firm() {
        let one = Estimate {
            mean: 3.0,
            half_width: None,
        };
        let found = Finding::of(&one, |x| x > 0.0);
        assert_eq!((found.holds, found.firm), (true, false));
        let wide = Estimate {
            mean: 3.0,
            half_width: Some(4.0),
        };
        assert!(!Finding::of(&wide, |x| x > 0.0).firm);
        assert!(Finding::of(&wide, |x| x > -2.0).firm);
    }
}
