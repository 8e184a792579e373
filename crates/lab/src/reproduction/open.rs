//! The folders among the arguments of a command, beside the papers that are compiled in.

use std::fs;
use std::path::{Path, PathBuf};

use dumbbell_scenario::controls::Controls;

use super::explored::exploration_name;
use super::folder::Folder;
use super::library::{EXPLORED, Library, Paper};
use crate::description::Malformed;

/// A library with the papers of folders, and what of it is named.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The papers of the folders, and the others.
    pub library: Library,
    /// Names of papers, figures and explorations.
    pub names: Vec<String>,
}

impl Library {
    /// Reads the folders among these arguments. The others are names, which belong to the papers of
    /// the folders first. A folder stands for all of its figures, unless figures or the exploration
    /// of it are named, too; and `explored`, beside folders, for their explorations.
    ///
    /// # Errors
    /// [`Malformed`] if a folder is not that of a paper, if one of its files has mistakes, or if
    /// two papers or figures have the same name.
    pub fn open(mut self, arguments: &[String], controls: &Controls) -> Result<Opened, Malformed> {
        let mut papers: Vec<Paper> = Vec::new();
        let mut seen: Vec<PathBuf> = Vec::new();
        let (folders, names): (Vec<&String>, Vec<&String>) =
            arguments.iter().partition(|it| Folder::is_meant_by(it));
        for folder in &folders {
            let path = Path::new(folder);
            let opened = Folder::open(path)?;
            let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            if seen.contains(&full) {
                continue;
            }
            seen.push(full);
            papers.push(Paper::read(&opened, controls)?);
        }
        let mut names: Vec<String> = names.into_iter().cloned().collect();
        if !papers.is_empty() && names.iter().any(|name| name == EXPLORED) {
            names.retain(|name| name != EXPLORED);
            names.extend(
                papers
                    .iter()
                    .map(|paper| exploration_name(&paper.about.name)),
            );
        }
        for paper in &papers {
            let about = &paper.about;
            let explored = exploration_name(&about.name);
            if names.contains(&explored) && paper.exploration.readings.is_empty() {
                return Err(Malformed::new(format!(
                    "{} has no other readings of its text\n  = help: write them into explored.toml in this folder",
                    place(paper)
                )));
            }
            let of_it = |name: &String| {
                *name == explored || paper.experiments.iter().any(|it| it.name == *name)
            };
            if !names.iter().any(of_it) {
                names.push(about.name.clone());
            }
        }
        self.papers
            .retain(|paper| papers.iter().all(|own| own.about.name != paper.about.name));
        for paper in &mut self.papers {
            if !names.contains(&paper.about.name) {
                let own = |name: &str| {
                    papers
                        .iter()
                        .flat_map(|it| &it.experiments)
                        .any(|it| it.name == name)
                };
                paper.experiments.retain(|it| !own(&it.name));
            }
        }
        papers.append(&mut self.papers);
        self.papers = papers;
        check_names(&self.papers, &names)?;
        Ok(Opened {
            library: self,
            names,
        })
    }
}

/// Checks that no two papers, and no two figures that are named, have the same name.
fn check_names(papers: &[Paper], names: &[String]) -> Result<(), Malformed> {
    let mut seen: Vec<(&str, &Paper)> = Vec::new();
    for paper in papers {
        let all = names.is_empty() || names.contains(&paper.about.name);
        let figures = paper.experiments.iter().map(|it| &it.name);
        let figures = figures.filter(|name| all || names.contains(name));
        for name in [&paper.about.name].into_iter().chain(figures) {
            if let Some((_, other)) = seen.iter().find(|(known, _)| known == name) {
                return Err(Malformed::new(format!(
                    "`{name}` is in {} and in {}\n  = help: change the name in one of them, or reproduce one after the other",
                    place(other),
                    place(paper)
                )));
            }
            seen.push((name, paper));
        }
    }
    Ok(())
}

fn place(paper: &Paper) -> String {
    match &paper.about.folder {
        Some(folder) => folder.display().to_string(),
        None => format!("the paper {}, which is compiled in", paper.about.name),
    }
}
