//! `dumbbell new --kind control`: a crate with a congestion control of one's own, whose binary is the
//! whole command with that control in it.

use std::fs;
use std::path::{Path, PathBuf};

use dumbbell_scenario::catalogue;

use crate::controls;
use crate::exit::Exit;

/// The name on the command line.
pub const NAME: &str = "control";
/// The subject, in one line.
pub const ABOUT: &str =
    "A crate with a congestion control of your own, and the whole command with it";

/// The folder of the sources from which this program was built.
const BUILT_FROM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The files of the template; each is the same as in `templates/control`, with other names.
const FILES: &[(&str, &str)] = &[
    (
        "src/lib.rs",
        include_str!("../../templates/control/src/lib.rs"),
    ),
    (
        "src/main.rs",
        include_str!("../../templates/control/src/main.rs"),
    ),
    (
        "tests/control.rs",
        include_str!("../../templates/control/tests/control.rs"),
    ),
    ("my.toml", include_str!("../../templates/control/my.toml")),
    (
        "README.md",
        include_str!("../../templates/control/README.md"),
    ),
    (".gitignore", "/target\n"),
];

/// The name of the control in the template, as a crate and as a type.
const TEMPLATE: &str = "mycontrol";
const TEMPLATE_TYPE: &str = "Mycontrol";

/// The crates that the new one depends on, and their folders in the sources.
const CRATES: [(&str, &str); 4] = [
    ("dumbbell", "cli"),
    ("dumbbell-control", "control"),
    ("dumbbell-run", "run"),
    ("dumbbell-scenario", "scenario"),
];

/// Packages that only Dumbbell's tests use, so a profile for them would be a warning elsewhere.
const ONLY_TESTS: [&str; 1] = ["proptest"];

/// Returns the files of the crate for a control with this name: paths within its folder, and texts.
/// `source` is the folder of Dumbbell's sources; without it, they are where this program was built
/// from.
///
/// # Errors
/// [`Exit::BadInput`] if the name cannot be that of a control and a crate, or the sources are not
/// there.
pub fn files(name: &str, source: Option<&Path>) -> Result<Vec<(PathBuf, String)>, Exit> {
    check(name)?;
    let source = Source::find(source)?;
    let mut files = vec![(PathBuf::from("Cargo.toml"), source.manifest(name))];
    if let Some(lock) = &source.lock {
        files.push(("Cargo.lock".into(), lock.clone()));
    }
    for (file, text) in FILES {
        let text = text.replace("{source}", &source.folder);
        files.push(((*file).into(), named(&text, name)));
    }
    Ok(files)
}

/// Replaces the name of the template's control.
fn named(text: &str, name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    let of_type: String = name.split('-').map(word).collect();
    text.replace(TEMPLATE_TYPE, &of_type)
        .replace(
            &format!("{TEMPLATE}::"),
            &format!("{}::", name.replace('-', "_")),
        )
        .replace(TEMPLATE, name)
}

/// Checks that a control and a crate can have this name.
fn check(name: &str) -> Result<(), Exit> {
    let refuse = |why: &str| {
        Err(Exit::BadInput(format!(
            "a control cannot be called `{name}`, as its folder is: {why}"
        )))
    };
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return refuse("begin it with a letter, because it is also the name of a crate");
    }
    let sections = catalogue::sections(controls::known());
    let mut entries = sections.iter().take(2).flat_map(|section| &section.entries);
    if entries.any(|entry| entry.name == name) {
        return refuse("there already is a control with this name (`dumbbell list`)");
    }
    if RESERVED.contains(&name) || name.starts_with("dumbbell") {
        return refuse("a crate cannot have this name; choose another for the folder");
    }
    Ok(())
}

/// Names that Rust, Cargo, or the new crate's own dependencies have taken.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "build", "const", "continue",
    "core", "crate", "deps", "do", "dyn", "else", "enum", "examples", "extern", "false", "final", "fn",
    "for", "gen", "if", "impl", "in", "incremental", "let", "loop", "macro", "match", "mod", "move", "mut",
    "override", "priv", "proc-macro", "pub", "ref", "return", "self", "static", "std", "struct", "super",
    "test", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where",
    "while", "yield",
];

