//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::exit::Exit;

/// Fails before the work, not after it.
pub fn check(path: &Path) -> Result<(), Exit> {
    let folder = folder(path);
    let reason = if path.is_dir() {
        "it is a folder".to_owned()
    } else if !folder.is_dir() {
        format!("there is no folder {}", folder.display())
    } else if is_special(path) {
        // Its reader would take a look for all that there is.
        return Ok(());
    } else {
        match Unfinished::try_create(path) {
            Ok(_) => return Ok(()),
            Err(reason) => reason.to_string(),
        }
    };
    Err(Exit::BadInput(format!(
        "cannot write {}: {reason}",
        path.display()
    )))
}

/// The folder that a file is in.
pub fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes a file under another name first. A pipe or a device is written to as it is.
pub fn write(path: &Path, text: &str) -> Result<(), Exit> {
    let (unfinished, mut file) = Unfinished::create(path)?;
    file.write_all(text.as_bytes())
        .map_err(|e| unwritable(path, &e))?;
    drop(file);
    unfinished.keep()
}

/// A pipe or a device.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// A file that cannot be written, in words.
pub fn unwritable(path: &Path, reason: &io::Error) -> Exit {
    Exit::Failed(format!("cannot write {}: {reason}", path.display()))
}

/// A file that has another name until it is whole. If it is not kept, it is removed.
pub struct Unfinished {
    path: PathBuf,
    /// What it is called meanwhile; none for a pipe or a device, which is written to as it is.
    name: Option<PathBuf>,
}

impl Unfinished {
    /// Creates a file that is to be kept as `path`.
    pub fn create(path: &Path) -> Result<(Self, File), Exit> {
        Self::try_create(path).map_err(|e| unwritable(path, &e))
    }

    fn try_create(path: &Path) -> io::Result<(Self, File)> {
        let name = (!is_special(path)).then(|| {
            let mut name = OsString::from(path);
            name.push(".unfinished");
            PathBuf::from(name)
        });
        let file = match &name {
            Some(name) => File::create(name),
            None => File::options().write(true).open(path),
        }?;
        let path = path.to_owned();
        Ok((Self { path, name }, file))
    }

    /// It is whole.
    pub fn keep(mut self) -> Result<(), Exit> {
        let Some(name) = &self.name else {
            return Ok(());
        };
        fs::rename(name, &self.path).map_err(|e| unwritable(&self.path, &e))?;
        self.name = None;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing to tell beyond the first failure.
            let _ = fs::remove_file(name);
        }
    }
}
