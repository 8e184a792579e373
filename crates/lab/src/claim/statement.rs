//! What every sort of claim has.

use std::fmt;

use super::reader::Reader;
use super::{Judgement, Table};

/// A statement about numbers.
pub(crate) trait Statement: fmt::Debug + Send + Sync {
    /// What measured values say of it; none where a number is missing.
    fn judge(&self, table: &Table<'_>) -> Option<Judgement>;

    /// The curves that it names.
    fn curves(&self) -> Vec<&str>;

    /// The places that it names; none where it speaks of all.
    fn places(&self) -> &[f64];

    /// It compares with all curves, not only with those that it names.
    fn is_about_all(&self) -> bool {
        false
    }
}

/// A sort of statement: its name in descriptions, and how it is read.
pub(crate) trait Sort: Statement + Sized + 'static {
    /// Its name in descriptions.
    const NAME: &'static str;
    /// What one writes behind the name, for curves A and B and places 1 and 2.
    const EXAMPLE: &'static str;

    /// Reads its keys. What is wrong is noted; what is returned is used only if nothing was.
    fn read(from: &Reader<'_>) -> Option<Self>;
}
