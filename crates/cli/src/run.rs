//! `dumbbell run`: simulate a scenario.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dumbbell_run::batch;
use dumbbell_run::outcome::Outcome;
use dumbbell_run::samples::Format;
use dumbbell_run::{Done, Run, Series};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Probe, ProbeValue, Scenario};

use crate::exit::{Code, Exit};
use crate::timed::{Clocks, Timed};
use crate::trace::Traces;
use crate::{chart, file, interrupt, progress, table};

/// Simulates a scenario file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The scenario file (TOML; docs/scenario.md describes the format).
    file: PathBuf,
    /// The first seed. Without it, the file's, or 1.
    #[arg(long)]
    seed: Option<u64>,
    /// Number of runs, with consecutive seeds.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: u32,
    /// Number of parallel runs. Without it, as many as there are cores. It does not affect the results.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// Print one JSON object per line for each run, in the order of the seeds.
    #[arg(long)]
    json: bool,
    /// Write the samples of the scenario's probe in the first run to this file: one line per sample (.csv),
    /// or one object per series (.json).
    #[arg(long, value_name = "OUT.csv|OUT.json")]
    samples: Option<PathBuf>,
    /// Write the events at the senders of the first run to this file: lines of numbers (.csv), a capture
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
  dumbbell run my.toml --samples windows.csv
  dumbbell run my.toml --trace run.pcap && wireshark run.pcap
  dumbbell run my.toml --trace run.csv --trace run.qlog --trace-flow 1";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let scenario = Scenario::load(&args.file, &Controls::builtin()).map_err(Exit::Scenario)?;
    let seed = args.seed.unwrap_or(scenario.seed);
    let repeat = args.repeat as usize;
    let jobs = args
        .jobs
        .map_or_else(batch::all_cores, |jobs| jobs as usize);
    let interrupted = interrupt::flag();
    let format = args.samples.as_deref().map(samples_format).transpose()?;
    let traces = Traces::begin(
        &scenario,
        &args.traces,
        &args.traced_flows,
        args.samples.as_ref(),
    )?;
    let probe = probe(args, &scenario);
    let bar = progress::of_runs(repeat);
    let mut first_series = Vec::new();
    let mut first_samples = None;
    let mut outcomes = Vec::new();
    let mut failure = None;
    let job = |index: usize| {
        let seed = seed.wrapping_add(index as u64);
        let run = Run::new(&scenario)
            .seed(seed)
            .probe(probe.as_ref().filter(|_| index == 0))
            .interrupt(&interrupted)
            .progress(|| bar.inc(1));
        let clocks = Clocks::now();
        let Done { outcome, series } = traces.run(index, run, &interrupted)?;
        Some((clocks.stop(outcome), series))
    };
    let begun = Instant::now();
    batch::in_order(repeat, jobs, &interrupted, job, |index, (timed, series)| {
        if index == 0 {
            first_samples = format.map(|format| format.write(&timed.outcome, &series));
            first_series = series;
        }
        if args.json {
            if let Err(error) = print_json(&timed) {
                failure.get_or_insert(error);
                interrupted.store(true, Ordering::Relaxed);
            }
        } else {
            outcomes.push(timed.outcome);
        }
    });
    let elapsed = begun.elapsed();
    bar.finish_and_clear();
    traces.failure()?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    if let (Some(path), Some(text)) = (&args.samples, &first_samples) {
        file::write(path, text)?;
    }
    if !outcomes.is_empty() {
        print(&scenario, &outcomes, &first_series, elapsed)?;
    }
    finish(&interrupted)
}

fn finish(interrupted: &AtomicBool) -> Result<Code, Exit> {
    if interrupted.load(Ordering::Relaxed) {
        Err(Exit::Interrupted)
    } else {
        Ok(Code::SUCCESS)
    }
}

/// Returns the probe of the first run: the scenario's probe for a file, windows and rates for the chart.
fn probe(args: &Args, scenario: &Scenario) -> Option<Probe> {
    if args.samples.is_some() {
        return Some(scenario.probe.clone());
    }
    (!args.json && scenario.flow_count() <= chart::MOST_FLOWS).then(|| Probe {
        interval: chart::interval(scenario.duration),
        values: vec![ProbeValue::Cwnd, ProbeValue::Explain],
        estimate: Vec::new(),
        equation: None,
    })
}

/// Returns the format of the samples, so that a failure comes before the work. A pipe or a device gets CSV.
fn samples_format(path: &Path) -> Result<Format, Exit> {
    file::check(path)?;
    match Format::of(path) {
        Some(format) => Ok(format),
        None if file::is_special(path) => Ok(Format::Csv),
        None => {
            let [first, second] = Format::ALL.map(Format::ending);
            Err(Exit::BadInput(format!(
                "cannot tell the format of the samples {}: its name should end in .{first} or .{second}",
                path.display()
            )))
        }
    }
}

fn print_json(run: &Timed) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, run)?;
    out.write_all(b"\n")
}

fn print(
    scenario: &Scenario,
    outcomes: &[Outcome],
    series: &[Series],
    elapsed: Duration,
) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    write!(out, "{}", table::of_runs(scenario, outcomes, elapsed))?;
    let few = scenario.flow_count() <= chart::MOST_FLOWS;
    if let Some(chart) = few.then(|| chart::drawn(&outcomes[0], series)).flatten() {
        write!(out, "\n{chart}")?;
    }
    Ok(())
}
