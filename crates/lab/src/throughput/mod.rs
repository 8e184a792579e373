//! The throughput equations for people: from the terms that they know, as tables and as a figure.

mod figure;
mod table;
mod terms;

pub use figure::{of_rate, of_tcp};
pub use terms::{Equation, Model, Terms};
