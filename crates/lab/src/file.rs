//! Writes files completely or not at all.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file that cannot be written.
#[derive(Debug)]
pub struct Unwritable {
    path: PathBuf,
    reason: String,
}

impl Unwritable {
    /// Creates an error for a file, with the reason in words.
    pub fn new(path: &Path, reason: impl fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.reason)
    }
}

impl Error for Unwritable {}

/// Checks, before any work is done, whether a file can be written afterwards.
///
/// # Errors
/// [`Unwritable`] if it cannot be written.
pub fn check(path: &Path) -> Result<(), Unwritable> {
    let folder = folder(path);
    if path.is_dir() {
        Err(Unwritable::new(path, "it is a folder"))
    } else if !folder.is_dir() {
        let reason = format!("there is no folder {}", folder.display());
        Err(Unwritable::new(path, reason))
    } else if is_special(path) {
        // If a pipe were opened for this check, its reader would take that for the whole output.
        Ok(())
    } else {
        Unfinished::create(path).map(drop)
    }
}

/// The folder that a file is in.
pub fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes a file under a temporary name, which is then changed. A pipe or a device is written to
/// directly.
///
/// # Errors
/// [`Unwritable`] if it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), Unwritable> {
    let (unfinished, mut file) = Unfinished::create(path)?;
    file.write_all(text.as_bytes())
        .map_err(|e| Unwritable::new(path, e))?;
    drop(file);
    unfinished.keep()
}

/// Writes all of these files, or none: each is complete under a temporary name before any gets its own.
///
/// # Errors
/// [`Unwritable`] if one of them cannot be written.
pub fn write_all(files: &[(PathBuf, String)]) -> Result<(), Unwritable> {
    let mut unfinished: Vec<Unfinished> = Vec::new();
    for (path, text) in files {
        if path.is_dir() {
            return Err(Unwritable::new(path, "it is a folder"));
        }
        let (new, mut file) = Unfinished::create(path)?;
        file.write_all(text.as_bytes())
            .map_err(|e| Unwritable::new(path, e))?;
        unfinished.push(new);
    }
    // All of it is on the disk; what is left are changes of names.
    unfinished.into_iter().try_for_each(Unfinished::keep)
}

/// Whether a path is a pipe or a device.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// A file under a temporary name until it is complete. If it is not kept, it is removed.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    /// The temporary name; `None` for a pipe or a device, which is written to directly.
    name: Option<PathBuf>,
}

impl Unfinished {
    /// Creates a file that is to become `path`.
    ///
    /// # Errors
    /// [`Unwritable`] if it cannot be created.
    pub fn create(path: &Path) -> Result<(Self, File), Unwritable> {
        Self::try_create(path).map_err(|e| Unwritable::new(path, e))
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

    /// Gives the complete file its final name.
    ///
    /// # Errors
    /// [`Unwritable`] if it cannot be renamed.
    pub fn keep(mut self) -> Result<(), Unwritable> {
        let Some(name) = &self.name else {
            return Ok(());
        };
        fs::rename(name, &self.path).map_err(|e| Unwritable::new(&self.path, e))?;
        self.name = None;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // The first failure has already been reported.
            let _ = fs::remove_file(name);
        }
    }
}
