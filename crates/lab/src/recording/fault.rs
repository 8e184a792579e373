//! What is wrong in a recorded file, and where.

use std::error::Error;
use std::fmt;

/// What is wrong in a recorded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub spot: Spot,
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub help: String,
}

/// A place in a recorded file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The file as a whole.
    Whole,
    /// A line, counted from 1.
    Line(u64),
    /// A packet of a capture, counted from 1.
    Packet(u64),
}

impl Fault {
    pub(super) fn whole(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Spot::Whole, what, help)
    }

    pub(super) fn line(line: u64, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Spot::Line(line), what, help)
    }

    pub(super) fn packet(packet: u64, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Spot::Packet(packet), what, help)
    }

    fn new(spot: Spot, what: impl Into<String>, help: impl Into<String>) -> Self {
        let (what, help) = (what.into(), help.into());
        Self { spot, what, help }
    }

    /// Returns the message about a file of this name.
    pub fn in_file(&self, file: impl fmt::Display) -> String {
        let Self { spot, what, help } = self;
        let spot = match spot {
            Spot::Whole => String::new(),
            Spot::Line(line) => format!(":{line}"),
            Spot::Packet(packet) => format!(", packet {packet}"),
        };
        format!("{file}{spot}: {what}\n  = help: {help}")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_file("the file"))
    }
}

impl Error for Fault {}

/// Shortens what a file says for a message, without characters that a terminal obeys.
pub(super) fn clip(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut chars = text.chars().map(plain);
    let mut clipped: String = chars.by_ref().take(40).collect();
    if chars.next().is_some() {
        clipped.push_str("...");
    }
    clipped
}
