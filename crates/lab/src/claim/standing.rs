//! How a sentence of a paper stands after all readings of the text that were tried.

use std::fmt;

use serde::Serialize;

/// How a sentence of a paper stands after all readings of the text that were tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It holds under the reading taken.
    Holds,
    /// It does not, but it holds under these other readings.
    Elsewhere(Vec<String>),
    /// It holds under no reading that was tried.
    Nowhere,
    /// The text does not allow a test.
    Undecidable,
    /// The runs allow more than one verdict.
    Undecided,
}

impl Standing {
    /// The words for all of them, in order: [`Standing::word`].
    pub const WORDS: [&'static str; 5] =
        ["holds", "elsewhere", "nowhere", "undecidable", "undecided"];

    /// What the words mean.
    pub const MEANINGS: [&'static str; 5] = [
        "hold under the reading taken",
        "hold under another reading",
        "fail under every reading tried",
        "are not decidable from the text",
        "are not decided by these runs",
    ];

    /// Its position among all of them.
    pub fn position(&self) -> usize {
        match self {
            Self::Holds => 0,
            Self::Elsewhere(_) => 1,
            Self::Nowhere => 2,
            Self::Undecidable => 3,
            Self::Undecided => 4,
        }
    }

    /// Its word, for machines.
    pub fn word(&self) -> &'static str {
        Self::WORDS[self.position()]
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds under the reading taken"),
            Self::Elsewhere(readings) => {
                write!(f, "holds under another reading: {}", readings.join("; "))
            }
            Self::Nowhere => f.write_str("fails under every reading tried"),
            Self::Undecidable => f.write_str("not decidable from the text"),
            Self::Undecided => f.write_str("not decided by these runs"),
        }
    }
}
