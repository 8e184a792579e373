//! `dumbbell store check`: reads every row again.

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_store::check;
use serde_json::json;

use super::{exists, failed, short};
use crate::exit::{Code, Exit};

/// The number of damaged rows that are shown without `--json`.
const FEW: usize = 20;

/// Reads every row of a store again, and reports those that are damaged.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  dumbbell store check out/runs.sqlite
  dumbbell store check out/runs.sqlite --repair

The exit code is 1 if rows are damaged, even if they were removed.")]
pub struct Args {
    /// The store.
    file: PathBuf,
    /// Remove damaged rows, so that their runs are computed again.
    #[arg(long)]
    repair: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    exists(&args.file)?;
    let checked = check(&args.file, args.repair).map_err(|e| failed(&e))?;
    let code = match checked.damaged.is_empty() {
        true => Code::SUCCESS,
        false => Code::DAMAGED,
    };
    let mut out = io::stdout().lock();
    let build = |damaged: &dumbbell_store::Damaged| damaged.build.map(|it| it.to_string());
    if args.json {
        let damaged = checked.damaged.iter().map(|row| {
            json!({
                "build": build(row),
                "scenario": row.scenario,
                "seed": row.seed,
                "why": row.why,
            })
        });
        let all = json!({
            "rows": checked.rows,
            "damaged": damaged.collect::<Vec<_>>(),
            "repaired": checked.repaired,
        });
        writeln!(out, "{all}")?;
        return Ok(code);
    }
    for row in checked.damaged.iter().take(FEW) {
        let build = build(row).map_or_else(|| "unknown".to_owned(), |it| short(&it));
        writeln!(
            out,
            "scenario {}, seed {}, build {build}: {}",
            row.scenario, row.seed, row.why
        )?;
    }
    let damaged = checked.damaged.len();
    if damaged > FEW {
        writeln!(out, "and {} more: --json lists them", damaged - FEW)?;
    }
    let end = match (damaged, checked.repaired) {
        (0, _) => "none is damaged".to_owned(),
        (_, true) => format!("{damaged} were damaged, and are removed"),
        (_, false) => format!("{damaged} are damaged: --repair removes them"),
    };
    writeln!(out, "{} rows: {end}", checked.rows)?;
    Ok(code)
}
