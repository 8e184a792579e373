//! The line with a stream's figures.

use std::io::{self, IsTerminal as _, Write as _};

use dumbbell_scenario::{Duration, Instant};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The figures meanwhile: on a terminal one line, no longer than the terminal is wide, which is written again every second,
/// and otherwise a line every five seconds.
pub(super) struct Line {
    quiet: bool,
    next: Instant,
    /// On a terminal.
    bar: Option<ProgressBar>,
}

impl Line {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = (!quiet && io::stderr().is_terminal()).then(bar);
        Self {
            quiet,
            next: Instant::ZERO,
            bar,
        }
    }

    pub(super) fn show(&mut self, now: Instant, text: impl FnOnce() -> String) {
        if self.quiet || now < self.next {
            return;
        }
        if let Some(bar) = &self.bar {
            self.next = now + Duration::from_secs(1);
            bar.set_message(text());
            bar.tick();
        } else {
            self.next = now + Duration::from_secs(5);
            let _ = writeln!(io::stderr(), "{}", text());
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        bar.set_style(style);
    }
    bar
}
