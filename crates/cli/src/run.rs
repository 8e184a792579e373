//! `dumbbell run`: simulate a scenario.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use dumbbell_lab::table::{Cell, Head, Type};
use dumbbell_lab::tidy::Tidy;
use dumbbell_run::outcome::Outcome;
use dumbbell_run::{Done, Run, Series, batch, warning};
use dumbbell_scenario::{Probe, ProbeValue, Scenario, ScenarioFile};
use dumbbell_store::{Job, Runner, Store, Summary};
use indicatif::ProgressBar;

use crate::exit::{Code, Exit};
use crate::input::{self, Set};
use crate::tidy::screen::{self, View};
use crate::tidy::{Tables, json, samples};
use crate::timed::{Clocks, Timed};
use crate::trace::Traces;
use crate::{chart, file, interrupt, progress};

/// Simulates a scenario file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Scenario files (TOML; docs/scenario.md describes the format); `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    set: Set,
    /// Take runs from this file as far as they are there, and store the others in it, so that a repeated
    /// command goes on where an earlier one stopped.
    #[arg(long, value_name = "FILE", conflicts_with = "traces")]
    store: Option<PathBuf>,
    /// The first seed. Without it, the file's, or 1.
    #[arg(long)]
    seed: Option<u64>,
    /// Number of runs, with consecutive seeds.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: u32,
    /// Number of parallel runs. Without it, as many as there are cores. It does not affect the results.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// Print one JSON object per line for each run, in the order of the seeds (`dumbbell schema --of
    /// results` describes it).
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: Tables,
    /// Write the samples of the scenario's probe in the run of the first seed (--seed) to this file: one
    /// line per sample (.csv), one object per series (.json), or a table (.arrow, .parquet).
    #[arg(long, value_name = "OUT.csv|OUT.json|OUT.arrow")]
    samples: Option<PathBuf>,
    /// Write the events at the senders of the run of the first seed (--seed) to this file: lines of numbers (.csv), a capture
    /// for Wireshark (.pcap) or qlog for qvis (.qlog; docs/traces.md describes them). May be given several
    /// times.
    #[arg(long = "trace", value_name = "OUT.csv|OUT.pcap|OUT.qlog")]
    traces: Vec<PathBuf>,
    /// Trace only this flow, by its name or its number from 1 on. May be given several times.
    #[arg(long = "trace-flow", value_name = "N|NAME", requires = "traces")]
    traced_flows: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell run my.toml
  dumbbell run my.toml --seed 7 --repeat 10
  dumbbell run my.toml --repeat 100 --json | jq .flows[0].goodput_bps
  dumbbell run my.toml --set bottleneck.delay=100ms --set flow.main.control=cubic
  dumbbell run a.toml b.toml --repeat 20 --csv groups.csv
  dumbbell run my.toml --repeat 1000 --store my.sqlite
  dumbbell run my.toml --repeat 20 --flows --arrow flows.arrow
  dumbbell run my.toml --seed 7 --samples windows.csv
  dumbbell run my.toml --trace run.pcap && wireshark run.pcap
  dumbbell run my.toml --trace run.csv --trace run.qlog --trace-flow 1";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let many = args.files.len() > 1;
    if many && (args.samples.is_some() || !args.traces.is_empty()) {
        let wrong = "samples and traces are of one run: give one file at a time";
        return Err(Exit::BadInput(wrong.to_owned()));
    }
    input::once(&args.files)?;
    // All files are read first, so that a mistake in one of them comes before anything runs.
    let files = args.files.iter().map(|file| args.set.file(file));
    let files: Vec<ScenarioFile> = files.collect::<Result<_, _>>()?;
    check_files(args, &input::traces(&files))?;
    let scenarios = files.iter().map(input::scenario);
    let scenarios: Vec<Scenario> = scenarios.collect::<Result<_, _>>()?;
    let outputs = args.tables.outputs(args.json.then_some("--json"))?;
    let format = args.samples.as_deref().map(samples::Format::of);
    let format = format.transpose()?;
    let store = args.store.as_deref().map(Store::open).transpose();
    let store = store.map_err(|error| Exit::BadInput(error.to_string()))?;
    let file = Head::new("file", Type::Text, "the scenario file");
    let mut tidy =
        (!outputs.is_empty()).then(|| Tidy::new(args.tables.kind(), many.then_some(file)));
    let interrupted = interrupt::flag();
    for (number, (file, scenario)) in args.files.iter().zip(&scenarios).enumerate() {
        let shows = !args.json && !outputs.print();
        if number > 0 && shows {
            writeln!(io::stdout())?;
        }
        let file = file.display().to_string();
        let of = One {
            args,
            file: &file,
            scenario,
            shows,
            format,
            store: store.as_ref(),
        };
        let swept = [Some(Cell::Text(&file))];
        let swept = if many { &swept[..] } else { &[] };
        of.run(&interrupted, |outcome| {
            if let Some(tidy) = &mut tidy {
                tidy.run(swept, outcome);
            }
        })?;
        if interrupted.load(Ordering::Relaxed) {
            // The table of a part of the runs would look like that of all.
            return Err(Exit::Interrupted);
        }
    }
    if let Some(tidy) = tidy {
        outputs.write(&tidy.table())?;
    }
    Ok(Code::SUCCESS)
}

