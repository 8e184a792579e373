//! A file that is sent.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use blake3::{Hash, Hasher};

use crate::error::Error;
use crate::message::Prefix;
use crate::part;

/// A file that is read once, from a place that the receiver names, and hashed as a whole.
#[derive(Debug)]
pub(crate) struct Source {
    file: File,
    path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
    position: u64,
    // A kilobyte or two: transfers are moved about.
    hasher: Box<Hasher>,
}

impl Source {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error: &io::Error| Error::file(path, error);
        let found = std::fs::metadata(path).map_err(|error| failed(&error))?;
        // To open a pipe would wait for its writer.
        if !found.is_file() {
            return Err(Error::Input(format!("{}: it is no file", path.display())));
        }
        let file = File::open(path).map_err(|error| failed(&error))?;
        let found = file.metadata().map_err(|error| failed(&error))?;
        Ok(Self {
            size: found.len(),
            modified: modified(&found),
            file,
            path: path.to_owned(),
            position: 0,
            hasher: Box::default(),
        })
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Goes on after `have`, if the file begins with it; otherwise from the start. Returns the place.
    pub fn resume(&mut self, have: &Prefix) -> Result<u64, Error> {
        if have.length == 0 || have.length > self.size {
            return Ok(0);
        }
        let failed = |path: &Path, error: &io::Error| Error::file(path, error);
        let mut hasher = Box::default();
        let read = part::hash(&mut self.file, have.length, &mut hasher);
        let read = read.map_err(|error| failed(&self.path, &error))?;
        let same = Hash::from_hex(&have.blake3).is_ok_and(|hash| hash == hasher.finalize());
        if same && read == have.length {
            (self.position, self.hasher) = (read, hasher);
        } else {
            let back = self.file.seek(SeekFrom::Start(0));
            back.map_err(|error| failed(&self.path, &error))?;
        }
        Ok(self.position)
    }

    /// The hash of the whole file, as hexadecimal digits.
    pub fn whole(&mut self) -> Result<String, Error> {
        let mut hasher = Box::default();
        let read = part::hash(&mut self.file, self.size, &mut hasher);
        read.map_err(|error| Error::file(&self.path, &error))?;
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// Reads the next bytes, as many as fit and are left.
    pub fn read(&mut self, piece: &mut [u8]) -> Result<usize, Error> {
        let left = usize::try_from(self.size - self.position).unwrap_or(usize::MAX);
        let end = left.min(piece.len());
        let read = self.file.read(&mut piece[..end]);
        let read = read.map_err(|error| Error::file(&self.path, &error))?;
        if read == 0 && left > 0 {
            return Err(self.changed());
        }
        self.hasher.update(&piece[..read]);
        self.position += read as u64;
        Ok(read)
    }

    /// The hash of all that was read, if the file is still the one that was opened.
    pub fn finish(&self) -> Result<Hash, Error> {
        let found = self.file.metadata();
        let found = found.map_err(|error| Error::file(&self.path, &error))?;
        if found.len() != self.size || modified(&found) != self.modified {
            return Err(self.changed());
        }
        Ok(self.hasher.finalize())
    }

    fn changed(&self) -> Error {
        let path = self.path.display();
        Error::Local(format!("{path}: the file changed while it was sent"))
    }
}

fn modified(found: &Metadata) -> Option<SystemTime> {
    found.modified().ok()
}
