//! `dumbbell new`: a scenario file to start from.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dumbbell_lab::template::{TEMPLATES, Template};

use crate::exit::{Code, Exit};
use crate::file;

/// Writes a scenario file to start from, with a comment on every line.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file to write. Without it, the scenario goes to standard output.
    file: Option<PathBuf>,
    /// The kind of scenario.
    #[arg(long, value_parser = kind(), default_value = TEMPLATES[0].name)]
    kind: Template,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell new my.toml
  dumbbell new my.toml --kind satellite
  dumbbell new --kind fairness | less";

/// Parses the name of a template.
fn kind() -> impl TypedValueParser<Value = Template> {
    let values = TEMPLATES.iter();
    let values = values.map(|it| PossibleValue::new(it.name).help(it.about));
    PossibleValuesParser::new(values)
        .try_map(|name| Template::named(&name).ok_or("there is no such template"))
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    let text = args.kind.text;
    let Some(path) = &args.file else {
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
    let mut out = io::stdout().lock();
    writeln!(out, "written: {}", path.display())?;
    writeln!(out, "try:     dumbbell run {}", quoted(path))?;
    Ok(Code::SUCCESS)
}

/// Returns whether writing would overwrite something. A pipe or a device does not count.
fn holds_something(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(found) => found.is_file(),
        // A dangling link would be replaced.
        Err(_) => fs::symlink_metadata(path).is_ok(),
    }
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+".contains(c);
    if path.chars().all(plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}
