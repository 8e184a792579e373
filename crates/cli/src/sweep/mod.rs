//! `dumbbell sweep`: a scenario over many values of its own.

mod forecast;
mod report;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use dumbbell_lab::sweep::{Collector, Progress, Repeat, Sweep};
use dumbbell_lab::tidy::Kind;
use dumbbell_run::batch;
use dumbbell_scenario::{LoadError, ScenarioFile};
use dumbbell_store::{Runner, Store};

use crate::exit::{Code, Exit};
use crate::input::{self, Set};
use crate::progress::Meter;
use crate::tidy::Tables;
use crate::{controls, file, interrupt};

/// Runs a scenario over many values of its own: every combination of the values in its table [sweep],
/// each with several seeds (docs/sweep.md).
///
/// Finished runs are stored and never repeated: after Ctrl-C, a longer axis or more repetitions, only
/// what is missing is run.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Scenario files with a table [sweep] (TOML; docs/sweep.md describes it); `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    set: Set,
    /// Say how many runs there are, how many of them are stored, and how long the others will take.
    #[arg(long)]
    dry_run: bool,
    /// The file for finished runs. Without it, NAME.sqlite in the current folder for NAME.toml.
    #[arg(long, value_name = "FILE", conflicts_with = "no_store")]
    store: Option<PathBuf>,
    /// Neither read nor store finished runs.
    #[arg(long)]
    no_store: bool,
    /// Number of parallel runs. Without it, as many as there are cores. It does not affect the results.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    #[command(flatten)]
    tables: Tables,
    /// Write and show the table of runs instead of groups: a row for each run, with the measures that
    /// the file names ([[sweep.measure]]).
    #[arg(long, conflicts_with_all = ["flows", "links"])]
    runs: bool,
    /// Print the table as lines of JSON, one object per row.
    #[arg(long)]
    json: bool,
    /// Write a page with figures of the results, to open in a browser; `-` is standard output.
    #[arg(long, value_name = "OUT.html|-")]
    page: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell sweep loss.toml
  dumbbell sweep loss.toml --dry-run                    how many runs, and how long they take
  dumbbell sweep loss.toml --csv loss.csv --page loss.html
  dumbbell sweep loss.toml --set sweep.repeat=100       ninety more of each, if there are ten already
  dumbbell sweep my.toml --set 'sweep.grid.\"bottleneck.delay\"=[\"5 ms\", \"50 ms\"]'
  dumbbell query loss.sqlite \"SELECT * FROM groups\"    questions of the stored runs in SQL";

pub fn run(args: &Args) -> Result<Code, Exit> {
    if args.files.len() > 1 && (args.page.is_some() || args.tables.has_files()) {
        let wrong = "the tables and pages of several sweeps cannot be written to one file: give one \
                     sweep at a time";
        return Err(Exit::BadInput(wrong.to_owned()));
    }
    input::once(&args.files)?;
    // All files are read first, so that a mistake in one of them comes before anything runs.
    let files = args.files.iter().map(|file| args.set.file(file));
    let files: Vec<ScenarioFile> = files.collect::<Result<_, _>>()?;
    check_files(args, &input::traces(&files))?;
    let read = |file: &ScenarioFile| -> Result<Sweep, Exit> {
        Sweep::read(file, controls::known())
            .map_err(|report| Exit::Scenario(LoadError::Invalid(report)))
    };
    let sweeps: Vec<Sweep> = files.iter().map(read).collect::<Result<_, _>>()?;
    for (path, sweep) in args.files.iter().zip(&sweeps) {
        one(args, path, sweep)?;
    }
    Ok(Code::SUCCESS)
}

/// Checks that no file is written in the place of another, or of one of these packet-delivery traces.
fn check_files(args: &Args, traces: &[PathBuf]) -> Result<(), Exit> {
    let mut read = input::named(&args.files);
    read.extend(traces.iter().map(|path| ("trace", &**path)));
    let stores: Vec<PathBuf> = match args.no_store {
        true => Vec::new(),
        false => args.files.iter().map(|path| store_of(args, path)).collect(),
    };
    for store in &stores {
        file::apart(&read, &[("--store", store)])?;
    }
    read.extend(stores.iter().map(|store| ("store", &**store)));
    let page = args.page.iter().map(|path| ("--page", &**path));
    let written: Vec<_> = args.tables.files().chain(page).collect();
    file::apart(&read, &written)
}

