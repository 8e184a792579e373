//! Why a control cannot be added.

use std::fmt;

/// Why a control or a rate control cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The name is empty, or has characters other than a-z, 0-9, `_` and `-`.
    BadName(String),
    /// There already is a control with this name.
    Taken(String),
    /// The control lists no recovery.
    NoRecovery(String),
    /// The default of this parameter is out of its range, or the parameter's name is used twice.
    BadParameter(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(name) => write!(
                f,
                "`{name}` cannot be a control's name: use a-z, 0-9, `_` and `-`"
            ),
            Self::Taken(name) => write!(f, "there is already a control `{name}`"),
            Self::NoRecovery(name) => {
                write!(f, "the control `{name}` names no loss recovery to go with")
            }
            Self::BadParameter(name) => {
                write!(
                    f,
                    "the parameter `{name}` is there twice, or its default is out of its range"
                )
            }
        }
    }
}

impl std::error::Error for Refusal {}