/// Checks that no file is written in the place of another, or of one of these packet-delivery traces.
fn check_files(args: &Args, traces: &[PathBuf]) -> Result<(), Exit> {
    let mut read = input::named(&args.files);
    read.extend(traces.iter().map(|path| ("trace", &**path)));
    if let Some(store) = args.store.as_deref() {
        file::apart(&read, &[("--store", store)])?;
        read.push(("store", store));
    }
    let samples = args.samples.iter().map(|path| ("--samples", &**path));
    let traces = args.traces.iter().map(|path| ("--trace", &**path));
    let written: Vec<_> = args.tables.files().chain(samples).chain(traces).collect();
    file::apart(&read, &written)
}

/// The runs of one file.
struct One<'a> {
    args: &'a Args,
    /// Its name.
    file: &'a str,
    scenario: &'a Scenario,
    /// Whether its results are shown in the terminal.
    shows: bool,
    /// The format of the samples.
    format: Option<samples::Format>,
    store: Option<&'a Store>,
}

impl One<'_> {
    /// Makes the runs, shows them, and calls `each` with every outcome in the order of the seeds.
    fn run(&self, interrupted: &AtomicBool, mut each: impl FnMut(&Outcome)) -> Result<(), Exit> {
        let Self { args, scenario, .. } = *self;
        let flows = &args.traced_flows;
        let traces = Traces::begin(scenario, &args.traces, flows)?;
        let bar = progress::of_runs(args.repeat as usize);
        let mut first_series = Vec::new();
        let mut first_samples = None;
        let mut outcomes = Vec::new();
        let mut warnings = Vec::new();
        let mut failure = None;
        let begun = Instant::now();
        let done = |index: usize, timed: Timed, series: Vec<Series>| {
            if index == 0 {
                first_samples = self
                    .format
                    .map(|format| format.samples(&timed.outcome, &series));
                first_series = series;
                warnings = warning::all(scenario, &timed.outcome);
            }
            each(&timed.outcome);
            if args.json {
                if let Err(error) = json::print(self.file, scenario, &timed) {
                    failure.get_or_insert(error);
                    interrupted.store(true, Ordering::Relaxed);
                }
            } else if self.shows {
                outcomes.push(timed.outcome);
            }
        };
        let trouble = match self.store {
            Some(store) => {
                let summary = self.taken_or_computed(store, interrupted, &bar, done);
                if let Some(failure) = summary.failure {
                    return Err(failure.into());
                }
                summary.trouble
            }
            None => {
                self.computed(&traces, interrupted, &bar, done);
                None
            }
        };
        let elapsed = begun.elapsed();
        bar.finish_and_clear();
        for warning in &warnings {
            writeln!(anstream::stderr(), "warning: {}: {warning}", self.file)?;
        }
        traces.failure()?;
        if let Some(error) = failure {
            return Err(error.into());
        }
        if let (Some(path), Some(samples)) = (&args.samples, &first_samples) {
            samples.write(path)?;
        }
        if !outcomes.is_empty() {
            let runs = screen::Runs {
                scenario,
                outcomes: &outcomes,
                series: &first_series,
                elapsed,
            };
            let text = screen::of(runs, view(args));
            io::stdout().lock().write_all(text.as_bytes())?;
        }
        match trouble {
            Some(trouble) => Err(Exit::Failed(format!(
                "the results are complete, but {trouble}"
            ))),
            None => Ok(()),
        }
    }

    fn seed(&self, index: usize) -> u64 {
        let first = self.args.seed.unwrap_or(self.scenario.seed);
        first.wrapping_add(index as u64)
    }

    fn jobs(&self) -> usize {
        let jobs = self.args.jobs;
        jobs.map_or_else(batch::all_cores, |jobs| jobs as usize)
    }

    /// Computes all runs.
    fn computed(
        &self,
        traces: &Traces<'_>,
        interrupted: &AtomicBool,
        bar: &ProgressBar,
        mut done: impl FnMut(usize, Timed, Vec<Series>),
    ) {
        let probe = self.probe();
        let job = |index: usize| {
            let run = Run::new(self.scenario)
                .seed(self.seed(index))
                .probe(probe.as_ref().filter(|_| index == 0))
                .interrupt(interrupted)
                .progress(|| bar.inc(1));
            let clocks = Clocks::now();
            let Done { outcome, series } = traces.run(index, run, interrupted)?;
            Some((clocks.stop(outcome), series))
        };
        let repeat = self.args.repeat as usize;
        batch::in_order(
            repeat,
            self.jobs(),
            interrupted,
            job,
            |index, (timed, series)| {
                done(index, timed, series);
            },
        );
    }

    /// Takes the runs from a store as far as they are there, and computes and stores the others.
    fn taken_or_computed(
        &self,
        store: &Store,
        interrupted: &AtomicBool,
        bar: &ProgressBar,
        mut done: impl FnMut(usize, Timed, Vec<Series>),
    ) -> Summary {
        let probe = self.probe();
        let job = |index: usize| Job {
            scenario: self.scenario,
            seed: self.seed(index),
            probe: probe.as_ref().filter(|_| index == 0),
        };
        let jobs: Vec<Job<'_>> = (0..self.args.repeat as usize).map(job).collect();
        let runner = Runner {
            store: Some(store),
            threads: self.jobs(),
            interrupted,
        };
        runner.run(
            &jobs,
            |advance| bar.inc(advance.steps),
            |index, Done { outcome, series }| done(index, Timed::unknown(outcome), series),
        )
    }

    /// Returns the probe of the first run: the scenario's probe for a file, windows and rates for the
    /// chart.
    fn probe(&self) -> Option<Probe> {
        let scenario = self.scenario;
        if self.args.samples.is_some() {
            return Some(scenario.probe.clone());
        }
        (self.shows && scenario.flow_count() <= chart::MOST_FLOWS).then(|| Probe {
            interval: chart::interval(scenario.duration),
            values: vec![ProbeValue::Cwnd, ProbeValue::Explain],
            estimate: Vec::new(),
            equation: None,
        })
    }
}

/// What is shown in the terminal.
fn view(args: &Args) -> View {
    match args.tables.chosen() {
        _ if args.tables.is_all() => View::All,
        Some(kind) => View::Only(kind),
        None => View::Short,
    }
}
