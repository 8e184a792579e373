//! Writes the files of a reproduction while it is under way.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::execution::News;
use super::files::NotWritten;
use super::value::Reproduction;

/// The shortest time between two reports.
const BETWEEN: Duration = Duration::from_secs(1);
/// How many times as long as making a report the time between two of them is at least: they take at most
/// 2 % of the time of a core.
const SHARE: u32 = 50;

/// Writes each figure as soon as its runs have finished, and refreshes the report, which says what is
/// still missing. Every file is complete whenever it is there. What is written at the end does not depend
/// on whether the reproduction was interrupted before.
#[derive(Debug)]
pub struct Publisher {
    folder: PathBuf,
    begun: Instant,
    /// When the next report may be written.
    next: Option<Instant>,
    /// Whether the report lacks a part that is complete.
    stale: bool,
    /// Whether the files of a part could not be written. This is tried again at the end.
    failed: bool,
}

impl Publisher {
    /// Writes to this folder, which is [prepared](super::prepare).
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            begun: Instant::now(),
            next: None,
            stale: false,
            failed: false,
        }
    }

    /// Writes what is complete now and was not before.
    pub fn take(&mut self, news: &News<'_>) {
        match news {
            News::Begun(_) => {}
            News::Run(_, found) => {
                if self.stale && self.next.is_none_or(|next| Instant::now() >= next) {
                    self.refresh(found);
                }
            }
            News::Part(part, found) => {
                self.failed |= found.write_part(*part, &self.folder).is_err();
                self.stale = true;
            }
            News::Stopped(found) => {
                if self.stale {
                    self.refresh(found);
                }
            }
        }
    }

    /// Writes the final report of a reproduction that took so many seconds, and returns its path.
    ///
    /// # Errors
    /// [`NotWritten`] for the first file that cannot be written.
    pub fn finish(self, found: &Reproduction, seconds: f64) -> Result<PathBuf, NotWritten> {
        match self.failed {
            true => found.write(&self.folder, seconds),
            false => found.write_page(&self.folder, seconds),
        }
    }

    fn refresh(&mut self, found: &Reproduction) {
        let begun = Instant::now();
        let seconds = self.begun.elapsed().as_secs_f64();
        // The report of the end tells of what is wrong with the folder.
        let _ = found.write_page(&self.folder, seconds);
        self.next = Some(Instant::now() + BETWEEN.max(begun.elapsed() * SHARE));
        self.stale = false;
    }
}
