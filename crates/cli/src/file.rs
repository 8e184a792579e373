//! Files that are written whole or not at all, and what a user hears of those that cannot be.

use std::path::Path;

pub use dumbbell_lab::file::{Unfinished, Unwritable, folder, is_special, write};

use crate::exit::Exit;

/// Fails before the work, not after it.
pub fn check(path: &Path) -> Result<(), Exit> {
    dumbbell_lab::file::check(path).map_err(|wrong| Exit::BadInput(wrong.to_string()))
}
