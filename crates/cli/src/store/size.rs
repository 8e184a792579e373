//! `dumbbell store size`: what a store takes, build by build; and how sizes are written and read.

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_store::{Contents, Fingerprint};
use serde_json::json;

use super::{exists, failed, short};
use crate::exit::{Code, Exit};
use crate::table::new_table;

/// Shows what a store takes, build by build.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  dumbbell store size out/runs.sqlite\n  dumbbell store size out/runs.sqlite --json"
)]
pub struct Args {
    /// The store.
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    exists(&args.file)?;
    let contents = Contents::of(&args.file).map_err(|e| failed(&e))?;
    let mut out = io::stdout().lock();
    let this = Fingerprint::of_this_build();
    let of_runs: u64 = contents.builds.iter().map(|build| build.bytes).sum();
    let shared = contents.bytes.saturating_sub(of_runs);
    if args.json {
        let builds = contents.builds.iter().map(|build| {
            json!({
                "build": build.fingerprint.to_string(),
                "this": build.fingerprint == this,
                "runs": build.runs,
                "bytes": build.bytes,
            })
        });
        let all = json!({
            "bytes": contents.bytes,
            "shared_bytes": shared,
            "builds": builds.collect::<Vec<_>>(),
        });
        writeln!(out, "{all}")?;
        return Ok(Code::SUCCESS);
    }
    let mut table = new_table(["build", "runs", "size", "a run"]);
    for build in &contents.builds {
        let mark = if build.fingerprint == this {
            " (this)"
        } else {
            ""
        };
        table.add_row([
            short(&build.fingerprint) + mark,
            build.runs.to_string(),
            shown(build.bytes),
            shown(build.bytes / build.runs.max(1)),
        ]);
    }
    if !contents.builds.is_empty() {
        writeln!(out, "{table}\n")?;
    }
    writeln!(
        out,
        "{}: {}, of which texts, names and indices {}",
        args.file.display(),
        shown(contents.bytes),
        shown(shared)
    )?;
    Ok(Code::SUCCESS)
}

/// The units of sizes, the largest first.
const UNITS: [(&str, u64); 3] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];

/// Formats a size.
pub fn shown(bytes: u64) -> String {
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} B"),
    }
}

/// Parses a size.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (number, unit) = text.split_at(split.unwrap_or(text.len()));
    let unit = unit.trim();
    let known = UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let factor = match known {
        Some((_, factor)) => *factor,
        None if unit == "B" => 1,
        None => return Err("write a number and a unit: B, kB, MB or GB, as in 20MB".to_owned()),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| format!("`{number}` is not a number: write for example 20MB"))?;
    Ok((number * factor as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        assert_eq!(parse("20MB"), Ok(20_000_000));
        assert_eq!(parse("1.5 GB"), Ok(1_500_000_000));
        assert_eq!(parse("0B"), Ok(0));
        assert_eq!(parse("7 kb"), Ok(7000));
        for wrong in ["20", "MB", "20 XB", "-1MB", "1.2.3MB"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(shown(999), "999 B");
        assert_eq!(shown(1_540_000), "1.5 MB");
    }
}
