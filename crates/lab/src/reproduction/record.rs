//! Puts the verdicts of a reproduction on record, in the folders of its papers.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use super::choice::Chosen;
use super::files::{NotWritten, merge};
use super::library::About;
use super::paper::Record;
use super::value::Reproduction;
use crate::claim::Verdicts;
use crate::file;

/// Why the verdicts of a reproduction cannot be put on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrecordable(String);

impl fmt::Display for Unrecordable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Unrecordable {}

impl Chosen {
    /// Checks, before any work is done, whether the verdicts can be put on record afterwards.
    ///
    /// # Errors
    /// [`Unrecordable`] if a paper has no folder, if a part of its record would belong to other
    /// settings than the rest, or if the record cannot be written.
    pub fn check_recordable(&self) -> Result<(), Unrecordable> {
        let refuse =
            |what: String, help: String| Err(Unrecordable(format!("{what}\n  = help: {help}")));
        let papers = self.papers.iter().map(|paper| &paper.about);
        let abouts: Vec<&About> = papers
            .chain(self.explorations.iter().map(|it| &it.about))
            .collect();
        if abouts.is_empty() {
            return refuse(
                "--record is about the verdicts of a paper, and none is named".to_owned(),
                "name the folder of a paper".to_owned(),
            );
        }
        for about in abouts {
            let name = &about.name;
            let Some(folder) = &about.folder else {
                return refuse(
                    format!("the paper {name} is compiled in, so its verdicts cannot be recorded"),
                    format!(
                        "name its folder: `dumbbell reproduce crates/papers/src/{name} --record` in the source tree"
                    ),
                );
            };
            for record in [Record::Figures, Record::Explored, Record::Null] {
                let path = folder.join(record.file(self.settings.quick));
                file::check(&path).map_err(|wrong| Unrecordable(wrong.to_string()))?;
            }
        }
        for paper in self.papers.iter().filter(|paper| !paper.whole) {
            let on_record = if self.null {
                paper.null_recorded.as_ref()
            } else {
                Some(&paper.recorded)
            };
            let other = on_record.filter(|it| !it.is_empty() && it.settings != self.settings);
            if let Some(other) = other {
                let quick = if other.settings.quick { " --quick" } else { "" };
                return refuse(
                    format!(
                        "the other verdicts on record of {} are those of other settings",
                        paper.about.name
                    ),
                    format!(
                        "record all of its figures, or add --seed {}{quick}",
                        other.settings.seed
                    ),
                );
            }
        }
        Ok(())
    }
}

impl Reproduction {
    /// Puts the verdicts on record, and returns the files. Those on other figures of a paper stay,
    /// unless all of its figures were reproduced.
    ///
    /// # Errors
    /// [`NotWritten`] for the first file that cannot be written.
    pub fn record(&self) -> Result<Vec<PathBuf>, NotWritten> {
        let quick = self.settings.quick;
        let mut written = Vec::new();
        for paper in &self.papers {
            let Some(folder) = &paper.about.folder else {
                continue;
            };
            let (record, verdicts) = match self.null {
                true => (Record::Null, paper.null_outcome().record),
                false => (Record::Figures, paper.verdicts.clone()),
            };
            let path = folder.join(record.file(quick));
            if paper.whole {
                replace(&path, &verdicts)?;
            } else {
                merge(&path, &verdicts)?;
            }
            written.push(path);
        }
        for explored in &self.explorations {
            if let Some(folder) = &explored.about.folder {
                let path = folder.join(Record::Explored.file(quick));
                replace(&path, &explored.verdicts)?;
                written.push(path);
            }
        }
        Ok(written)
    }
}

fn replace(path: &Path, verdicts: &Verdicts) -> Result<(), NotWritten> {
    Ok(file::write(path, &verdicts.write())?)
}
