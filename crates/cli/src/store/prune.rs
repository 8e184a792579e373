//! `dumbbell store prune`: removes runs.

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_store::{Contents, Unwanted, prune_file};
use serde_json::json;

use super::size::{parse, shown};
use super::{exists, failed};
use crate::exit::{Code, Exit};

/// Removes runs of other builds, or those of a scenario.
///
/// Without an option, all runs of other builds than this one are removed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  dumbbell store prune out/runs.sqlite --dry-run      what runs of other builds take
  dumbbell store prune out/runs.sqlite                keep the runs of this build alone
  dumbbell store prune out/runs.sqlite --size 20MB    the builds that were used longest ago go first
  dumbbell store prune out/runs.sqlite --scenario 3   the numbers are those of `dumbbell store list`")]
pub struct Args {
    /// The store.
    file: PathBuf,
    /// Remove runs of other builds only until the file takes at most this, such as 20MB.
    #[arg(long, value_parser = parse, value_name = "SIZE")]
    size: Option<u64>,
    /// Remove the runs of the scenario with this number, by whichever build.
    #[arg(long, value_name = "N", conflicts_with = "size")]
    scenario: Option<i64>,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    exists(&args.file)?;
    let unwanted = match (args.scenario, args.size) {
        (Some(number), _) => {
            known(args, number)?;
            Unwanted::OfScenario(number)
        }
        (None, Some(bytes)) => Unwanted::Beyond(bytes),
        (None, None) => Unwanted::OtherBuilds,
    };
    let pruned = prune_file(&args.file, unwanted, args.dry_run).map_err(|e| failed(&e))?;
    let mut out = io::stdout().lock();
    if args.json {
        let all = json!({
            "dry_run": args.dry_run,
            "runs": pruned.runs,
            "builds": pruned.builds,
            "bytes": pruned.bytes,
        });
        writeln!(out, "{all}")?;
        return Ok(Code::SUCCESS);
    }
    let verb = if args.dry_run {
        "would remove"
    } else {
        "removed"
    };
    writeln!(
        out,
        "{verb} {} runs, and with them {} builds: {}",
        pruned.runs,
        pruned.builds,
        shown(pruned.bytes)
    )?;
    Ok(Code::SUCCESS)
}

/// Checks that the store has a scenario with this number.
fn known(args: &Args, number: i64) -> Result<(), Exit> {
    let contents = Contents::of(&args.file).map_err(|e| failed(&e))?;
    let numbers: Vec<i64> = contents.scenarios.iter().map(|it| it.number).collect();
    if numbers.contains(&number) {
        return Ok(());
    }
    let there = match (numbers.first(), numbers.last()) {
        (Some(first), Some(last)) => format!("its numbers are between {first} and {last}"),
        _ => "it has no runs".to_owned(),
    };
    Err(Exit::BadInput(format!(
        "{} has no scenario {number}: {there} (`dumbbell store list --all`)",
        args.file.display()
    )))
}
