//! The verdict on a claim.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is reproduced.
    Holds,
    /// The direction is reproduced, but not the number or the extent.
    Partly,
    /// It is not reproduced.
    Fails,
    /// No run can test it, or these runs do not decide it.
    Untestable,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Holds, Self::Partly, Self::Fails, Self::Untestable];

    /// Their words in a record.
    pub(super) const WORDS: [(&'static str, Self); 4] = [
        ("holds", Self::Holds),
        ("partly", Self::Partly),
        ("fails", Self::Fails),
        ("untestable", Self::Untestable),
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Partly => "partly",
            Self::Fails => "fails",
            Self::Untestable => "untestable",
        })
    }
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The verdict on the means.
    pub verdict: Verdict,
    /// Whether the 95 % intervals allow no other verdict. An untestable claim that is not firm is one
    /// that had to be, and that these runs do not decide.
    pub firm: bool,
    /// Whether it rests on a point that is one run, whose spread is not known.
    pub one_run: bool,
    /// The paper's statement, as a number or a relation.
    pub paper: String,
    /// The result of the runs, in the same form.
    pub here: String,
    /// The measurements from which the verdict follows.
    pub evidence: String,
}

impl Judgement {
    /// The judgement of a claim that cannot be tested.
    pub(super) fn untestable(reason: &str) -> Self {
        Self {
            verdict: Verdict::Untestable,
            firm: true,
            one_run: false,
            paper: "-".to_owned(),
            here: "-".to_owned(),
            evidence: reason.to_owned(),
        }
    }

    /// The judgement of a claim that must be firm, by runs whose intervals allow another verdict
    /// than this one.
    pub(super) fn undecided(self) -> Self {
        let evidence = format!(
            "these runs do not decide it: by the means it {}, but the intervals allow another verdict; {}",
            match self.verdict {
                Verdict::Partly => "holds partly".to_owned(),
                verdict => verdict.to_string(),
            },
            self.evidence
        );
        Self {
            verdict: Verdict::Untestable,
            firm: false,
            evidence,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undecided_claim_keeps_its_numbers() {
        let judgement = Judgement {
            verdict: Verdict::Partly,
            firm: false,
            one_run: false,
            paper: "A is the highest".to_owned(),
            here: "it is in 1 of 2 places".to_owned(),
            evidence: "+1 %".to_owned(),
        };
        let undecided = judgement.undecided();
        assert_eq!(undecided.verdict, Verdict::Untestable);
        assert_eq!(undecided.here, "it is in 1 of 2 places");
        assert_eq!(
            undecided.evidence,
            "these runs do not decide it: by the means it holds partly, but the intervals allow \
             another verdict; +1 %"
        );
    }
}
