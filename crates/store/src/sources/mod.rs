//! Computes the hash of everything that is compiled into a result. The build script and the
//! library's tests share this module.
//!
//! The hash covers the crates of this workspace that produce a run, as determined from the
//! manifests: their sources, the parts of their manifests that affect how they are built, and the
//! locked versions of their direct and indirect dependencies. It leaves out tests, benches,
//! examples, and code that only reads runs. Of this crate it covers only the files in [`OWN`].

mod lock;
mod manifest;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use lock::{Lock, Package};
use manifest::{Dependency, Manifest, Workspace};

/// The files of this crate that are covered. They determine which run belongs to a key and which
/// runs share a key, so a mistake in them could store a run under the key of another. The encoding
/// of rows is covered by the version of the tables instead.
pub const OWN: [&str; 2] = ["src/key.rs", "src/job.rs"];

/// The hash, and the files and folders from which it was computed.
pub struct Sources {
    pub hash: blake3::Hash,
    pub read: Vec<PathBuf>,
    /// The folder of the workspace whose lock file is covered, if there is one.
    pub workspace: Option<PathBuf>,
}

/// Computes the hash for the crate in the folder `own`.
///
/// This requires the sources of the workspace, which a crate from a registry does not have. In that
/// case the library distinguishes builds by the identity of the crates to which it is linked.
pub fn sources(own: &Path) -> Result<Sources, Box<dyn Error>> {
    let mut feed = Feed::default();
    for file in OWN {
        feed.file(file, &own.join(file))?;
    }
    let workspace = Workspace::around(own)?;
    let mut crates = Crates {
        workspace: &workspace,
        found: BTreeMap::new(),
        packages: BTreeSet::new(),
    };
    feed.read.push(own.join("Cargo.toml"));
    let own = Manifest::read(own)?.dependencies(&workspace);
    for folder in own.into_iter().filter_map(|dependency| dependency.folder) {
        crates.add(&folder)?;
    }
    let lock = match crates.found.is_empty() {
        true => Lock::default(),
        false => workspace.lock()?,
    };
    // A dependency that is replaced by a folder is a crate whose sources are covered.
    let locked = lock.closure(&crates.packages);
    for package in locked.iter().filter(|package| package.source.is_none()) {
        if let Some(folder) = workspace.patched(&package.name) {
            crates.add(&folder)?;
        }
    }
    for (name, manifest) in &crates.found {
        feed.word(name.as_bytes());
        feed.word(manifest.essence(&workspace).as_bytes());
        feed.read.push(manifest.folder.join("Cargo.toml"));
        for part in ["src", &manifest.build_script()] {
            let path = manifest.folder.join(part);
            if path.exists() {
                feed.file(&format!("{name}/{part}"), &path)?;
            }
        }
    }
    for package in &locked {
        feed.word(format!("{package:?}").as_bytes());
    }
    let inside = !crates.found.is_empty();
    if inside {
        feed.read.extend(workspace.files());
        feed.features(&workspace, &crates.found, &locked)?;
    }
    Ok(Sources {
        hash: feed.hasher.finalize(),
        read: feed.read,
        workspace: inside.then_some(workspace.root),
    })
}

/// The crates that produce a run.
struct Crates<'a> {
    workspace: &'a Workspace,
    /// The crates by name.
    found: BTreeMap<String, Manifest>,
    /// Their other dependencies: the name of the crate, and that of the package.
    packages: BTreeSet<(String, String)>,
}

impl Crates<'_> {
    /// Adds the crate in this folder, and all local crates on which it depends.
    fn add(&mut self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let manifest = Manifest::read(folder)?;
        let name = manifest.name();
        if self.found.contains_key(&name) {
            return Ok(());
        }
        let dependencies = manifest.dependencies(self.workspace);
        self.found.insert(name.clone(), manifest);
        for Dependency {
            package, folder, ..
        } in dependencies
        {
            match folder {
                Some(folder) => self.add(&folder)?,
                None => {
                    self.packages.insert((name.clone(), package));
                }
            }
        }
        Ok(())
    }
}

/// The input of the hash as a sequence of words. Each word is preceded by its length, so that
/// different sequences never give the same stream.
#[derive(Default)]
struct Feed {
    hasher: blake3::Hasher,
    read: Vec<PathBuf>,
}

impl Feed {
    /// Feeds the name and the content of a file, or of all files in a folder. `name` replaces
    /// `path`, so that the location on disk does not affect the hash.
    fn file(&mut self, name: &str, path: &Path) -> Result<(), Box<dyn Error>> {
        self.read.push(path.to_owned());
        self.tree(name, path)
    }

    /// Feeds the files of a folder in the order of their names. Hidden files are skipped, because
    /// editors create them.
    fn tree(&mut self, name: &str, path: &Path) -> Result<(), Box<dyn Error>> {
        let failed = |error| format!("{}: {error}", path.display());
        if !path.is_dir() {
            self.word(name.as_bytes());
            self.word(&fs::read(path).map_err(failed)?);
            return Ok(());
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            entries.push(entry.map_err(failed)?.path());
        }
        entries.sort();
        for entry in entries {
            let file = entry.file_name().unwrap_or_default().to_string_lossy();
            if !file.starts_with('.') {
                self.tree(&format!("{name}/{file}"), &entry)?;
            }
        }
        Ok(())
    }

    /// Feeds the features of these packages that any member of the workspace requests, because a
    /// package is compiled once with all requested features. Features that external packages
    /// request of each other are covered only by their versions.
    fn features(
        &mut self,
        workspace: &Workspace,
        own: &BTreeMap<String, Manifest>,
        locked: &BTreeSet<Package>,
    ) -> Result<(), Box<dyn Error>> {
        let locked = locked.iter().map(|package| package.name.as_str());
        let names: BTreeSet<&str> = own.keys().map(String::as_str).chain(locked).collect();
        let mut all = BTreeSet::new();
        for member in workspace.members() {
            self.read.push(member.join("Cargo.toml"));
            for dependency in Manifest::read(&member)?.dependencies(workspace) {
                if names.contains(dependency.package.as_str()) {
                    let of = |feature| (dependency.package.clone(), feature);
                    all.extend(dependency.features.into_iter().map(of));
                }
            }
        }
        self.word(format!("{all:?}").as_bytes());
        Ok(())
    }

    fn word(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(bytes);
    }
}

#[cfg(test)]
mod ours;
#[cfg(test)]
mod tests;
