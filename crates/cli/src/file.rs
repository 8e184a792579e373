//! Files that are written atomically, and error messages for files that cannot be written.

use std::fs;
use std::path::{Path, PathBuf};

pub use dumbbell_lab::file::{Unfinished, Unwritable, folder, is_special, write, write_all};

use crate::exit::Exit;

/// Checks that the file can be written, so that a failure comes before the work.
pub fn check(path: &Path) -> Result<(), Exit> {
    dumbbell_lab::file::check(path).map_err(|wrong| Exit::BadInput(wrong.to_string()))
}

/// Returns whether writing would overwrite something. A pipe or a device does not count.
pub fn holds_something(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(found) => found.is_file(),
        // A dangling link would be replaced.
        Err(_) => fs::symlink_metadata(path).is_ok(),
    }
}

/// Whether a path is standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A file of a command, and what messages call it: what it is, or the option that names it.
pub type Named<'a> = (&'a str, &'a Path);

/// Checks, before any work is done, that no written file replaces one that the command reads, or
/// another one that it writes, under whatever name.
pub fn apart(read: &[Named<'_>], written: &[Named<'_>]) -> Result<(), Exit> {
    for (at, (option, path)) in written.iter().enumerate() {
        if let Some((what, _)) = read.iter().find(|(_, other)| is_same(path, other)) {
            return Err(Exit::BadInput(format!(
                "{option} {} is the file of the {what}, which would be lost\n  = help: give {option} the name of another file",
                path.display()
            )));
        }
        if written[..at].iter().any(|(_, other)| is_same(path, other)) {
            return Err(Exit::BadInput(format!(
                "two outputs have the same path {}",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Whether both paths are of one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    place(one).is_some_and(|one| place(other) == Some(one))
}

/// The place of a file, the same for all paths to it. `None` for standard input and output. A file that
/// is not there has the place that it would have; a pipe or a device has its path, because a terminal is
/// both an input and an output.
fn place(path: &Path) -> Option<PathBuf> {
    if is_standard(path) {
        return None;
    }
    if is_special(path) {
        return Some(path.to_owned());
    }
    let whole = fs::canonicalize(path);
    let beside = || Some(fs::canonicalize(folder(path)).ok()?.join(path.file_name()?));
    Some(
        whole
            .ok()
            .or_else(beside)
            .unwrap_or_else(|| path.to_owned()),
    )
}
