//! `dumbbell reproduce`: reproduces the papers' figures and judges their claims.

mod explored;
mod json;
mod matrix;
mod null;
mod style;
mod terminal;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use dumbbell_lab::claim::Settings;
use dumbbell_lab::experiment::Malformed;
use dumbbell_lab::reproduction::{self, Against, Interrupted, Plan, Reproduction, USUAL_SEED};
use dumbbell_run::batch;
use dumbbell_store::{Runner, Store};

use crate::exit::{Code, Exit};
use crate::{interrupt, progress};

/// Reproduces the papers' figures, judges their claims, and compares all controls on the papers' paths.
/// Writes a report to open in a browser, drawings, tables, and the scenario file of every point.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Papers or figures, such as `venodb` or `venodb-fig2`; `matrix`, which is every control on
    /// every path of the papers; `explored`, which is all papers under other readings of their texts, or
    /// `venodb-explored` and so on for one of them. Without names, all papers and the matrix.
    #[arg(value_name = "PAPER|FIGURE|explored|matrix")]
    names: Vec<String>,
    /// Run fewer points and fewer seeds.
    #[arg(long)]
    quick: bool,
    /// The first seed.
    #[arg(long, default_value_t = USUAL_SEED)]
    seed: u64,
    /// Make every curve the baseline, and list the claims that hold all the same: they say that curves
    /// are alike, or are about the baseline, or they are empty. Writes only PAPER.null.toml.
    #[arg(long, conflicts_with = "against")]
    null: bool,
    /// Number of parallel runs. Without it, as many as there are cores. It does not affect the results.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// The folder for the report and the figures.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// The file for finished runs. Without it, runs.sqlite in the folder of the report.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Compare the verdicts with those that an earlier reproduction wrote to this folder, instead of
    /// those on record.
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// Print one JSON object per claim and one per cell of the matrix, instead of tables.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell reproduce                           every figure of every paper, with the report out/report.html
  dumbbell reproduce venodb --quick            one paper, fewer points and seeds
  dumbbell reproduce venodb-fig2 --seed 100    other random numbers: are the verdicts the same?
  dumbbell reproduce matrix                    every control on every path: goodput, fairness, friendliness, delay
  dumbbell reproduce venodb-explored           other readings of a paper's text: which verdicts change?
  dumbbell reproduce venodb --json | jq .verdict

Finished runs are stored in DIR/runs.sqlite and never repeated, even if the command is interrupted.

Exit code 1: a verdict differs from the one on record for the same seed and the same points.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let plan = plan(args)?;
    reproduction::prepare(&args.out).map_err(|e| Exit::BadInput(e.to_string()))?;
    let begun = Instant::now();
    let found = execute(plan, args)?;
    let seconds = begun.elapsed().as_secs_f64();
    if args.null {
        return null::conclude(&found, args);
    }
    let page = found
        .write(&args.out, seconds)
        .map_err(|e| Exit::Failed(e.to_string()))?;
    let printed = if args.json {
        json::print(&found)
    } else {
        terminal::print(&found, seconds)
            .and_then(|()| writeln!(io::stdout(), "report: {}", page.display()))
    };
    match printed {
        // A reader that has closed the pipe does not change the verdicts.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        printed => printed?,
    }
    for against in found.against() {
        terminal::print_changes(against)?;
    }
    if let Some(trouble) = found.trouble {
        return Err(Exit::Failed(format!(
            "the results are complete, but {trouble}"
        )));
    }
    let broken = found.against().any(Against::is_broken);
    Ok(if broken { Code::CHANGED } else { Code::SUCCESS })
}

/// Plans the runs of everything that the arguments name.
fn plan(args: &Args) -> Result<Plan, Exit> {
    let settings = Settings {
        seed: args.seed,
        quick: args.quick,
    };
    let malformed = |e: Malformed| Exit::Failed(e.to_string());
    let library = dumbbell_papers::library().map_err(malformed)?;
    let mut chosen = library
        .choose(&args.names, settings)
        .map_err(|e| Exit::BadInput(e.to_string()))?;
    if args.null {
        chosen = chosen.null();
        if chosen.papers.is_empty() {
            let wrong = "--null is about the figures of papers, and none is named";
            return Err(Exit::BadInput(wrong.to_owned()));
        }
    }
    if let Some(folder) = &args.against {
        chosen = chosen
            .against(folder)
            .map_err(|e| Exit::BadInput(e.to_string()))?;
    }
    Plan::new(chosen).map_err(malformed)
}

/// Executes the runs, with a progress bar.
fn execute(plan: Plan, args: &Args) -> Result<Reproduction, Exit> {
    let store = args.store.clone();
    let store = store.unwrap_or_else(|| args.out.join("runs.sqlite"));
    let store = Store::open(&store).map_err(|e| Exit::BadInput(e.to_string()))?;
    let interrupted = interrupt::flag();
    let runner = Runner {
        store: Some(&store),
        threads: args
            .jobs
            .map_or_else(batch::all_cores, |jobs| jobs as usize),
        interrupted: &interrupted,
    };
    let bar = progress::of_runs(plan.runs());
    let found = plan.run(
        &runner,
        |steps| bar.inc(steps),
        |name| bar.set_message(name.to_owned()),
    );
    bar.finish_and_clear();
    found.map_err(|Interrupted| Exit::Interrupted)
}
