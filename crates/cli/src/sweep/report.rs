//! What a sweep says: before it runs, while it is interrupted, and of its results.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::Duration;

use dumbbell_lab::sweep::{Found, Repeat, Sweep};
use dumbbell_lab::table::{Format, Table};
use dumbbell_lab::tidy::Kind;
use dumbbell_store::Runner;
use serde_json::json;

use super::Args;
use super::forecast::forecast as time;
use crate::exit::Exit;
use crate::tidy::grid::Room;
use crate::tidy::{groups, means};

/// The lines of a terminal that the table may take.
const LINES: usize = 36;

/// Says how many runs there are, how many are stored, and how long the others will take.
pub fn forecast(
    sweep: &Sweep,
    runner: &Runner<'_>,
    store: Option<&Path>,
    as_json: bool,
) -> Result<(), Exit> {
    let turns = sweep.first_runs();
    let kept = sweep
        .kept(&turns, runner)
        .map_err(|error| Exit::BadInput(error.to_string()))?;
    let missing = turns.iter().zip(&kept).filter(|(_, kept)| !**kept);
    let missing: Vec<_> = missing.map(|(turn, _)| *turn).collect();
    let stored = turns.len() - missing.len();
    let needed = time(sweep, &missing, runner.threads);
    let (least, most) = sweep.repeat.bounds();
    let most_runs = sweep.points.len() as u64 * most;
    if as_json {
        let found = json!({
            "sweep": sweep.name,
            "points": sweep.points.len(),
            "excluded": sweep.excluded,
            "runs": turns.len(),
            "at_most": most_runs,
            "stored": stored,
            "seconds": needed.map_or(0.0, |needed| needed.as_secs_f64()),
        });
        writeln!(io::stdout(), "{found}")?;
        return Ok(());
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{}", heading(sweep))?;
    if let Some(store) = store {
        writeln!(out, "{stored} of them are stored in {}", store.display())?;
    }
    match needed {
        None => writeln!(out, "nothing is left to run")?,
        Some(needed) => writeln!(
            out,
            "{} to run: about {} with {} at once",
            runs(missing.len() as u64),
            words(needed),
            runner.threads
        )?,
    }
    if most > least {
        writeln!(
            out,
            "at most {}, if the interval stays wide",
            runs(most_runs)
        )?;
    }
    Ok(())
}

/// Says what an interrupted sweep has kept.
pub fn interrupted(found: &Found, store: Option<&Path>) {
    let kept = found.taken + found.kept;
    match store {
        Some(store) => anstream::eprintln!(
            "{} are stored in {}: the same command goes on from there",
            runs(kept),
            store.display()
        ),
        None => anstream::eprintln!("nothing is stored (--no-store)"),
    }
}

/// Prints a table as lines of JSON.
pub fn json(table: &Table) -> Result<(), Exit> {
    let mut out = BufWriter::new(io::stdout());
    Format::Json.write(table, &mut out)?;
    out.flush()?;
    Ok(())
}

/// Prints the results for people.
pub fn print(
    sweep: &Sweep,
    found: &Found,
    chosen: &Table,
    args: &Args,
    seconds: f64,
) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", heading(sweep))?;
    if found.runs > sweep.points.len() as u64 {
        writeln!(out, "means and 95 % intervals")?;
    }
    let room = match args.tables.is_all() {
        true => Room::All,
        false => Room::Lines(LINES, "--all"),
    };
    let swept: Vec<&str> = sweep.paths.iter().map(|path| path.name.as_str()).collect();
    let text = match (args.runs, args.tables.kind()) {
        (false, Kind::Groups) => groups::table(chosen, &swept, room),
        _ => means::table(chosen, &swept, room),
    };
    write!(out, "{text}")?;
    for line in ending(sweep, found) {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "{} in {seconds:.1} s: {} computed, {} from the store",
        runs(found.runs),
        found.computed,
        found.taken
    )?;
    Ok(())
}

