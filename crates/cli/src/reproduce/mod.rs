//! `dumbbell reproduce`: the papers' figures computed again, and their claims judged.

mod chosen;
mod files;
mod terminal;
mod work;

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_lab::batch;
use dumbbell_lab::claim::{Change, Verdicts};

use crate::exit::{Code, Exit};
use chosen::Chosen;

/// Reproduces the papers' figures and judges their claims: a report to open in a browser, drawings,
/// tables, and the scenario file of every point.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Papers or figures, such as `venodb` or `venodb-fig2`. Without one, everything.
    #[arg(value_name = "PAPER|FIGURE")]
    names: Vec<String>,
    /// A quick look: fewer points and fewer seeds.
    #[arg(long)]
    quick: bool,
    /// The first of the seeds.
    #[arg(long, default_value_t = USUAL_SEED)]
    seed: u64,
    /// How many runs at a time. Without it, as many as there are cores. It changes no result.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// Where to write the report and the figures.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// One JSON object a claim instead of tables.
    #[arg(long)]
    json: bool,
}

/// The seed of the verdicts on record.
const USUAL_SEED: u64 = 1;

const EXAMPLES: &str = "\
Examples:
  dumbbell reproduce                           every figure of every paper, with the report out/report.html
  dumbbell reproduce venodb --quick            one paper, a quick look
  dumbbell reproduce venodb-fig2 --seed 100    other random numbers: do the verdicts stand?
  dumbbell reproduce --json | jq .verdict

Finished runs are kept in DIR/runs.sqlite and are not repeated, whatever ends the command.

Exit code 1: a verdict is not the one on record for these settings (the default seed).";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let chosen = chosen::read(&args.names, args.quick)?;
    files::prepare(&args.out)?;
    let jobs = args
        .jobs
        .map_or_else(batch::all_cores, |jobs| jobs as usize);
    let done = work::run(&chosen, args.seed, jobs, &args.out)?;
    let found = verdicts(&chosen, &done);
    let written = files::write(&chosen, &done, &found, args)?;
    if args.json {
        terminal::print_json(&chosen, &done)?;
    } else {
        terminal::print(&chosen, &done)?;
        writeln!(io::stdout(), "report: {}", written.display())?;
    }
    let changes = found.changes(&on_record(&chosen));
    terminal::print_changes(&changes, args.seed == USUAL_SEED)?;
    let known = |change: &Change| change.recorded.is_some();
    if args.seed == USUAL_SEED && changes.iter().any(known) {
        return Ok(Code::CHANGED);
    }
    Ok(Code::SUCCESS)
}

fn verdicts(chosen: &[Chosen], done: &work::Done) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for (experiment, results) in chosen::experiments(chosen).zip(&done.results) {
        for claim in &experiment.claims {
            let judgement = experiment.judge(claim, results);
            verdicts.insert(&experiment.name, &claim.id, judgement.verdict);
        }
    }
    verdicts
}

fn on_record(chosen: &[Chosen]) -> Verdicts {
    let mut all = Verdicts::default();
    for paper in chosen {
        for (experiment, claim, verdict) in paper.recorded.iter() {
            all.insert(experiment, claim, verdict);
        }
    }
    all
}
