//! Whose throughput equation is asked what TCP flows should send.

use crate::key::Word;

/// Whose throughput equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// TCP Reno's: a loss halves the window.
    Reno,
    /// TCP Veno's: the mean cut follows from the measured delays.
    Veno,
}

/// An equation, or none.
pub(super) const ANY: Word<Option<Equation>> = Word {
    words: &[
        ("none", None),
        ("reno", Some(Equation::Reno)),
        ("veno", Some(Equation::Veno)),
    ],
    explain: |equation| match equation {
        None => "nobody's",
        Some(Equation::Reno) => "TCP Reno's: a loss halves the window",
        Some(Equation::Veno) => "TCP Veno's: the mean cut follows from the measured delays",
    },
};