fn one(args: &Args, path: &Path, sweep: &Sweep) -> Result<(), Exit> {
    let prints_page = args.page.as_deref().is_some_and(file::is_standard);
    if prints_page && args.json {
        let wrong =
            "--json and --page - both print to standard output: give --page the name of a file";
        return Err(Exit::BadInput(wrong.to_owned()));
    }
    let prints = prints_page.then_some("--page -");
    let prints = prints.or(args.json.then_some("--json"));
    let outputs = args.tables.outputs(prints)?;
    if let Some(page) = args.page.as_deref().filter(|_| !prints_page) {
        file::check(page)?;
    }
    let store_name = (!args.no_store).then(|| store_of(args, path));
    let store_name = store_name.as_deref();
    let store = open(args, store_name)?;
    let interrupted = interrupt::flag();
    let runner = Runner {
        store: store.as_ref(),
        threads: args
            .jobs
            .map_or_else(batch::all_cores, |jobs| jobs as usize),
        interrupted: &interrupted,
    };
    if args.dry_run {
        return report::forecast(sweep, &runner, store_name, args.json);
    }
    let quiet = args.json || prints_page || outputs.print();
    let kind = args.tables.kind();
    let kinds: &[Kind] = match kind {
        Kind::Groups => &[Kind::Groups],
        Kind::Flows => &[Kind::Flows, Kind::Groups],
        Kind::Links => &[Kind::Links, Kind::Groups],
    };
    let mut collector = Collector::new(sweep, kinds);
    let meter = Meter::new(runner.threads);
    let begun = Instant::now();
    let found = sweep.run(
        &runner,
        |progress| match progress {
            Progress::Planned(jobs) => meter.plan(jobs),
            Progress::Done(advance) => meter.note(advance),
        },
        |turn, point, done| collector.add(turn, point, &done),
    );
    let seconds = begun.elapsed().as_secs_f64();
    meter.finish();
    if found.interrupted {
        report::interrupted(&found, store_name);
        return Err(found.failure.map_or(Exit::Interrupted, Exit::from));
    }
    let tables = collector.tables();
    let groups = tables.tidy.last().expect("the table of groups is made");
    let chosen = if args.runs {
        &tables.runs
    } else {
        &tables.tidy[0]
    };
    outputs.write(chosen)?;
    if let Some(path) = &args.page {
        let page = dumbbell_lab::sweep::page::of(sweep, groups, &tables.runs);
        if prints_page {
            let mut out = io::stdout().lock();
            out.write_all(page.as_bytes())?;
            out.flush()?;
        } else {
            file::write(path, &page)?;
        }
    }
    if args.json {
        report::json(chosen)?;
    }
    if !quiet {
        report::print(sweep, &found, chosen, args, seconds)?;
        for path in args.page.iter() {
            anstream::println!("page: {}", path.display());
        }
    }
    if let Repeat::Until(_) = &sweep.repeat
        && quiet
    {
        report::until(sweep, &found);
    }
    if let Some(trouble) = found.trouble {
        return Err(Exit::Failed(format!(
            "the results are complete, but {trouble}"
        )));
    }
    Ok(())
}

/// The file of a sweep's store.
fn store_of(args: &Args, path: &Path) -> PathBuf {
    let usual = || {
        let stem = path.file_stem().filter(|_| !file::is_standard(path));
        let stem = stem.map_or_else(|| "sweep".into(), |stem| stem.to_string_lossy());
        PathBuf::from(format!("{stem}.sqlite"))
    };
    args.store.clone().unwrap_or_else(usual)
}

/// Opens the store of a sweep, if there is one. A dry run only looks at it, and makes none.
fn open(args: &Args, file: Option<&Path>) -> Result<Option<Store>, Exit> {
    let Some(file) = file else {
        return Ok(None);
    };
    let store = match args.dry_run {
        true => Store::look(file),
        false => Store::open(file).map(Some),
    };
    store.map_err(|error| Exit::BadInput(error.to_string()))
}
