//! The colours of verdicts on the terminal.

use anstyle::{AnsiColor, Effects, Style};
use dumbbell_lab::claim::Verdict;

/// The colour of a verdict.
pub(super) fn style(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Holds => AnsiColor::Green,
        Verdict::Partly => AnsiColor::Yellow,
        Verdict::Fails => AnsiColor::Red,
        Verdict::Untestable => AnsiColor::BrightBlack,
    };
    colour.on_default().effects(Effects::BOLD)
}
