//! `dumbbell store merge`: adds the runs of one store to another.

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_store::merge;
use serde_json::json;

use super::{exists, failed};
use crate::exit::{Code, Exit};
use crate::file;

/// Adds all runs of a second store to a first one. The second is not changed.
///
/// Runs of all builds are added; a run that both have stays as it is. After an interrupt, the first
/// store is as it was before.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  dumbbell store merge out/runs.sqlite theirs.sqlite")]
pub struct Args {
    /// The store to which runs are added.
    file: PathBuf,
    /// The store whose runs are added.
    other: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    exists(&args.file)?;
    exists(&args.other)?;
    if file::is_same(&args.file, &args.other) {
        return Err(Exit::BadInput(format!(
            "{} and {} are the same file, so there is nothing to merge\n  = help: name the store that gets the runs first, and then the store that has them",
            args.file.display(),
            args.other.display()
        )));
    }
    let merged = merge(&args.file, &args.other).map_err(|e| failed(&e))?;
    let mut out = io::stdout().lock();
    if args.json {
        let all = json!({ "added": merged.added, "shared": merged.shared });
        writeln!(out, "{all}")?;
        return Ok(Code::SUCCESS);
    }
    writeln!(
        out,
        "added {} runs; {} were there already",
        merged.added, merged.shared
    )?;
    Ok(Code::SUCCESS)
}
