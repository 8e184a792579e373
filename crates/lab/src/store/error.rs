//! Why a store fails, and what to do about it.

use std::fmt;
use std::path::Path;

use rusqlite::ErrorCode;

/// Why a store cannot be used. Its text names the file and says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// The file; `(in memory)` for a store without one.
    pub file: String,
    /// What is wrong.
    pub trouble: Trouble,
    /// The reason in the words of who noticed.
    pub reason: String,
}

/// What can be wrong with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The file cannot be opened or made.
    Unopenable,
    /// The file is something else.
    Foreign,
    /// The file was a store and is damaged.
    Damaged,
    /// The file was made by a newer version of Dumbbell.
    Newer,
    /// The file, or its folder, may not be written.
    ReadOnly,
    /// Another process does not let go of the file.
    Busy,
    /// The disk is full.
    Full,
    /// The disk fails.
    Disk,
    /// Something else.
    Other,
}

impl StoreError {
    pub(super) fn new(file: &str, trouble: Trouble, reason: impl fmt::Display) -> Self {
        Self {
            file: file.to_owned(),
            trouble,
            reason: reason.to_string(),
        }
    }

    pub(super) fn of(file: &str, error: &rusqlite::Error) -> Self {
        let trouble = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Trouble::Foreign,
            Some(ErrorCode::DatabaseCorrupt) => Trouble::Damaged,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::Busy,
            Some(ErrorCode::DiskFull) => Trouble::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Trouble::ReadOnly,
            Some(ErrorCode::CannotOpen) => Trouble::Unopenable,
            Some(ErrorCode::SystemIoFailure | ErrorCode::FileLockingProtocolFailed) => {
                Trouble::Disk
            }
            _ => Trouble::Other,
        };
        Self::new(file, trouble, error)
    }

    pub(super) fn folder(file: &Path, error: &std::io::Error) -> Self {
        let what = format!("its folder cannot be made: {error}");
        Self::new(&file.display().to_string(), Trouble::Unopenable, what)
    }
}

impl Trouble {
    fn what(self) -> &'static str {
        match self {
            Self::Unopenable => "cannot be opened",
            Self::Foreign => "is not a store of runs",
            Self::Damaged => "is damaged",
            Self::Newer => "was made by a newer version of Dumbbell",
            Self::ReadOnly => "may not be written",
            Self::Busy => "is in use by another process that does not let go of it",
            Self::Full => "finds the disk full",
            Self::Disk => "cannot be read or written",
            Self::Other => "fails",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Unopenable => "give it a path in a folder that may be written",
            Self::Foreign => "give the store another path; this file was left as it is",
            Self::Damaged => {
                "move it away and a new one will be made; `sqlite3 FILE .recover` may save what is in it"
            }
            Self::Newer => "use that version, or give the store another path",
            Self::ReadOnly => {
                "allow writing to the file and to its folder, or give the store another path"
            }
            Self::Busy => "end the other process, or give the store another path",
            Self::Full => "make room, and run again: what was kept is not repeated",
            Self::Disk => "see to the disk, or give the store another path",
            Self::Other => "give the store another path",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            trouble,
            reason,
        } = self;
        write!(
            f,
            "the store of runs {file} {}: {reason}\nhelp: {}",
            trouble.what(),
            trouble.help()
        )
    }
}

impl std::error::Error for StoreError {}
