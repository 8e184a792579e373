//! The interface that all sorts of claims implement.

use std::fmt;

use super::reader::Reader;
use super::{Judgement, Table};

/// A statement about numbers.
pub(crate) trait Statement: fmt::Debug + Send + Sync {
    /// Judges the statement by measured values; `None` if a number is missing.
    fn judge(&self, table: &Table<'_>) -> Option<Judgement>;

    /// The curves that it names.
    fn curves(&self) -> Vec<&str>;

    /// The x values that it names; empty if it refers to all.
    fn places(&self) -> &[f64];

    /// The number that the paper prints for the first of its curves at its only x value, if it states
    /// one; if it names a second curve, the gain over that one in percent.
    fn printed(&self) -> Option<f64> {
        None
    }

    /// Whether it compares with all curves, and not only with those that it names.
    fn is_about_all(&self) -> bool {
        false
    }
}

/// A sort of statement: its name in descriptions, and its reader.
pub(crate) trait Sort: Statement + Sized + 'static {
    /// Its name in descriptions.
    const NAME: &'static str;
    /// An example of its value, for curves A and B and x values 1 and 2.
    const EXAMPLE: &'static str;

    /// Reads its keys. Mistakes are reported to `from`; the result is used only if there were none.
    fn read(from: &Reader<'_>) -> Option<Self>;
}
