//! Which papers and figures.

use std::fs;
use std::path::Path;

use dumbbell_lab::claim::{Settings, Verdict, Verdicts};
use dumbbell_lab::experiment::Experiment;
use dumbbell_papers::{About, PAPERS};

use super::{files, matrix};
use crate::exit::Exit;

/// A paper with those of its experiments that are wanted.
pub struct Chosen {
    pub name: &'static str,
    pub about: About,
    /// Its notes, as Markdown.
    pub notes: &'static str,
    pub experiments: Vec<Experiment>,
    /// The verdicts to compare with.
    pub recorded: Verdicts,
}

impl Chosen {
    /// The verdict on record, if these are the settings that it is for.
    pub fn recorded(&self, settings: Settings, experiment: &str, claim: &str) -> Option<Verdict> {
        (self.recorded.settings == settings)
            .then(|| self.recorded.get(experiment, claim))
            .flatten()
    }
}

/// The experiments of all papers, in order.
pub fn experiments(chosen: &[Chosen]) -> impl Iterator<Item = &Experiment> {
    chosen.iter().flat_map(|paper| &paper.experiments)
}

/// The papers and figures of these names; all without one.
pub fn read(names: &[String], quick: bool, against: Option<&Path>) -> Result<Vec<Chosen>, Exit> {
    let mut all = Vec::new();
    for paper in PAPERS {
        let mut experiments = paper
            .experiments()
            .map_err(|e| Exit::Failed(e.to_string()))?;
        if quick {
            experiments = experiments.into_iter().map(Experiment::quick).collect();
        }
        all.push(Chosen {
            name: paper.name,
            about: paper.about().map_err(Exit::Failed)?,
            notes: paper.notes,
            experiments,
            recorded: paper.verdicts(quick).map_err(Exit::Failed)?,
        });
    }
    for name in names {
        let known = |paper: &Chosen| {
            paper.name == name || paper.experiments.iter().any(|e| e.name == *name)
        };
        if name != matrix::NAME && !all.iter().any(known) {
            return Err(unknown(name, &all));
        }
    }
    if !names.is_empty() {
        for paper in &mut all {
            if !names.iter().any(|name| name == paper.name) {
                paper.experiments.retain(|e| names.contains(&e.name));
            }
        }
        all.retain(|paper| !paper.experiments.is_empty());
    }
    if let Some(folder) = against {
        for paper in &mut all {
            paper.recorded = earlier(folder, paper.name)?;
        }
    }
    Ok(all)
}

/// The verdicts that an earlier reproduction wrote.
fn earlier(folder: &Path, paper: &str) -> Result<Verdicts, Exit> {
    let path = folder.join(files::record(paper));
    let wrong = |what: String| {
        Exit::BadInput(format!(
            "cannot compare with {}: {what}\n  = help: a folder that `dumbbell reproduce --out` wrote is wanted",
            path.display()
        ))
    };
    let text = fs::read_to_string(&path).map_err(|e| wrong(e.to_string()))?;
    Verdicts::parse(&text).map_err(wrong)
}

fn unknown(name: &str, all: &[Chosen]) -> Exit {
    let known: Vec<&str> = all
        .iter()
        .flat_map(|paper| {
            let figures = paper.experiments.iter().map(|e| e.name.as_str());
            std::iter::once(paper.name).chain(figures)
        })
        .chain([matrix::NAME])
        .collect();
    Exit::BadInput(format!(
        "there is no paper or figure `{name}`; there are: {}",
        known.join(", ")
    ))
}
