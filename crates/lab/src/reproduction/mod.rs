//! A reproduction: papers, the runs of their figures, and what became of their claims.
//!
//! A [`Library`] is what can be reproduced: papers are handed in as data. Some of it is [`Chosen`] by
//! name, a [`Plan`] knows the runs that it takes, and what they give is a [`Reproduction`]: every
//! drawing, table and judgement is made once, and whoever prints, draws or exports reads them there.
//!
//! ```text
//! Library --choose--> Chosen --Plan::new--> Plan --run--> Reproduction --> files, a report, a terminal
//! ```

mod choice;
mod document;
mod figure;
mod files;
mod library;
mod matrix;
mod plan;
mod value;

pub use choice::{Chosen, ChosenPaper, Incomparable, Unknown};
pub use figure::{Judged, Panel, ReproducedFigure, Shown};
pub use files::{NotWritten, PAGE, prepare};
pub use library::{About, Library, MATRIX, Paper, USUAL_SEED};
pub use matrix::ReproducedMatrix;
pub use plan::{Interrupted, Plan};
pub use value::{Against, Counts, ReproducedPaper, Reproduction};
