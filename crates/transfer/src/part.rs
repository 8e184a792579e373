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
    // A kilobyte or two: transfers are moved about.
    hasher: Box<Hasher>,
    /// Whether the file no longer has the name of a partial one.
    gone: bool,
}

/// How often a partial file may go away between its opening and its lock: each time, another transfer has ended.
const ATTEMPTS: usize = 10;

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
        let mut file = locked(&path)?;
        let mut hasher = Box::default();
        let length = hash(&mut file, u64::MAX, &mut hasher).map_err(|error| failed(&error))?;
        Ok(Self {
            file,
            path,
            target: target.to_owned(),
            length,
            hasher,
            gone: false,
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
        self.hasher.reset();
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
    pub fn finish(mut self, replace: bool) -> Result<(), Error> {
        if !replace && fs::symlink_metadata(&self.target).is_ok() {
            let target = self.target.display();
            return Err(Error::Local(format!("{target}: it is there already")));
        }
        let done = self.file.sync_all();
        let done = done.and_then(|()| fs::rename(&self.path, &self.target));
        done.map_err(|error| Error::file(&self.target, &error))?;
        self.gone = true;
        Ok(())
    }

    /// Removes the partial file.
    pub fn discard(mut self) -> Result<(), Error> {
        self.gone = true;
        fs::remove_file(&self.path).map_err(|error| Error::file(&self.path, &error))
    }
}

/// An empty file is of no use to the next attempt.
impl Drop for Part {
    fn drop(&mut self) {
        if self.length == 0 && !self.gone {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Opens or creates the file, for this transfer alone.
fn locked(path: &Path) -> Result<File, Error> {
    let failed = |error: &io::Error| Error::file(path, error);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    for _ in 0..ATTEMPTS {
        let file = options.open(path).map_err(|error| failed(&error))?;
        match file.try_lock() {
            // Another transfer may have finished or removed it since it was opened: then it has another name, or none.
            Ok(()) if path.exists() => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
    }
    let path = path.display();
    Err(Error::Local(format!(
        "{path}: another transfer is writing it"
    )))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("dumbbell-part-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder of our own");
        folder.join(name)
    }

    #[test]
    fn what_was_written_is_there_again_and_the_name_comes_last() {
        let target = target("whole");
        let mut part = Part::open(&target).expect("a new file");
        part.add(b"one").expect("written");
        drop(part);
        assert!(!target.exists());
        let mut part = Part::open(&target).expect("the same file");
        assert_eq!(
            part.prefix(),
            Prefix {
                length: 3,
                blake3: blake3::hash(b"one").to_string()
            }
        );
        part.add(b"two").expect("written");
        assert_eq!(part.hash(), blake3::hash(b"onetwo"));
        part.finish(false).expect("renamed");
        assert_eq!(fs::read(&target).expect("it is there"), b"onetwo");
        assert!(!target.with_extension("part").exists());
    }

    #[test]
    fn one_transfer_alone_writes_a_file() {
        let target = target("locked");
        let first = Part::open(&target).expect("a new file");
        let second = Part::open(&target).expect_err("it is locked").to_string();
        assert!(second.contains("another transfer"), "{second}");
        drop(first);
        drop(Part::open(&target).expect("it is free"));
        // Nothing arrived, and nothing is left.
        assert_eq!(
            fs::read_dir(target.parent().expect("a folder"))
                .into_iter()
                .flatten()
                .flatten()
                .filter(|entry| entry.file_name() == "locked.part")
                .count(),
            0
        );
    }

    #[test]
    fn a_finished_file_is_not_replaced_unless_it_may_be() {
        let target = target("there");
        fs::write(&target, "old").expect("ours");
        let mut part = Part::open(&target).expect("a new file");
        part.add(b"new").expect("written");
        assert!(part.finish(false).is_err());
        assert_eq!(fs::read(&target).expect("it is there"), b"old");
        Part::open(&target)
            .expect("the same")
            .finish(true)
            .expect("renamed");
        assert_eq!(fs::read(&target).expect("it is there"), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let target = target("linked");
        let other = target.with_file_name("other");
        fs::write(&other, "other").expect("ours");
        std::os::unix::fs::symlink(&other, target.with_file_name("linked.part")).expect("ours");
        assert!(Part::open(&target).is_err());
        assert_eq!(fs::read(&other).expect("it is there"), b"other");
    }
}
