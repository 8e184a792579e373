//! The hash of source files. The build script and the library's tests share this file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Feeds a file's name and content. A folder's files are fed in the order of their names, hidden
/// ones left out: editors put their locks there. `name` stands for `path`, so that the place of
/// the whole on a disk is no part of the hash.
pub fn feed(hasher: &mut blake3::Hasher, name: &str, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path)?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<_>>()?;
        entries.sort();
        for entry in entries {
            let file = entry
                .file_name()
                .map(|file| file.to_string_lossy().into_owned());
            match file {
                Some(file) if !file.starts_with('.') => {
                    feed(hasher, &format!("{name}/{file}"), &entry)?;
                }
                _ => {}
            }
        }
        return Ok(());
    }
    word(hasher, name.as_bytes());
    word(hasher, &fs::read(path)?);
    Ok(())
}

/// Feeds bytes and their number, so that no two lists of words give the same stream.
pub fn word(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}
