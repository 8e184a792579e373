//! What became of a claim.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is reproduced.
    Holds,
    /// Its direction is, its number or its extent is not.
    Partly,
    /// It is not reproduced.
    Fails,
    /// Nothing here can tell.
    Untestable,
}

impl Verdict {
    /// All of them.
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
    /// The 95 % intervals leave room for no other verdict.
    pub firm: bool,
    /// What the paper says, as a number or a relation.
    pub paper: String,
    /// What was found, in the same form.
    pub here: String,
    /// How the verdict follows, in a sentence.
    pub evidence: String,
}

impl Judgement {
    /// Of what nothing here can tell.
    pub(super) fn untestable(reason: &str) -> Self {
        Self {
            verdict: Verdict::Untestable,
            firm: true,
            paper: "-".to_owned(),
            here: "-".to_owned(),
            evidence: reason.to_owned(),
        }
    }
}
