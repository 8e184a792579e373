//! The store of finished runs.

mod jobs;
mod runs;
