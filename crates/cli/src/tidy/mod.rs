//! Results in the terminal and in files, as tidy tables.

pub mod counts;
pub mod files;
pub mod grid;
pub mod groups;
pub mod json;
pub mod means;
pub mod samples;
pub mod screen;

pub use files::Tables;
