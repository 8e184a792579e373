//! `dumbbell new`: a scenario file or a folder to start from.

mod control;

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dumbbell_lab::template::{self, Contents, Folder, TEMPLATES, Template};

use crate::exit::{Code, Exit};
use crate::file::{self, holds_something};

/// Writes a scenario file to start from, or a folder, with a comment on every line.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file or the folder to write. Without it, a scenario goes to standard output.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// What to start from.
    #[arg(long, value_parser = kind(), default_value = TEMPLATES[0].name)]
    kind: Kind,
    /// The folder of Dumbbell's sources, for `--kind control`. Without it, the one from which this program was
    /// built.
    #[arg(long, value_name = "FOLDER")]
    source: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell new my.toml
  dumbbell new my.toml --kind lte
  dumbbell new --kind fairness | less
  dumbbell new myfolder --kind paper
  dumbbell new mycontrol --kind control";

/// What to start from.
#[derive(Clone, Copy)]
enum Kind {
    Template(Template),
    /// A crate, which depends on where Dumbbell's sources are.
    Control,
}

/// Parses the name of a kind.
fn kind() -> impl TypedValueParser<Value = Kind> {
    let values = TEMPLATES.iter().map(|it| (it.name, it.about, it.alias));
    let values = values.chain([(control::NAME, control::ABOUT, None)]);
    let values =
        values.map(|(name, about, alias)| PossibleValue::new(name).help(about).aliases(alias));
    PossibleValuesParser::new(values).try_map(|name| match name.as_str() {
        control::NAME => Ok(Kind::Control),
        name => {
            let template = Template::named(name).map(Kind::Template);
            template.ok_or("there is no such template")
        }
    })
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    if let (Kind::Template(_), Some(_)) = (args.kind, &args.source) {
        let wrong = "--source is for `--kind control`, whose crate depends on Dumbbell's sources";
        return Err(Exit::BadInput(wrong.to_owned()));
    }
    let Kind::Template(template) = args.kind else {
        let next = "cd {path} && cargo run --release -- run my.toml";
        let files = |name: &str| control::files(name, args.source.as_deref());
        return folder(args, control::NAME, files, next);
    };
    match template.contents {
        Contents::Scenario(text) => scenario(args, text),
        Contents::Folder(it) => {
            let file = |(file, text): (&str, String)| (PathBuf::from(file), text);
            let files = |name: &str| Ok(it.files(name).map(file).collect());
            folder(args, template.name, files, it.next)
        }
    }
}

fn scenario(args: &Args, text: &str) -> Result<Code, Exit> {
    let Some(path) = &args.path else {
        io::stdout().write_all(text.as_bytes())?;
        return Ok(Code::SUCCESS);
    };
    file::check(path)?;
    if !args.force && holds_something(path) {
        return Err(Exit::BadInput(format!(
            "{} already exists: choose another name, or replace it with --force",
            path.display()
        )));
    }
    file::write(path, text)?;
    told(path, &format!("dumbbell run {}", quoted(path)))
}

/// Writes a folder. `files` returns its files, with paths within it, for the name of what is made.
fn folder(
    args: &Args,
    kind: &str,
    files: impl Fn(&str) -> Result<Vec<(PathBuf, String)>, Exit>,
    next: &str,
) -> Result<Code, Exit> {
    let Some(path) = &args.path else {
        return Err(Exit::BadInput(format!(
            "`{kind}` is a folder of files: name the folder, as in `dumbbell new my{kind} --kind {kind}`"
        )));
    };
    let refuse = |what: &str| Exit::BadInput(format!("{}: {what}", path.display()));
    if fs::symlink_metadata(path).is_ok() && !path.is_dir() {
        return Err(refuse("it is a file; a folder is required"));
    }
    let is_empty = |path: &Path| fs::read_dir(path).map(|mut entries| entries.next().is_none());
    if !args.force && path.is_dir() && !is_empty(path)? {
        return Err(refuse(
            "the folder is not empty: choose another name, or replace its files of these names with --force",
        ));
    }
    let full = std::path::absolute(path)?;
    let last = full.file_name().unwrap_or_default().to_string_lossy();
    let Some(name) = template::name_of(&last) else {
        return Err(refuse(
            "the folder's name must have one of the letters a to z or a digit",
        ));
    };
    let mut files = files(&name)?;
    for (file, _) in &mut files {
        *file = path.join(&*file);
    }
    write_all(&files).map_err(|e| Exit::BadInput(e.to_string()))?;
    told(path, &next.replace(Folder::PATH, &quoted(&reached(path))))
}

/// Writes all files, or none.
fn write_all(files: &[(PathBuf, String)]) -> Result<(), file::Unwritable> {
    let mut made = Made::default();
    for (path, _) in files {
        made.folder(file::folder(path))?;
    }
    file::write_all(files)?;
    made.folders.clear();
    Ok(())
}

/// The folders that were created. If they are not kept, those that are empty are removed.
#[derive(Default)]
struct Made {
    folders: Vec<PathBuf>,
}

impl Made {
    /// Creates a folder and those that it is in.
    fn folder(&mut self, path: &Path) -> Result<(), file::Unwritable> {
        let missing = path.ancestors();
        let missing = missing.take_while(|it| !it.as_os_str().is_empty() && !it.is_dir());
        let missing: Vec<&Path> = missing.collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(|e| file::Unwritable::new(folder, e))?;
            self.folders.push(folder.to_owned());
        }
        Ok(())
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in self.folders.iter().rev() {
            // The first failure has already been reported.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Says what was written, and what to try next.
fn told(path: &Path, next: &str) -> Result<Code, Exit> {
    let mut out = io::stdout().lock();
    writeln!(out, "written: {}", path.display())?;
    writeln!(out, "try:     {next}")?;
    Ok(Code::SUCCESS)
}

/// The path of a folder as no other argument could be read: `./my` instead of `my`.
fn reached(folder: &Path) -> Cow<'_, Path> {
    match folder.components().count() {
        1 if folder.is_relative() => Path::new(".").join(folder).into(),
        _ => folder.into(),
    }
}

/// Quotes a path for a shell.
pub fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+".contains(c);
    if path.chars().all(plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}
