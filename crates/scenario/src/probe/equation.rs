//! The throughput equations that can be evaluated for TCP flows.

use crate::key::Word;

/// A throughput equation for TCP flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// The equation of TCP Reno: a loss halves the window.
    Reno,
    /// The equation of TCP Veno: the mean window reduction follows from the measured delays.
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
