//! A comparison of controls on one path, on real hosts and in the simulator: its drawings and its page.
//!
//! The caller supplies the measurements as numbers and text; this module does not know how they
//! were made.

mod beside;
mod drawings;
mod page;

use dumbbell_run::statistics::Estimate;

pub use beside::{Beside, Connections};
pub use drawings::Drawing;

/// The number of points of a window over time.
pub const PLACES: usize = 100;

/// Several controls on one path.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The name of the path.
    pub title: String,
    /// What the page is about, after the name of the path: "controls compared".
    pub kind: &'static str,
    /// How the numbers are defined: paragraphs of HTML.
    pub defined: &'static str,
    /// The name of the file with everything as JSON.
    pub json: &'static str,
    /// A description of the path; may be empty.
    pub about: String,
    /// What was compared, in one line.
    pub heading: String,
    /// Reasons to distrust the results.
    pub warnings: Vec<String>,
    /// The column headings of the table of results.
    pub heads: Vec<String>,
    /// The rows of that table, one per control.
    pub rows: Vec<Vec<String>>,
    /// Further tables: the compared quantities, and what makes them differ.
    pub compared: Vec<Titled>,
    /// The controls, for the drawings.
    pub contenders: Vec<Contender>,
    /// If connections ran beside each other, how they shared the path.
    pub beside: Option<Beside>,
    /// The first seed.
    pub first_seed: u64,
    /// How late packets left the emulator, in seconds: the mean, and the 99th percentile of the
    /// worst run.
    pub lateness: (f64, f64),
    /// How many repetitions of runs there were, because the machine was too slow.
    pub repeated: u32,
    /// What the comparison was made with: names, and what they are.
    pub facts: Vec<(&'static str, String)>,
    /// The scenario, as the text of its file.
    pub scenario: String,
}

/// A table with a title.
#[derive(Clone, Debug)]
pub struct Titled {
    /// What it shows.
    pub title: String,
    /// The column headings.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// A control's results on several hosts.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its name for readers.
    pub label: String,
    /// The number of real runs.
    pub runs: usize,
    /// The hosts on which it ran, a real one first.
    pub hosts: Vec<OnHost>,
}

/// A control's results on a host, such as the kernel or the simulator.
#[derive(Clone, Debug)]
pub struct OnHost {
    /// The host's name for readers.
    pub host: &'static str,
    /// The goodput, in bit/s.
    pub goodput: Option<Estimate>,
    /// The window in the run with the first seed: times in seconds, and segments. Empty if it is not to be drawn.
    pub first_window: Vec<(f64, f64)>,
    /// The window, the mean of all runs.
    pub windows: Vec<(f64, Estimate)>,
}
