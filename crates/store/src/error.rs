//! Errors of a store, with advice on what to do.

use std::fmt;
use std::path::Path;

use rusqlite::ErrorCode;

/// Why a store cannot be used. The message names the file and, in a second line, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// The file; `(in memory)` for a store without a file.
    pub file: String,
    /// What is wrong.
    pub trouble: Trouble,
    /// The cause, as reported by the component that detected it.
    pub reason: String,
}

/// What can be wrong with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The file cannot be opened or created.
    Unopenable,
    /// The file is not a store.
    Foreign,
    /// The file has no tables yet, and was only opened for reading: its program was ended while it made them.
    Unfinished,
    /// The file is a store that is damaged.
    Damaged,
    /// The file was created by a newer version of Dumbbell.
    Newer,
    /// The file was created by an earlier version of Dumbbell, and was only opened for reading.
    Earlier,
    /// The file or its folder is write-protected.
    ReadOnly,
    /// Another process keeps the file locked.
    Busy,
    /// The disk is full.
    Full,
    /// The disk reported an error.
    Disk,
    /// Another cause.
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
        let what = format!("its folder: {error}");
        Self::new(&file.display().to_string(), Trouble::Unopenable, what)
    }
}

impl Trouble {
    fn what(self) -> &'static str {
        match self {
            Self::Unopenable => "the file cannot be opened",
            Self::Foreign => "the file is not a store of runs",
            Self::Unfinished => "the file has no runs yet",
            Self::Damaged => "the file is damaged",
            Self::Newer => "the file was made by a newer version of Dumbbell",
            Self::Earlier => "the file was made by an earlier version of Dumbbell",
            Self::ReadOnly => "the file or its folder cannot be written",
            Self::Busy => "another process keeps the file locked",
            Self::Full => "the disk is full",
            Self::Disk => "the disk cannot be read or written",
            Self::Other => "something unexpected failed",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Unopenable => "give it a path in a folder that exists and is writable",
            Self::Foreign => {
                "give the store another path, or move the file away; it was left as it is"
            }
            Self::Unfinished => "run something with it first",
            Self::Damaged => {
                "move the file away, and a new one will be made; `sqlite3 FILE .recover` may save what is in it"
            }
            Self::Newer => "use that version, or give the store another path",
            Self::Earlier => {
                "read it with that version; using the file for new runs upgrades it and removes the old runs"
            }
            Self::ReadOnly => {
                "allow writing to the file and to its folder, or give the store another path"
            }
            Self::Busy => "wait for the other process or end it, or give the store another path",
            Self::Full => "free some space and run again: stored runs are not repeated",
            Self::Disk => {
                "check the disk, or give the store another path; a network file system must have working locks"
            }
            Self::Other => "give the store another path",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, help) = (self.trouble.what(), self.trouble.help());
        write!(
            f,
            "store of runs {}: {what} ({})\nhelp: {help}",
            self.file, self.reason
        )
    }
}

impl std::error::Error for StoreError {}
