//! `dumbbell store`: what a file of finished runs holds, and how to look after it.

mod check;
mod list;
mod merge;
mod prune;
mod size;

use std::path::Path;

use dumbbell_store::{StoreError, Trouble};

use crate::exit::{Code, Exit};
use crate::help;

/// Lists, checks, merges and prunes files of finished runs.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell store list out/runs.sqlite                  its builds and scenarios
  dumbbell store size out/runs.sqlite                  what each build takes
  dumbbell store prune out/runs.sqlite --dry-run       what runs of other builds take
  dumbbell store merge out/runs.sqlite theirs.sqlite   add the runs of the second file to the first
  dumbbell store check out/runs.sqlite --repair        remove damaged rows

docs/store.md describes what a store holds; `dumbbell query` reads its results.";

#[derive(clap::Subcommand)]
enum Command {
    List(list::Args),
    Size(size::Args),
    Prune(prune::Args),
    Merge(merge::Args),
    Check(check::Args),
    Help(help::Args),
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    match &args.command {
        Command::List(args) => list::run(args),
        Command::Size(args) => size::run(args),
        Command::Prune(args) => prune::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Check(args) => check::run(args),
        Command::Help(args) => help::run(&["store"], args),
    }
}

/// Returns an error that says what is wrong with a store. A file that is not there is a mistake of the
/// command line.
pub fn failed(error: &StoreError) -> Exit {
    match error.trouble {
        Trouble::Busy | Trouble::Full | Trouble::Disk => Exit::Failed(error.to_string()),
        _ => Exit::BadInput(error.to_string()),
    }
}

/// Checks that a store is there, so that a misspelt name is not reported as an unreadable file.
pub fn exists(path: &Path) -> Result<(), Exit> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(Exit::BadInput(format!("{} is not a file", path.display()))),
        Err(error) => Err(Exit::BadInput(format!("{}: {error}", path.display()))),
    }
}

/// The first digits of a fingerprint, which are enough to tell builds apart.
fn short(fingerprint: &impl ToString) -> String {
    fingerprint.to_string().chars().take(12).collect()
}
