//! The files of the workspace in memory, to which recipes are applied.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::page::Step;

/// The contents of all files, by their paths in the workspace.
pub struct Tree(BTreeMap<PathBuf, Vec<u8>>);

impl Tree {
    /// Reads the files of the workspace, without what builds and runs leave behind.
    pub fn of_the_workspace() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut tree = Self(BTreeMap::new());
        tree.read(&root, Path::new(""));
        tree
    }

    fn read(&mut self, root: &Path, folder: &Path) {
        let entries = fs::read_dir(root.join(folder)).expect("it is a folder");
        for entry in entries.map(|entry| entry.expect("readable")) {
            let name = entry.file_name();
            let path = folder.join(&name);
            let is_left_behind = [".git", "target", "out", "corpus"]
                .iter()
                .any(|n| name == *n);
            if is_left_behind {
                continue;
            }
            if root.join(&path).is_dir() {
                self.read(root, &path);
            } else if let Ok(content) = fs::read(root.join(&path)) {
                self.0.insert(path, content);
            }
        }
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        let content = self.0.get(Path::new(path))?;
        std::str::from_utf8(content).ok()
    }

    /// Carries out a step; a message says why this is impossible.
    pub fn apply(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Create { path, text } => {
                if self.text(path).is_some() {
                    return Err(format!("{path} exists"));
                }
                self.0.insert(PathBuf::from(path), text.clone().into());
            }
            Step::Insert { path, after, text } => {
                let before = self.text(path).ok_or(format!("there is no {path}"))?;
                let lines = before.lines().filter(|line| line.trim() == after.trim());
                let count = lines.count();
                if count != 1 {
                    return Err(format!("{path}: {count} lines are `{after}`"));
                }
                let mut changed = String::new();
                for line in before.lines() {
                    changed += line;
                    changed.push('\n');
                    if line.trim() == after.trim() {
                        changed += text;
                    }
                }
                self.0.insert(PathBuf::from(path), changed.into());
            }
            Step::Run { .. } | Step::Expect { .. } => {}
        }
        Ok(())
    }

    /// Adds a file.
    pub fn add(&mut self, path: &str, text: &str) {
        self.0.insert(PathBuf::from(path), text.into());
    }

    /// Replaces a text that occurs once in a file.
    pub fn replace(&mut self, path: &str, old: &str, new: &str) {
        let text = self.text(path).expect("the file is there");
        assert_eq!(text.matches(old).count(), 1, "{path}: {old}");
        let changed = text.replace(old, new);
        self.0.insert(PathBuf::from(path), changed.into());
    }

    /// Writes the tree to a folder. Files that are right are not touched, so that builds there stay valid.
    pub fn write(&self, folder: &Path) {
        let mut old = Self(BTreeMap::new());
        if folder.exists() {
            old.read(folder, Path::new(""));
        }
        for path in old.0.keys().filter(|path| !self.0.contains_key(*path)) {
            fs::remove_file(folder.join(path)).expect("the folder is ours");
        }
        for (path, content) in &self.0 {
            if old.0.get(path) != Some(content) {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is ours");
                fs::write(&path, content).expect("the folder is ours");
            }
        }
    }
}