/// Says how the interval ended on standard error, where a table goes to standard output.
pub fn until(sweep: &Sweep, found: &Found) {
    for line in ending(sweep, found) {
        anstream::eprintln!("{line}");
    }
}

/// The most points that are named where there may be many.
const NAMED: usize = 5;

/// How a sweep that runs until an interval is narrow has ended.
fn ending(sweep: &Sweep, found: &Found) -> Vec<String> {
    let Repeat::Until(until) = &sweep.repeat else {
        return Vec::new();
    };
    let measure = match &until.group {
        Some(group) => format!("{} of {group}", until.measure),
        None => until.measure.clone(),
    };
    // As it was written: 0.07 is not exactly a hundredth of 7.
    let percent = (until.interval * 1e12).round() / 1e10;
    let all = found.runs_of.len();
    let mut lines = Vec::new();
    if found.without.len() < all {
        let narrow = all - found.wide.len() - found.without.len();
        lines.push(format!(
            "{measure} is known to ± {percent} % in {narrow} of {}, after {} each",
            points(all),
            spread(found.runs_of.iter().copied())
        ));
    }
    named(&mut lines, &found.wide, |at| {
        let runs = match (found.runs_of[at], found.values_of[at]) {
            (all, some) if some < all => format!("{some} values of {}", runs(all)),
            (all, _) => runs(all),
        };
        let place = place(sweep, at).map(|place| format!(" with {place}"));
        format!(
            "  not{}: {runs} were not enough (at_most)",
            place.unwrap_or_default()
        )
    });
    if !found.without.is_empty() {
        let where_to = match found.without.len() {
            _ if all == 1 => String::new(),
            some if some == all => format!(" in any of {}", points(all)),
            some => format!(" in {}", points(some)),
        };
        let tried = found.without.iter().map(|at| found.runs_of[*at]);
        lines.push(format!(
            "no value of {measure}{where_to}, after {} each (at_least): the interval is not known",
            spread(tried)
        ));
        if found.without.len() < all {
            named(&mut lines, &found.without, |at| {
                format!("  with {}", place(sweep, at).unwrap_or_default())
            });
        }
    }
    lines
}

/// Adds a line for each of some points, and one for those that are too many.
fn named(lines: &mut Vec<String>, points: &[usize], line: impl Fn(usize) -> String) {
    lines.extend(points.iter().take(NAMED).map(|at| line(*at)));
    if points.len() > NAMED {
        lines.push(format!("  and {} more points", points.len() - NAMED));
    }
}

/// The swept values of a point; `None` in a sweep without any.
fn place(sweep: &Sweep, at: usize) -> Option<String> {
    let values = sweep.paths.iter().zip(&sweep.points[at].values);
    let values = values.map(|(path, at)| format!("{} = {}", path.name, path.values[*at].text));
    let values: Vec<String> = values.collect();
    Some(values.join(", ")).filter(|text| !text.is_empty())
}

/// The smallest and the largest of some numbers of runs.
fn spread(numbers: impl Iterator<Item = u64> + Clone) -> String {
    let least = numbers.clone().min().unwrap_or(0);
    let most = numbers.max().unwrap_or(0);
    match least == most {
        true => runs(least),
        false => format!("{least} to {}", runs(most)),
    }
}

fn points(number: usize) -> String {
    match number {
        1 => "1 point".to_owned(),
        number => format!("{number} points"),
    }
}

/// The name of a sweep and its size.
fn heading(sweep: &Sweep) -> String {
    let points = points(sweep.points.len());
    let excluded = match sweep.excluded {
        0 => String::new(),
        excluded => format!(" ({excluded} excluded)"),
    };
    let (least, most) = sweep.repeat.bounds();
    let all = sweep.points.len() as u64;
    let times = if least == most {
        format!("{} each, {} in all", runs(least), all * least)
    } else {
        format!("{least} to {} each", runs(most))
    };
    format!("{}: {points}{excluded}, {times}", sweep.name)
}

fn runs(number: u64) -> String {
    match number {
        1 => "1 run".to_owned(),
        number => format!("{number} runs"),
    }
}

/// A time for people.
fn words(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}
