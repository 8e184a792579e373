//! A reproduction: papers, the runs of their figures, and the judgements on their claims.
//!
//! A [`Library`] holds the papers that can be reproduced, supplied as data. A part of it is
//! [`Chosen`] by name, a [`Plan`] determines the necessary runs, and their results form a
//! [`Reproduction`]. Every drawing, table and judgement is computed once; the code that prints,
//! draws or exports reads them from there.
//!
//! ```text
//! Library --choose--> Chosen --Plan::new--> Plan --run--> Reproduction --> files, a report, a terminal
//! ```

mod against;
mod choice;
mod document;
mod effect;
mod execution;
mod explored;
mod figure;
mod files;
mod folder;
mod library;
mod matrix;
mod null;
mod open;
mod order;
mod paper;
mod plan;
mod publisher;
mod record;
mod standing;
mod tables;
mod value;

pub use against::Against;
pub use choice::{Chosen, ChosenPaper, Incomparable, Unknown};
pub use effect::{Effect, Flip};
pub use execution::{Interrupted, News, Part};
pub use explored::{ChosenExploration, ReproducedExploration, ReproducedTrial};
pub use figure::{Judged, Panel, ReproducedFigure, Shown};
pub use files::{NotWritten, PAGE, prepare};
pub use folder::Folder;
pub use library::{About, EXPLORED, Library, MATRIX, Paper, USUAL_SEED};
pub use matrix::ReproducedMatrix;
pub use null::NullOutcome;
pub use open::Opened;
pub use paper::Record;
pub use plan::Plan;
pub use publisher::Publisher;
pub use record::Unrecordable;
pub use value::{Counts, Expected, ReproducedPaper, Reproduction};
