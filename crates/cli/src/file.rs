//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::exit::Exit;

/// Fails before the work, not after it.
pub fn check(path: &Path) -> Result<(), Exit> {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let reason = if path.is_dir() {
        "it is a folder".to_owned()
    } else if !folder.is_dir() {
        format!("there is no folder {}", folder.display())
    } else {
        return Ok(());
    };
    Err(Exit::BadInput(format!(
        "cannot write {}: {reason}",
        path.display()
    )))
}

/// Writes a file under another name first. A pipe or a device is written to as it is.
pub fn write(path: &Path, text: &str) -> Result<(), Exit> {
    let done = if fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        fs::write(path, text)
    } else {
        replace(path, text)
    };
    done.map_err(|e| Exit::Failed(format!("cannot write {}: {e}", path.display())))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = OsString::from(path);
    name.push(".unfinished");
    let unfinished = PathBuf::from(name);
    let done = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path));
    if done.is_err() {
        // Nothing to tell beyond the first failure.
        let _ = fs::remove_file(&unfinished);
    }
    done
}
