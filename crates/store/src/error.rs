//! Why a store fails, and what to do about it.

use std::fmt;
use std::path::Path;

use rusqlite::ErrorCode;

/// Why a store cannot be used. Its text names the file and, in a second line, says what to do.
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
    /// The file was made by an earlier version of Dumbbell, and was only looked at.
    Earlier,
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
        let what = format!("its folder: {error}");
        Self::new(&file.display().to_string(), Trouble::Unopenable, what)
    }
}

impl Trouble {
    fn what(self) -> &'static str {
        match self {
            Self::Unopenable => "the file cannot be opened",
            Self::Foreign => "the file is not a store of runs",
            Self::Damaged => "the file is damaged",
            Self::Newer => "the file was made by a newer version of Dumbbell",
            Self::Earlier => "the file was made by an earlier version of Dumbbell",
            Self::ReadOnly => "the file or its folder may not be written",
            Self::Busy => "another process does not let go of the file",
            Self::Full => "the disk is full",
            Self::Disk => "the disk cannot be read or written",
            Self::Other => "something unexpected failed",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Unopenable => "give it a path in a folder that exists and may be written",
            Self::Foreign => {
                "give the store another path, or move the file away; it was left as it is"
            }
            Self::Damaged => {
                "move the file away, and a new one will be made; `sqlite3 FILE .recover` may save what is in it"
            }
            Self::Newer => "use that version, or give the store another path",
            Self::Earlier => {
                "look with that version; to use the file for new runs makes it one of this version"
            }
            Self::ReadOnly => {
                "allow writing to the file and to its folder, or give the store another path"
            }
            Self::Busy => "wait for the other process or end it, or give the store another path",
            Self::Full => "make room and run again: what is kept is not repeated",
            Self::Disk => {
                "see to the disk, or give the store another path; a network file system must have working locks"
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
