//! The papers that Dumbbell reproduces. A paper is a folder of data: for each figure, a scenario and a
//! description of what is varied, drawn and claimed; and the verdicts on record. The matrix, the table
//! that compares all controls, uses the paths of the papers.
#![forbid(unsafe_code)]

mod matrix;

use dumbbell_lab::claim::Verdicts;
use dumbbell_lab::experiment::{Experiment, Malformed};
use dumbbell_lab::exploration::Exploration;
use dumbbell_lab::reproduction::{About, Library, Paper};
use serde::Deserialize;

pub use matrix::matrix;

/// The files of a paper's folder.
#[derive(Clone, Copy)]
struct Source {
    /// The folder's name, which is also the paper's name on the command line.
    name: &'static str,
    about: &'static str,
    /// Its notes, as Markdown: assumptions, claims that do not hold, errata.
    notes: &'static str,
    figures: &'static [Figure],
    full: &'static str,
    quick: &'static str,
    /// Other readings of its text, and the verdicts under them.
    explored: &'static str,
    explored_full: &'static str,
    explored_quick: &'static str,
    /// The claims that hold although every curve is the baseline.
    null: &'static str,
}

/// A figure's description, and the scenario that it varies: see [`dumbbell_lab::experiment`].
#[derive(Clone, Copy)]
struct Figure {
    /// The description's file, for error messages.
    file: &'static str,
    description: &'static str,
    scenario: &'static str,
}

/// The contents of `paper.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// Its title.
    title: String,
    /// Authors, journal and year.
    citation: String,
    /// The settings of each protocol, by the name of its curve.
    #[serde(default, rename = "protocol")]
    protocols: toml::Table,
}

macro_rules! papers {
    ($( $paper:literal { $( $figure:literal: $scenario:literal, )+ } )+) => {
        /// All papers, in the order in which they are reproduced.
        const PAPERS: &[Source] = &[ $( Source {
            name: $paper,
            about: include_str!(concat!($paper, "/paper.toml")),
            notes: include_str!(concat!($paper, "/NOTES.md")),
            figures: &[ $( Figure {
                file: concat!($paper, "/", $figure, ".toml"),
                description: include_str!(concat!($paper, "/", $figure, ".toml")),
                scenario: include_str!(concat!($paper, "/", $scenario, ".scenario.toml")),
            }, )+ ],
            full: include_str!(concat!($paper, "/verdicts.toml")),
            quick: include_str!(concat!($paper, "/verdicts.quick.toml")),
            explored: include_str!(concat!($paper, "/explored.toml")),
            explored_full: include_str!(concat!($paper, "/explored.verdicts.toml")),
            explored_quick: include_str!(concat!($paper, "/explored.verdicts.quick.toml")),
            null: include_str!(concat!($paper, "/null.toml")),
        }, )+ ];
    };
}

// Each figure with the scenario that it varies.
papers! {
    "venodb" {
        "fig2": "single",
        "fig3": "single",
        "fig4": "single",
        "fig5": "reverse",
        "fig6": "five",
        "fig7": "five",
        "fig8": "five",
        "fig9": "two-rtts",
        "fig10": "two-rtts",
        "fig11": "friendly",
        "fig12": "friendly",
        "ablation": "single",
        "ablation-reverse": "reverse",
        "ablation-settings": "single",
        "ablation-reverse-settings": "reverse",
        "today": "single",
        "related": "single",
    }
    "dynamics" {
        "fig4a": "pair",
        "fig4b": "pair",
        "fig5": "pair",
        "fig6": "four",
        "fig7": "late",
        "fig8": "late",
        "fig9": "late",
        "table1": "late",
    }
    "rovegas" {
        "fig4": "single",
        "fig5": "single",
        "fig6": "parking",
        "fig7": "parking",
        "fig8": "shared",
        "fig9": "parking",
        "related": "single",
    }
    "sarbe" {
        "fig2a": "background",
        "fig2b": "two-way",
        "fig3b": "wireless",
        "fig4a": "wireless",
        "fig4b": "wireless",
        "fig4c": "wireless",
        "fig5a": "ten",
        "fig5b": "ten",
        "predictors": "wireless",
        "predictors-ten": "ten",
        "predictors-paths": "paths",
    }
    "tfrc-veno" {
        "fig3a": "eight",
        "fig3b": "eight",
        "fig4a": "live",
        "fig4b": "live",
        "fig7a": "alike",
        "fig7b": "alike-states",
        "fig8a": "alike",
        "fig8b": "alike-states",
        "fig9": "alike",
        "fig10a": "alike",
        "fig10b": "alike-states",
        "fig11a": "alike",
        "fig11b": "alike-states",
        "fig12a": "mixed",
        "fig12b": "mixed-states",
        "fig13a": "mixed",
        "fig13b": "mixed-states",
        "fig14a": "mixed",
        "fig14b": "mixed-states",
        "fig15a": "mixed",
        "fig15b": "mixed-states",
        "table1": "table1",
        "table2": "table2",
        "variants": "variants",
        "settings": "mixed",
        "study-theta": "study",
        "study-beta": "study",
        "study-memory": "study",
    }
}

/// Returns all papers and the matrix, ready to be reproduced.
///
/// # Errors
/// [`Malformed`] if a folder of this crate is malformed, which a test excludes.
pub fn library() -> Result<Library, Malformed> {
    let papers = PAPERS.iter().map(Source::paper);
    Ok(Library {
        papers: papers.collect::<Result<_, _>>()?,
        matrix: matrix()?,
    })
}

impl Source {
    /// Parses the paper.
    fn paper(&self) -> Result<Paper, Malformed> {
        let header = self.header()?;
        let experiments = self.experiments(&header.protocols)?;
        let file = format!("{}/explored.toml", self.name);
        Ok(Paper {
            exploration: Exploration::parse(&file, self.explored, &experiments)?,
            explored_full: self.verdicts(self.explored_full)?,
            explored_quick: self.verdicts(self.explored_quick)?,
            null: self.verdicts(self.null)?,
            experiments,
            full: self.verdicts(self.full)?,
            quick: self.verdicts(self.quick)?,
            about: About {
                name: self.name.to_owned(),
                title: header.title,
                citation: header.citation,
                notes: self.notes.to_owned(),
            },
        })
    }

    /// Parses `paper.toml`.
    fn header(&self) -> Result<Header, Malformed> {
        let read = toml::from_str(self.about);
        read.map_err(|error| Malformed::new(format!("{}: {error}", self.name)))
    }

    /// Parses the paper's experiments, which may use the settings of these protocols.
    fn experiments(&self, protocols: &toml::Table) -> Result<Vec<Experiment>, Malformed> {
        let parse = |figure: &Figure| {
            Experiment::parse(figure.file, figure.description, figure.scenario, protocols)
        };
        self.figures.iter().map(parse).collect()
    }

    /// Parses a record of verdicts.
    fn verdicts(&self, text: &str) -> Result<Verdicts, Malformed> {
        let read = Verdicts::parse(text);
        read.map_err(|error| Malformed::new(format!("{}: {error}", self.name)))
    }
}

#[cfg(test)]
mod tests;
