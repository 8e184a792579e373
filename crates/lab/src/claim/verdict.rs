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
    /// No run can test it.
    Untestable,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Holds, Self::Partly, Self::Fails, Self::Untestable];
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
    /// Whether the 95 % intervals allow no other verdict.
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
}
