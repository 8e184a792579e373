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
    /// It holds in part, under the reading taken or another one, and nowhere entirely.
    Partly,
    /// It fails under every reading that was tried.
    Nowhere,
    /// The text does not allow a test.
    Undecidable,
    /// The runs allow more than one verdict.
    Undecided,
}

impl Standing {
    /// The words for all of them, in order: [`Standing::word`].
    pub const WORDS: [&'static str; 6] = [
        "holds",
        "elsewhere",
        "partly",
        "nowhere",
        "undecidable",
        "undecided",
    ];

    /// What the words mean.
    pub const MEANINGS: [&'static str; 6] = [
        "hold under the reading taken",
        "hold under another reading",
        "hold in part at best",
        "fail under every reading tried",
        "are not decidable from the text",
        "are not decided by these runs",
    ];

    /// Its position among all of them.
    pub fn position(&self) -> usize {
        match self {
            Self::Holds => 0,
            Self::Elsewhere(_) => 1,
            Self::Partly => 2,
            Self::Nowhere => 3,
            Self::Undecidable => 4,
            Self::Undecided => 5,
        }
    }

    /// The other readings under which it holds, if it holds elsewhere.
    pub fn readings(&self) -> Option<&[String]> {
        match self {
            Self::Elsewhere(readings) => Some(readings),
            _ => None,
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
            Self::Partly => f.write_str("holds in part at best"),
            Self::Nowhere => f.write_str("fails under every reading tried"),
            Self::Undecidable => f.write_str("not decidable from the text"),
            Self::Undecided => f.write_str("not decided by these runs"),
        }
    }
}
