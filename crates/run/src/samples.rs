//! Writes sampled series as text for other programs.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::csv::quoted;
use crate::outcome::Outcome;
use crate::probe::{Reading, Series, Subject};

/// The format of written samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line per sample.
    Csv,
    /// An array with one object per series.
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Csv, Self::Json];

    /// The format for a file name extension.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        Self::ALL
            .into_iter()
            .find(|format| ending.eq_ignore_ascii_case(format.ending()))
    }

    /// The file name extension, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Writes the samples of a run in this format.
    pub fn write(self, outcome: &Outcome, series: &[Series]) -> String {
        match self {
            Self::Csv => csv(outcome, series),
            Self::Json => json(outcome, series),
        }
    }
}

/// One line per sample: time in seconds, flow or link, quantity, and value in the unit of the
/// series. Words are in a separate column.
fn csv(outcome: &Outcome, series: &[Series]) -> String {
    let mut text = String::from("time_s,subject,quantity,value,word\n");
    for one in series {
        let subject = quoted(subject(outcome, one));
        let quantity = quoted(&one.quantity);
        for (time, reading) in &one.points {
            let (value, word) = match reading {
                Reading::Number(number) => (number.to_string(), String::new()),
                Reading::Word(word) => (String::new(), quoted(word)),
            };
            writeln!(text, "{time},{subject},{quantity},{value},{word}")
                .expect("a string takes everything");
        }
    }
    text
}

/// One object per line: subject, quantity, times in seconds, and as many values, which are numbers
/// or words.
fn json(outcome: &Outcome, series: &[Series]) -> String {
    #[derive(Serialize)]
    struct Row<'a> {
        subject: &'a str,
        quantity: &'a str,
        time_s: Vec<f64>,
        value: Vec<Known>,
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Known {
        Number(f64),
        Word(&'static str),
    }
    let row = |one: &Series| {
        let known = |reading: &Reading| match *reading {
            Reading::Number(number) => Known::Number(number),
            Reading::Word(word) => Known::Word(word),
        };
        let row = Row {
            subject: subject(outcome, one),
            quantity: &one.quantity,
            time_s: one.points.iter().map(|(time, _)| *time).collect(),
            value: one
                .points
                .iter()
                .map(|(_, reading)| known(reading))
                .collect(),
        };
        serde_json::to_string(&row).expect("numbers and words")
    };
    let rows: Vec<String> = series.iter().map(row).collect();
    format!("[{}]\n", rows.join(",\n"))
}

fn subject<'o>(outcome: &'o Outcome, series: &Series) -> &'o str {
    match series.subject {
        Subject::Flow(flow) => &outcome.flows[flow].name,
        Subject::Link(link) => &outcome.links[link].name,
    }
}
