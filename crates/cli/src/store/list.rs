//! `dumbbell store list`: the builds and scenarios of a store.

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_store::{Contents, Fingerprint, Scenario};
use serde_json::json;

use super::size::shown;
use super::{exists, failed, short};
use crate::exit::{Code, Exit};
use crate::table::new_table;

/// The number of builds and of scenarios that are shown without `--all`.
const FEW: usize = 10;

/// Lists the builds and scenarios of a store, with their numbers of runs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  dumbbell store list out/runs.sqlite
  dumbbell store list out/runs.sqlite --all
  dumbbell store list out/runs.sqlite --json | jq -r '.scenarios[0].text'")]
pub struct Args {
    /// The store.
    file: PathBuf,
    /// List every build and every scenario.
    #[arg(long)]
    all: bool,
    /// Print one JSON object, with every build and the text of every scenario.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    exists(&args.file)?;
    let contents = Contents::of(&args.file).map_err(|e| failed(&e))?;
    let this = Fingerprint::of_this_build();
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", json(&contents, &this))?;
        return Ok(Code::SUCCESS);
    }
    let runs: u64 = contents.builds.iter().map(|build| build.runs).sum();
    writeln!(
        out,
        "{}: {} of {} by {}, {}",
        args.file.display(),
        count(runs, "run"),
        count(contents.scenarios.len() as u64, "scenario"),
        count(contents.builds.len() as u64, "build"),
        shown(contents.bytes)
    )?;
    let most = if args.all { usize::MAX } else { FEW };
    if !contents.builds.is_empty() {
        let mut table = new_table(["build", "version", "last used", "runs", "size"]);
        for build in contents.builds.iter().take(most) {
            let mark = if build.fingerprint == this {
                " (this)"
            } else {
                ""
            };
            table.add_row([
                short(&build.fingerprint) + mark,
                build.version.clone(),
                day(build.used),
                build.runs.to_string(),
                shown(build.bytes),
            ]);
        }
        writeln!(out, "\n{table}")?;
        let mut table = new_table(["scenario", "runs", "by this build", "size", "flows"]);
        for scenario in contents.scenarios.iter().take(most) {
            table.add_row([
                scenario.number.to_string(),
                scenario.runs.to_string(),
                scenario.of_this_build.to_string(),
                shown(scenario.bytes),
                flows(scenario),
            ]);
        }
        writeln!(out, "\n{table}")?;
    }
    let left = |all: usize| all.saturating_sub(most) as u64;
    for (all, what) in [
        (contents.builds.len(), "build"),
        (contents.scenarios.len(), "scenario"),
    ] {
        if left(all) > 0 {
            writeln!(out, "and {}: --all lists them", count(left(all), what))?;
        }
    }
    Ok(Code::SUCCESS)
}

fn json(contents: &Contents, this: &Fingerprint) -> serde_json::Value {
    let builds = contents.builds.iter().map(|build| {
        json!({
            "build": build.fingerprint.to_string(),
            "this": build.fingerprint == *this,
            "version": build.version,
            "used": build.used,
            "runs": build.runs,
            "bytes": build.bytes,
        })
    });
    let scenarios = contents.scenarios.iter().map(|scenario| {
        json!({
            "scenario": scenario.number,
            "runs": scenario.runs,
            "runs_of_this_build": scenario.of_this_build,
            "bytes": scenario.bytes,
            "text": scenario.text,
        })
    });
    json!({
        "bytes": contents.bytes,
        "builds": builds.collect::<Vec<_>>(),
        "scenarios": scenarios.collect::<Vec<_>>(),
    })
}

/// The controls of a scenario's flows, in one line.
fn flows(scenario: &Scenario) -> String {
    let Ok(table) = scenario.text.parse::<toml::Table>() else {
        return "(damaged)".to_owned();
    };
    let flows = table.get("flow").and_then(toml::Value::as_array);
    let mut names: Vec<String> = Vec::new();
    for flow in flows.into_iter().flatten() {
        let named = |key: &str| {
            let value = flow.get(key)?;
            let name = value.get("name").unwrap_or(value);
            name.as_str().map(str::to_owned)
        };
        let udp = || flow.get("source").map(|_| "udp".to_owned());
        let media = || named("rate_control");
        let name = named("control").or_else(media).or_else(udp);
        let name = name.unwrap_or_else(|| "?".to_owned());
        let copies = flow.get("count").and_then(toml::Value::as_integer);
        let name = match copies {
            Some(copies) if copies > 1 => format!("{copies} {name}"),
            _ => name,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    const MOST: usize = 5;
    if names.len() > MOST {
        names.truncate(MOST);
        names.push("...".to_owned());
    }
    names.join(", ")
}

/// Formats a number of things.
fn count(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// The day of a time in seconds since 1970, as year, month and day (UTC).
fn day(seconds: i64) -> String {
    // Days since 1 March of the year 0; a year then ends with the leap day.
    let days = seconds.div_euclid(24 * 3600) + 719_468;
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{}-{month:02}-{day:02}", year + era * 400 + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out with `date -u -d @SECONDS`.
    #[test]
    fn a_time_is_shown_as_its_day() {
        for (seconds, shown) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_767_225_599, "2025-12-31"),
            (1_767_225_600, "2026-01-01"),
            (-1, "1969-12-31"),
        ] {
            assert_eq!(day(seconds), shown);
        }
    }
}
