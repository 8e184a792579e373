//! Parameters of algorithms, described as data: a scenario file, a command line or another
//! language sets them by name, within their ranges, without knowing the algorithm.

use crate::units::{Duration, Ratio, Segments};

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A number of segments, fractions allowed.
    Segments(Segments),
    /// A span of time.
    Duration(Duration),
    /// A whole number.
    Count(u32),
    /// A gain or a factor.
    Ratio(Ratio),
    /// Yes or no.
    Flag(bool),
    /// One of the words of [`Kind::Choice`].
    Choice(&'static str),
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Segments from the first to the second value.
    Segments(Segments, Segments),
    /// A span from the first to the second value.
    Duration(Duration, Duration),
    /// A whole number from the first to the second value.
    Count(u32, u32),
    /// A ratio from the first to the second value.
    Ratio(Ratio, Ratio),
    /// Yes or no.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A parameter: its name, its range and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in files.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it does, in one line, with the source of its default.
    pub doc: &'static str,
}

/// Why a parameter was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The algorithm has no parameter of that name.
    Unknown,
    /// The value is of another kind than the parameter's, or outside its range.
    Impossible(Kind),
}

/// The parameters of an algorithm.
pub trait Config: Clone + Default {
    /// All of them.
    const PARAMETERS: &'static [Parameter];
    /// The value of a parameter; `None` if there is no such parameter.
    fn get(&self, name: &str) -> Option<Setting>;
    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Refused`] if there is no such parameter, or the value is not within its range.
    fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused>;
}
