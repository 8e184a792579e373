//! Whose claim it is, and whether it counts.

use std::fmt;

use serde::Serialize;

/// Whose claim it is, and whether its verdict says anything about the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A sentence of the paper.
    #[default]
    Paper,
    /// A claim of ours: about an added figure, or about a reading that the paper does not have.
    Ours,
    /// It compares with a number that was put into the scenario.
    Input,
    /// It is true by definition.
    Identity,
    /// A free parameter was chosen so that it holds.
    Fit,
    /// It holds whatever the protocols do.
    Empty,
}

impl Kind {
    /// The words of descriptions.
    pub(super) const WORDS: [(&'static str, Self); 6] = [
        ("paper", Self::Paper),
        ("ours", Self::Ours),
        ("input", Self::Input),
        ("identity", Self::Identity),
        ("fit", Self::Fit),
        ("empty", Self::Empty),
    ];

    /// Whether it is judged but counted nowhere, because its verdict is no evidence.
    pub fn is_no_evidence(self) -> bool {
        matches!(self, Self::Input | Self::Identity | Self::Fit | Self::Empty)
    }

    /// What distinguishes it from a sentence of the paper, in a few words; `None` for such a
    /// sentence.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Self::Paper => None,
            Self::Ours => Some("our claim, not the paper's"),
            Self::Input => Some("an input, not counted"),
            Self::Identity => Some("true by definition, not counted"),
            Self::Fit => Some("fitted, not counted"),
            Self::Empty => Some("cannot fail, not counted"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::WORDS.iter().find(|(_, kind)| kind == self);
        f.pad(word.map_or("", |(word, _)| word))
    }
}

/// Why a claim holds even if all curves are the baseline's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Null {
    /// It says that curves are alike, and so they are then.
    Alike,
    /// It is about the baseline or the path, and not about what the paper proposes.
    Baseline,
}

impl Null {
    /// The words of descriptions.
    pub(super) const WORDS: [(&'static str, Self); 2] =
        [("alike", Self::Alike), ("baseline", Self::Baseline)];
}
