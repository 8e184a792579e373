//! `dumbbell list`: the names that a scenario can use.

use std::io::{self, Write as _};

use dumbbell_scenario::catalogue::{self, Entry};

use crate::controls;
use crate::exit::{Code, Exit};

/// Lists every control, recovery, queue, loss model and source that a scenario can use.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  dumbbell list\n  dumbbell list --parameters\n  dumbbell list --json"
)]
pub struct Args {
    /// Also show every control's parameters.
    #[arg(long)]
    parameters: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    let mut out = io::stdout().lock();
    let sections = catalogue::sections(controls::known());
    if args.json {
        let text =
            serde_json::to_string_pretty(&sections).map_err(|e| Exit::Failed(e.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(Code::SUCCESS);
    }
    for (i, section) in sections.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", section.title)?;
        let width = section
            .entries
            .iter()
            .map(|entry| entry.name.len())
            .max()
            .unwrap_or(0);
        for entry in &section.entries {
            print(&mut out, entry, width, args.parameters)?;
        }
    }
    Ok(Code::SUCCESS)
}

fn print(
    out: &mut impl io::Write,
    entry: &Entry,
    width: usize,
    parameters: bool,
) -> io::Result<()> {
    writeln!(out, "  {:width$}  {}", entry.name, entry.summary)?;
    if !entry.recoveries.is_empty() {
        let others: String = entry.recoveries[1..]
            .iter()
            .map(|recovery| format!(", {recovery}"))
            .collect();
        writeln!(
            out,
            "  {:width$}  recoveries: {} (usual){}",
            "", entry.recoveries[0], others
        )?;
    }
    for parameter in entry.parameters.iter().filter(|_| parameters) {
        writeln!(
            out,
            "  {:width$}    {} = {}: {}",
            "", parameter.name, parameter.default, parameter.doc
        )?;
    }
    Ok(())
}
