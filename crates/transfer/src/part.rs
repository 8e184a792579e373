//! A file that arrives: `FILE.part` until it is whole.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use blake3::{Hash, Hasher};

use crate::error::Error;
use crate::message::Prefix;
use crate::name::PART;

/// A partial file, which this process alone writes.
#[derive(Debug)]
pub(crate) struct Part {
    file: File,
    path: PathBuf,
    target: PathBuf,
    length: u64,
    hasher: Hasher,
}

impl Part {
    /// Opens or creates the partial file for `target`, and reads what is in it.
    pub fn open(target: &Path) -> Result<Self, Error> {
        let mut path = target.as_os_str().to_owned();
        path.push(PART);
        let path = PathBuf::from(path);
        let failed = |error: &io::Error| Error::file(&path, error);
        // What is written through a link could be anywhere.
        if let Ok(found) = fs::symlink_metadata(&path)
            && !found.is_file()
        {
            return Err(Error::Local(format!("{}: it is no file", path.display())));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = path.display();
                return Err(Error::Local(format!(
                    "{path}: another transfer is writing it"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        let mut hasher = Hasher::new();
        let length = hash(&mut file, u64::MAX, &mut hasher).map_err(|error| failed(&error))?;
        Ok(Self {
            file,
            path,
            target: target.to_owned(),
            length,
            hasher,
        })
    }

    /// Bytes that are there.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What is there, for the sender to compare with the file.
    pub fn prefix(&self) -> Prefix {
        Prefix {
            length: self.length,
            blake3: self.hash().to_hex().to_string(),
        }
    }

    /// The hash of all that is there.
    pub fn hash(&self) -> Hash {
        self.hasher.finalize()
    }

    /// Begins again.
    pub fn clear(&mut self) -> Result<(), Error> {
        let cleared = self.file.set_len(0);
        let cleared = cleared.and_then(|()| self.file.seek(SeekFrom::Start(0)));
        cleared.map_err(|error| Error::file(&self.path, &error))?;
        self.length = 0;
        self.hasher = Hasher::new();
        Ok(())
    }

    /// Adds bytes. They are the system's when this returns, so that the end of the process does not lose them.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| Error::file(&self.path, &error))?;
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its name, which it has at one moment or not at all.
    pub fn finish(self) -> Result<(), Error> {
        let done = self.file.sync_all();
        let done = done.and_then(|()| fs::rename(&self.path, &self.target));
        done.map_err(|error| Error::file(&self.target, &error))
    }

    /// Removes the partial file.
    pub fn discard(self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(|error| Error::file(&self.path, &error))
    }
}

/// Hashes up to `most` bytes of a file from where it is, and returns their number.
pub(crate) fn hash(file: &mut File, most: u64, hasher: &mut Hasher) -> io::Result<u64> {
    let mut piece = vec![0; 1 << 17];
    let mut length = 0;
    while length < most {
        let left = usize::try_from(most - length).unwrap_or(usize::MAX);
        let end = left.min(piece.len());
        let read = file.read(&mut piece[..end])?;
        if read == 0 {
            break;
        }
        hasher.update(&piece[..read]);
        length += read as u64;
    }
    Ok(length)
}
