//! The folder of a paper: its files as texts, compiled in or read at run time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dumbbell_scenario::suggest;

use crate::description::Malformed;

/// The file that makes a folder that of a paper.
pub const PAPER: &str = "paper.toml";

/// The paper's notes.
pub(super) const NOTES: &str = "NOTES.md";

/// The files of a paper's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The folder's own name, which is also the paper's unless `paper.toml` says otherwise.
    pub(super) name: String,
    /// The folder on the disk; `None` if its files are compiled in.
    pub(super) path: Option<PathBuf>,
    /// The texts of the files, by their names.
    files: BTreeMap<String, String>,
}

impl Folder {
    /// A folder whose files are compiled in: their names within it, and their texts.
    pub fn compiled<'a>(name: &str, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = files.into_iter();
        Self {
            name: name.to_owned(),
            path: None,
            files: files
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .collect(),
        }
    }

    /// Whether an argument of a command is a folder, and not a name: it has a `/`, or is a folder
    /// with a `paper.toml`.
    pub fn is_meant_by(argument: &str) -> bool {
        argument.contains(['/', std::path::MAIN_SEPARATOR])
            || Path::new(argument).join(PAPER).is_file()
    }

    /// Reads the files of a folder on the disk: those that end in `.toml`, and the notes.
    ///
    /// # Errors
    /// [`Malformed`] if it is no folder with a paper, or a file cannot be read.
    pub fn open(path: &Path) -> Result<Self, Malformed> {
        let shown = path.display();
        if let Err(error) = fs::metadata(path) {
            let what = match error.kind() {
                io::ErrorKind::NotFound => format!("there is no folder {shown}{}", near(path)),
                _ => format!("cannot read {shown}: {error}"),
            };
            return Err(Malformed::new(what));
        }
        if !path.is_dir() {
            let folder = crate::file::folder(path).display();
            let help = format!("name the folder of the paper, such as {folder}");
            return Err(Malformed::new(format!(
                "{shown} is a file\n  = help: {help}"
            )));
        }
        let files = read(path)?;
        if !files.contains_key(PAPER) {
            let names: Vec<&str> = files.keys().map(String::as_str).collect();
            let is_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
            let what = match is_empty {
                true => format!("the folder {shown} is empty"),
                false => format!("the folder {shown} has no {PAPER}"),
            };
            let help = match suggest::nearest(PAPER, names) {
                Some(near) => format!("rename {near} to {PAPER}"),
                None => {
                    format!("`dumbbell new {shown} --kind paper` writes a folder to start from")
                }
            };
            return Err(Malformed::new(format!("{what}\n  = help: {help}")));
        }
        // `.` and `..` have names of their own.
        let full = fs::canonicalize(path);
        let full = full.as_deref().unwrap_or(path);
        let name = full.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            path: Some(path.to_owned()),
            files,
        })
    }

    /// The text of a file.
    pub(super) fn text(&self, file: &str) -> Option<&str> {
        self.files.get(file).map(String::as_str)
    }

    /// The name of a file for messages: the path to it.
    pub(super) fn shown(&self, file: &str) -> String {
        match &self.path {
            Some(path) => path.join(file).display().to_string(),
            None => format!("{}/{file}", self.name),
        }
    }

    /// The names of all files.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

fn read(folder: &Path) -> Result<BTreeMap<String, String>, Malformed> {
    let unreadable = |path: &Path, error: io::Error| {
        Malformed::new(format!("cannot read {}: {error}", path.display()))
    };
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|e| unreadable(folder, e))? {
        let path = entry.map_err(|e| unreadable(folder, e))?.path();
        // A name that is no text is none of a paper's.
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let is_notes = name.eq_ignore_ascii_case(NOTES);
        if !(is_notes || name.ends_with(".toml")) || name.starts_with('.') || path.is_dir() {
            continue;
        }
        let bytes = fs::read(&path).map_err(|e| unreadable(&path, e))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
            let column = 1 + valid
                .iter()
                .rev()
                .take_while(|byte| **byte != b'\n')
                .count();
            Malformed::new(format!(
                "{}:{line}:{column}: not a text in UTF-8\n  = help: save the file as UTF-8",
                path.display()
            ))
        })?;
        if is_notes && name != NOTES {
            return Err(Malformed::new(format!(
                "{} is not read\n  = help: rename it to {NOTES}",
                path.display()
            )));
        }
        files.insert(name.to_owned(), text);
    }
    Ok(files)
}

/// The advice to take the folder beside it with a similar name, if there is one.
fn near(path: &Path) -> String {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let beside = fs::read_dir(crate::file::folder(path))
        .into_iter()
        .flatten()
        .flatten();
    let beside: Vec<String> = beside
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    match suggest::nearest(name, beside.iter().map(String::as_str)) {
        Some(near) => {
            let near = path.with_file_name(near);
            format!("\n  = help: did you mean {}?", near.display())
        }
        None => format!(
            "\n  = help: `dumbbell new {} --kind paper` writes one to start from",
            path.display()
        ),
    }
}
