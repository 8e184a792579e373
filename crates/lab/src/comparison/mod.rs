//! A comparison of controls on one path, on real hosts and in the simulator: its drawings and its page.
//!
//! What was measured is handed in as numbers and words; who measured it, and how, is not known here.

mod drawings;
mod page;

use dumbbell_run::statistics::Estimate;

pub use drawings::Drawing;

/// Places of a window over time.
pub const PLACES: usize = 100;

/// Several controls on one path.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The name of the path.
    pub title: String,
    /// What is said of the path; empty where nothing is.
    pub about: String,
    /// What was compared, in a line.
    pub heading: String,
    /// What not to believe.
    pub warnings: Vec<String>,
    /// What was measured, as cells: the heads of the columns.
    pub heads: Vec<String>,
    /// A row a control.
    pub rows: Vec<Vec<String>>,
    /// The controls, for the drawings.
    pub contenders: Vec<Contender>,
    /// The first seed.
    pub first_seed: u64,
    /// How late packets left the emulator, in seconds: on average, and 99 % of them in the worst run.
    pub lateness: (f64, f64),
    /// The scenario, as a file has it.
    pub scenario: String,
}

/// A control on both hosts.
#[derive(Clone, Debug)]
pub struct Contender {
    /// What people call it.
    pub label: String,
    /// How many runs of the kernel there were.
    pub runs: usize,
    /// Goodput of the kernel, in bit/s.
    pub goodput: Option<Estimate>,
    /// Goodput that the simulator predicts, in bit/s.
    pub predicted_goodput: Option<Estimate>,
    /// The kernel's window in the run of the first seed: times in seconds, and segments.
    pub first_window: Vec<(f64, f64)>,
    /// The kernel's window, the mean of all runs.
    pub windows: Vec<(f64, Estimate)>,
    /// The simulator's window; none where it has no such control.
    pub predicted_windows: Option<Vec<(f64, Estimate)>>,
}
