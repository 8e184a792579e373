//! The contents of a report, before they become a page.

use serde::Serialize;

use crate::claim::{self, Judgement, Standing, Verdict};
use crate::figure::{Kind, Lane, Rows};
use crate::matrix::{self, Matrix};

/// A whole report.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// How the report was made.
    pub run: Run,
    /// The names and the titles of the figures that are still to come; none if the report is complete.
    pub missing: Vec<(String, String)>,
    /// The papers, in their order.
    pub papers: Vec<Paper>,
    /// The explorations, if requested.
    pub explorations: Vec<Exploration>,
    /// Every control on every path, if requested.
    #[serde(skip)]
    pub matrix: Option<Cross>,
}

/// An exploration of a paper: other readings of its text.
#[derive(Clone, Debug, Serialize)]
pub struct Exploration {
    /// Its name on the command line. The file `NAME.csv` is expected beside the report.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What is varied and why; may be empty.
    pub about: String,
    /// The readings.
    pub readings: Vec<Reading>,
}

/// A reading of a paper's text, and what it does to the verdicts.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// The reading, in a few words.
    pub title: String,
    /// What the text leaves open, and what speaks for and against the reading.
    pub about: String,
    /// The names of the figures that it touches.
    pub figures: Vec<String>,
    /// The number of claims about them.
    pub claims: usize,
    /// How many of them hold under the reading taken.
    pub held: usize,
    /// How many of them hold under this reading.
    pub hold: usize,
    /// How many of them are not decided under this reading, or not testable.
    pub undecided: usize,
    /// Whether it contradicts what the paper prints.
    pub contrary: bool,
    /// Claims that hold under this reading only.
    pub gained: Vec<Flip>,
    /// Claims that hold under the reading taken only: the price.
    pub lost: Vec<Flip>,
}

/// A claim whose verdict a reading changes.
#[derive(Clone, Debug, Serialize)]
pub struct Flip {
    /// The figure's name.
    pub figure: String,
    /// The claim's id.
    pub claim: String,
    /// The claim; empty if it is not known.
    pub text: String,
    /// The verdict under the reading taken.
    pub taken: Verdict,
    /// The verdict under this reading.
    pub now: Verdict,
    /// The result of the runs under this reading, if they were made now.
    pub here: Option<String>,
}

/// The matrix of all controls on all paths.
#[derive(Clone, Debug)]
pub struct Cross {
    /// Its paths and controls.
    pub matrix: Matrix,
    /// The results. The files `matrix.csv`, and for each drawing `matrix-PATH.csv` and
    /// `matrix-PATH.svg` (`matrix-overall` for all paths), are expected beside the report.
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
    /// Whether fewer points and seeds were used than the papers' experiments require.
    pub quick: bool,
    /// Runs that were simulated for this report.
    pub simulated: usize,
    /// Runs that were taken from the store.
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
    /// Its notes, as Markdown; may be empty.
    pub notes: String,
    /// Other readings of its text, by the verdicts on record.
    pub readings: Vec<Reading>,
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
    /// The section or figure of the paper.
    pub source: String,
    /// What the figure shows and what was assumed; may be empty.
    pub about: String,
    /// Whether the figure is ours and not the paper's.
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
    /// The quantity and unit of the x values, if something is varied.
    pub varied: Option<String>,
    /// The x values that have names, with these names.
    pub names: Vec<(f64, String)>,
    /// The scenario file of each point.
    pub points: Vec<PointFile>,
}

/// A drawing.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    /// Its title; empty if the section's title is enough.
    pub title: String,
    /// How it is drawn.
    pub kind: Kind,
    /// The names of its files beside the report, without the extensions `.svg` and `.csv`.
    pub stem: String,
    /// The quantity and unit of the horizontal axis.
    pub x_label: String,
    /// The quantity and unit of the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether it shows means over the seeds, and not one run.
    pub averaged: bool,
    /// Names of x values, for bars.
    pub names: Vec<(f64, String)>,
    /// For a map: its rows.
    pub rows: Option<Rows>,
    /// The curves.
    pub series: Vec<Series>,
    /// The markers above the curves.
    pub marks: Option<Marks>,
}

/// The markers above a drawing. The complete data is in the file `STEM.epochs.csv` beside the
/// report.
#[derive(Clone, Debug, Serialize)]
pub struct Marks {
    /// The markers of each kind.
    pub lanes: Vec<Lane>,
    /// A summary in one or two sentences.
    pub summary: String,
}

/// A table: one row per curve, one column per measure.
#[derive(Clone, Debug, Serialize)]
pub struct Tabular {
    /// The name of its file beside the report, without the extension `.csv`.
    pub stem: String,
    /// The columns' quantities and units.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row's name, and for each column the mean and half the width of its 95 % interval, if it has one.
pub type Row = (String, Vec<Option<(f64, Option<f64>)>>);

/// A curve: the coordinates of its points, with the ends of the 95 % intervals. If a section has
/// only one seed, there are no intervals, and their ends are ignored.
///
/// A point with the curve and the x value of a [`PointFile`] is linked to that file.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// The x values.
    pub x: Vec<f64>,
    /// The means.
    pub y: Vec<f64>,
    /// The lower ends of the intervals.
    pub low: Vec<f64>,
    /// The upper ends of the intervals.
    pub high: Vec<f64>,
    /// Whether a mean is the number of one run, which has no interval.
    pub one_run: Vec<bool>,
}

/// A claim with its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedClaim {
    /// Its name within the figure.
    pub id: String,
    /// The paper's statement.
    pub text: String,
    /// The section or figure of the paper that states it.
    pub source: String,
    /// Whose claim it is, and whether it counts.
    pub kind: claim::Kind,
    /// If it is a sentence of the paper, judged first: how the sentence stands.
    pub stands: Option<Standing>,
    /// The judgement.
    pub judgement: Judgement,
    /// The recorded verdict for these settings, if there is one.
    pub recorded: Option<Verdict>,
    /// The points to which it refers, as positions in the section's [`points`](Section::points).
    pub points: Vec<usize>,
}

/// The scenario file of a point.
#[derive(Clone, Debug, Serialize)]
pub struct PointFile {
    /// The curve's name.
    pub series: String,
    /// The x value.
    pub x: f64,
    /// The file's name.
    pub file: String,
    /// Its text.
    pub text: String,
}
