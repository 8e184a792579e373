//! Sweeps: the runs of a scenario over many values of its own, as the table `[sweep]` of its file says.
//!
//! [`Sweep::read`] makes the points of a sweep, a scenario each; [`Sweep::run`] runs them, from a store
//! as far as they are there. `docs/sweep.md` describes the table.

mod axis;
mod condition;
mod execute;
mod facts;
mod filter;
pub mod page;
mod point;
mod read;
mod repeat;
pub mod schema;
mod span;
mod table;

pub use execute::{Found, Progress, Turn};
pub use point::{Path, Point, Setting};
pub use repeat::{Repeat, Seeds, Until};
pub use table::{Collector, Tables};

use crate::experiment::Measure;

/// A sweep: its points, and how often each is run.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Its name: that of the scenario, or of its file.
    pub name: String,
    /// The swept paths, in the order of the columns.
    pub paths: Vec<Path>,
    /// The points, the first axis slowest.
    pub points: Vec<Point>,
    /// How many points `where` excludes.
    pub excluded: usize,
    /// The number of runs of each point.
    pub repeat: Repeat,
    /// The first seed.
    pub seed: u64,
    /// Whether the points share their seeds.
    pub seeds: Seeds,
    /// Named measures of a run, if the file has any.
    pub measures: Vec<Measure>,
}
