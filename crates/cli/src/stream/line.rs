//! The line with a stream's figures.

use std::io::Write as _;

use dumbbell_scenario::{Duration, Instant};

/// The line with figures that is written again every second.
pub(super) struct Line {
    quiet: bool,
    next: Instant,
    written: bool,
}

impl Line {
    pub(super) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            next: Instant::ZERO,
            written: false,
        }
    }

    pub(super) fn show(&mut self, now: Instant, text: impl FnOnce() -> String) {
        if !self.quiet && now >= self.next {
            self.next = now + Duration::from_secs(1);
            self.written = true;
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", text());
        }
    }

    pub(super) fn end(&self) {
        if self.written {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
