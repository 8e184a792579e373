//! The hash of everything that is compiled into a result. The build script and the library's tests
//! share this file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The crates that a result depends on besides this one, where they lie beside it.
const SIBLINGS: [&str; 4] = ["control", "tcp", "tfrc", "sim"];

/// The files and folders that count, each with the name that stands for it, for the crate in the
/// folder `own`.
///
/// In the project's own workspace these are the sources of five crates, and the versions of what
/// they depend on. From a registry each crate comes alone, and only this one's are known: the
/// library then tells builds apart by the identity of the crates that it is linked to.
pub fn parts(own: &Path) -> Vec<(String, PathBuf)> {
    let mut parts = vec![
        ("lab/Cargo.toml".to_owned(), own.join("Cargo.toml")),
        ("lab/build.rs".to_owned(), own.join("build.rs")),
        ("lab/src".to_owned(), own.join("src")),
    ];
    let Some(crates) = own.parent() else {
        return parts;
    };
    let beside = |sibling: &&str| crates.join(sibling).join("src").is_dir();
    if !SIBLINGS.iter().all(beside) {
        return parts;
    }
    for sibling in SIBLINGS {
        for part in ["Cargo.toml", "src"] {
            let path = crates.join(sibling).join(part);
            parts.push((format!("{sibling}/{part}"), path));
        }
    }
    let workspace = crates.join("..");
    let files = ["Cargo.toml", "Cargo.lock"].map(|part| (part.to_owned(), workspace.join(part)));
    parts.extend(files.into_iter().filter(|(_, path)| path.is_file()));
    parts
}

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
