//! Explorations: other readings of a paper's text, tried on all figures that they touch.
//!
//! A paper leaves things open. The figures are run under one reading of its text, the one taken. An
//! exploration is data, too: each [`Reading`] names the figures that it touches and what it changes
//! in their scenarios ([`Changes`](crate::experiment::Changes)). A [`Trial`] is a figure under a reading, with its claims.

mod reading;

use std::collections::BTreeMap;

pub use reading::Reading;

use crate::description::{self, Keys, Malformed, is_word};
use crate::experiment::{Experiment, Null};

/// The other readings of a paper's text.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Its title.
    pub title: String,
    /// What is varied and why, in a few sentences for the report.
    pub about: String,
    /// The most runs of each point, at least one.
    pub repeat: u64,
    /// The most runs of each point of a quick exploration, at least one.
    pub quick: u64,
    /// The readings.
    pub readings: Vec<Reading>,
    /// What makes every curve the baseline.
    pub null: Null,
}

/// A figure under a reading of the text.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The reading, by its position; `None` for the one taken.
    pub reading: Option<usize>,
    /// The name of the figure.
    pub figure: String,
    /// The figure under the reading: its name is `FIGURE.READING`, or the figure's under the
    /// reading taken.
    pub experiment: Experiment,
}

impl Exploration {
    /// Reads an exploration of a paper that has these figures. `file` is the name under which
    /// mistakes are reported.
    ///
    /// # Errors
    /// [`Malformed`] with every mistake and its place: an unknown key, figure or reading.
    pub fn parse(file: &str, text: &str, figures: &[Experiment]) -> Result<Self, Malformed> {
        let figures: Vec<&str> = figures.iter().map(|it| it.name.as_str()).collect();
        description::read(file, text, |keys| read(keys, &figures))
    }

    /// The figures under the reading taken and then under each reading that concerns them, with as
    /// many runs as the exploration asks for. `quick` has fewer points and fewer runs.
    ///
    /// # Errors
    /// [`Malformed`] if a reading changes nothing in one of its figures.
    pub fn trials(&self, figures: &[Experiment], quick: bool) -> Result<Vec<Trial>, Malformed> {
        let of_name: BTreeMap<&str, &Experiment> =
            figures.iter().map(|it| (it.name.as_str(), it)).collect();
        let small = |figure: &Experiment| {
            let mut figure = figure.clone();
            if quick {
                figure = figure.quick();
            }
            figure.repeat = figure
                .repeat
                .min(if quick { self.quick } else { self.repeat });
            figure
        };
        let touched = |name: &str| {
            let mut readings = self.readings.iter();
            readings.any(|reading| reading.figures.iter().any(|figure| figure == name))
        };
        let mut trials = Vec::new();
        for figure in figures.iter().filter(|figure| touched(&figure.name)) {
            trials.push(Trial {
                reading: None,
                figure: figure.name.clone(),
                experiment: small(figure),
            });
        }
        for (at, reading) in self.readings.iter().enumerate() {
            for name in &reading.figures {
                let Some(figure) = of_name.get(name.as_str()) else {
                    continue;
                };
                trials.push(Trial {
                    reading: Some(at),
                    figure: name.clone(),
                    experiment: small(figure).under(&reading.name, &reading.changes)?,
                });
            }
        }
        Ok(trials)
    }
}

fn read(keys: &Keys<'_>, figures: &[&str]) -> Option<Exploration> {
    let title = keys.text("title", "\"VenoDB: other readings of the text\"");
    let about = keys.text_if_any("about");
    let repeat = keys.count("repeat", "10");
    let quick = keys.count("quick", "2");
    let null = keys.find("null").map(|node| Null::read(&node));
    let mut readings: Vec<Reading> = Vec::new();
    let mut whole = true;
    for node in keys.items("reading") {
        let Some(reading) = Reading::read(&node, figures, &readings) else {
            whole = false;
            continue;
        };
        if readings.iter().any(|other| other.name == reading.name) {
            node.part("name").unwrap_or(node.clone()).wrong(
                format!("`{}` is there twice", reading.name),
                "names of readings differ",
            );
        }
        readings.push(reading);
    }
    keys.done();
    Some(Exploration {
        title: title?,
        about,
        repeat: repeat?,
        quick: quick?,
        readings: whole.then_some(readings)?,
        null: null.unwrap_or_else(|| Some(Null::default()))?,
    })
}

/// Whether a name can be that of a reading: a word, and not one of the words of a record.
fn is_name(name: &str) -> bool {
    is_word(name) && name != "settings"
}
