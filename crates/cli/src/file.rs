//! Files that are written atomically, and error messages for files that cannot be written.

use std::path::Path;

pub use dumbbell_lab::file::{Unfinished, Unwritable, folder, is_special, write};

use crate::exit::Exit;

/// Checks that the file can be written, so that a failure comes before the work.
pub fn check(path: &Path) -> Result<(), Exit> {
    dumbbell_lab::file::check(path).map_err(|wrong| Exit::BadInput(wrong.to_string()))
}