/// Dumbbell's sources.
struct Source {
    /// Their folder, as an absolute path.
    folder: String,
    /// The profiles of their manifest.
    profiles: String,
    lock: Option<String>,
}

impl Source {
    fn find(given: Option<&Path>) -> Result<Self, Exit> {
        let folder = given.unwrap_or(Path::new(BUILT_FROM));
        let refuse = |why: String| {
            Exit::BadInput(match given {
                Some(folder) => format!("--source {}: {why}", folder.display()),
                None => format!(
                    "this program was built from {}, where its sources no longer are ({why}): \
                     name their folder with --source",
                    plain(folder).display()
                ),
            })
        };
        let read = |file: &str| {
            let path = folder.join(file);
            fs::read_to_string(&path).map_err(|error| {
                refuse(format!(
                    "it is not the folder of Dumbbell's sources: {file}: {error}"
                ))
            })
        };
        let manifest = read("Cargo.toml")?;
        for (package, of) in CRATES {
            let file = format!("crates/{of}/Cargo.toml");
            if !read(&file)?.contains(&format!("name = \"{package}\"")) {
                return Err(refuse(format!("{file} is not that of the crate {package}")));
            }
        }
        if !folder.join("crates/cli/src/lib.rs").is_file() {
            let why = "its crate dumbbell has no library: it is an older version";
            return Err(refuse(why.to_owned()));
        }
        let absolute = fs::canonicalize(folder).map_err(|error| refuse(error.to_string()))?;
        let Some(absolute) = absolute.to_str() else {
            return Err(refuse("its path is not valid UTF-8".to_owned()));
        };
        Ok(Self {
            folder: absolute.to_owned(),
            profiles: profiles(&manifest),
            // Without it, the newest versions are taken.
            lock: fs::read_to_string(folder.join("Cargo.lock")).ok(),
        })
    }

    /// The manifest of the crate.
    fn manifest(&self, name: &str) -> String {
        let mut text = format!(
            "[package]\n\
             name = \"{name}\"\n\
             version = \"0.1.0\"\n\
             edition = \"2024\"\n\
             publish = false\n\
             \n\
             # A workspace of its own, wherever the folder is.\n\
             [workspace]\n\
             \n\
             [dependencies]\n"
        );
        for (package, folder) in CRATES {
            let path = Path::new(&self.folder).join("crates").join(folder);
            // A string of JSON is one of TOML.
            let path = serde_json::Value::from(path.to_string_lossy());
            text += &format!("{package} = {{ path = {path} }}\n");
        }
        text += "\n# What follows are the profiles of Dumbbell: what runs per packet is optimised in full, and the\n\
                 # rest is quick to build.\n";
        for (profile, keys) in [
            ("release", "opt-level = 3\ncodegen-units = 1\n"),
            ("dev", "opt-level = 1\n"),
        ] {
            text += &format!("[profile.{profile}.package.{name}]\n{keys}\n");
        }
        text + &self.profiles
    }
}

/// Returns the profiles of a manifest, with their comments.
fn profiles(manifest: &str) -> String {
    let mut kept = String::new();
    let mut copying = false;
    // Comments and empty lines belong to the table after them.
    let mut before = String::new();
    for line in manifest.lines() {
        if line.is_empty() || line.starts_with('#') {
            before += &format!("{line}\n");
            continue;
        }
        if line.starts_with('[') {
            let is_of = |package: &&str| line.ends_with(&format!(".package.{package}]"));
            copying = line.starts_with("[profile.") && !ONLY_TESTS.iter().any(is_of);
        }
        if copying {
            kept += &format!("{before}{line}\n");
        }
        before.clear();
    }
    kept.trim_start().to_owned()
}

/// A path without `..`, even if it does not exist.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
