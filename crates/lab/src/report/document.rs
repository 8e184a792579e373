//! What a report says, before it is a page.

use serde::Serialize;

use crate::claim::{Judgement, Verdict};
use crate::figure::{Kind, Lane, Rows};
use crate::matrix::{self, Matrix};

/// A whole report.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// How it was made.
    pub run: Run,
    /// The papers, in their order.
    pub papers: Vec<Paper>,
    /// Every control on every path, where that was wanted.
    #[serde(skip)]
    pub matrix: Option<Cross>,
}

/// The cross table.
#[derive(Clone, Debug)]
pub struct Cross {
    /// Its paths and controls.
    pub matrix: Matrix,
    /// What was measured. The files `matrix.csv`, and for each drawing `matrix-PATH.csv` and
    /// `matrix-PATH.svg` (`matrix-overall` of all paths), are expected beside the report.
    pub tables: Vec<matrix::Table>,
    /// The first and the last seed.
    pub seeds: (u64, u64),
}

/// How a report was made.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The version of Dumbbell.
    pub version: String,
    /// The fingerprint of the sources that made the numbers.
    pub fingerprint: String,
    /// The command that repeats it.
    pub command: String,
    /// The first seed.
    pub seed: u64,
    /// Fewer points and seeds than the papers' experiments ask for.
    pub quick: bool,
    /// Runs that were simulated now.
    pub simulated: usize,
    /// Runs that were kept from before.
    pub kept: usize,
    /// Elapsed time in seconds.
    pub seconds: f64,
}

/// A paper's figures.
#[derive(Clone, Debug, Serialize)]
pub struct Paper {
    /// Its folder's name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Authors, journal, year.
    pub citation: String,
    /// Its notes, as Markdown; empty where there are none.
    pub notes: String,
    /// Its figures.
    pub sections: Vec<Section>,
}

/// A figure.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// Its name on the command line, unique within the report.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Where the paper shows it.
    pub source: String,
    /// What one sees and what was assumed; empty where there is nothing to add.
    pub about: String,
    /// It is ours, not the paper's.
    pub added: bool,
    /// The drawings.
    pub drawings: Vec<Drawing>,
    /// The tables of measures.
    pub tables: Vec<Tabular>,
    /// The claims about it.
    pub claims: Vec<JudgedClaim>,
    /// The first and the last seed.
    pub seeds: (u64, u64),
    /// Parameters: names and values.
    pub parameters: Vec<(String, String)>,
    /// The quantity and unit of what is varied from place to place, if anything is.
    pub varied: Option<String>,
    /// The places that have names, with them.
    pub names: Vec<(f64, String)>,
    /// The scenario file of each point.
    pub points: Vec<PointFile>,
}

/// A drawing.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    /// What it shows, where the section's title is not enough; else nothing.
    pub title: String,
    /// How it is drawn.
    pub kind: Kind,
    /// The names of its files, without their endings `.svg` and `.csv`, beside the report.
    pub stem: String,
    /// The quantity and unit of the horizontal axis.
    pub x_label: String,
    /// The quantity and unit of the vertical axis.
    pub y_label: String,
    /// The horizontal axis is logarithmic.
    pub log_x: bool,
    /// It shows means over the seeds, and not one run.
    pub averaged: bool,
    /// The places of bars that have names, with them.
    pub names: Vec<(f64, String)>,
    /// Of a map: what its rows are.
    pub rows: Option<Rows>,
    /// The curves.
    pub series: Vec<Series>,
    /// The marks above them.
    pub marks: Option<Marks>,
}

/// What is marked above a drawing. The whole of it is the file `STEM.epochs.csv` beside the report.
#[derive(Clone, Debug, Serialize)]
pub struct Marks {
    /// The marks of each kind.
    pub lanes: Vec<Lane>,
    /// What they come to, in a sentence or two.
    pub summary: String,
}

/// A table: a row a curve, a column a measure.
#[derive(Clone, Debug, Serialize)]
pub struct Tabular {
    /// The name of its file beside the report, without the ending `.csv`.
    pub stem: String,
    /// The columns' quantities and units.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row's name, and for each column the mean and half the width of its 95 % interval.
pub type Row = (String, Vec<Option<(f64, f64)>>);

/// A curve: its points' coordinates, with the ends of the 95 % intervals. Where a section has one
/// seed there are no intervals, and their ends are not looked at.
///
/// A point whose curve and place are those of a [`PointFile`] is linked with it.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Places.
    pub x: Vec<f64>,
    /// Means.
    pub y: Vec<f64>,
    /// Lower ends of the intervals.
    pub low: Vec<f64>,
    /// Upper ends of the intervals.
    pub high: Vec<f64>,
}

/// A claim with its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedClaim {
    /// Its name within the figure.
    pub id: String,
    /// What the paper says.
    pub text: String,
    /// Where it says so.
    pub source: String,
    /// What was found.
    pub judgement: Judgement,
    /// The verdict that is on record for these settings, if there is one.
    pub recorded: Option<Verdict>,
    /// The points that it speaks of, as places among the section's [`points`](Section::points).
    pub points: Vec<usize>,
}

/// The scenario file of a point.
#[derive(Clone, Debug, Serialize)]
pub struct PointFile {
    /// The curve's name.
    pub series: String,
    /// The place.
    pub x: f64,
    /// The file's name.
    pub file: String,
    /// Its text.
    pub text: String,
}
