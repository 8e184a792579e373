//! `dumbbell reproduce`: the papers' figures computed again, and their claims judged.

mod chosen;
mod files;
mod matrix;
mod report;
mod terminal;
mod work;

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_lab::claim::{Settings, Verdicts};
use dumbbell_run::batch;
use dumbbell_store::Store;

use crate::exit::{Code, Exit};
use chosen::Chosen;
pub use matrix::NAME as MATRIX;

/// Reproduces the papers' figures and judges their claims, and compares all controls on the papers'
/// paths: a report to open in a browser, drawings, tables, and the scenario file of every point.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Papers or figures, such as `venodb` or `venodb-fig2`, or `matrix`: every control on every path of
    /// the papers. Without one, everything.
    #[arg(value_name = "PAPER|FIGURE|matrix")]
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
    /// Where finished runs are kept. Without it, runs.sqlite in the folder of the report.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Compare the verdicts with those that an earlier reproduction wrote into this folder, instead of
    /// with those on record.
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// One JSON object a claim, and one a cell of the matrix, instead of tables.
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
  dumbbell reproduce matrix                    every control on every path: goodput, fairness, friendliness, delay
  dumbbell reproduce venodb --json | jq .verdict

Finished runs are kept in DIR/runs.sqlite and are not repeated, whatever ends the command.

Exit code 1: a verdict is not the one on record for the same seed and the same points.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let chosen = chosen::read(&args.names, args.quick, args.against.as_deref())?;
    let matrix = matrix::read(&args.names, args.quick)?;
    files::prepare(&args.out)?;
    let jobs = args
        .jobs
        .map_or_else(batch::all_cores, |jobs| jobs as usize);
    let store = args
        .store
        .clone()
        .unwrap_or_else(|| args.out.join("runs.sqlite"));
    let store = Store::open(&store).map_err(|e| Exit::BadInput(e.to_string()))?;
    let done = work::run(&chosen, matrix, args.seed, jobs, &store)?;
    let settings = Settings {
        seed: args.seed,
        quick: args.quick,
    };
    let found = verdicts(&chosen, &done, settings);
    let written = files::write(&chosen, &done, &found, args)?;
    let printed = if args.json {
        terminal::print_json(&chosen, &done, settings)
    } else {
        terminal::print(&chosen, &done)
            .and_then(|()| writeln!(io::stdout(), "report: {}", written.display()))
    };
    match printed {
        // A reader that has seen enough changes no verdict.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        printed => printed?,
    }
    let changed = compare(&chosen, &found)?;
    if let Some(trouble) = done.trouble {
        return Err(Exit::Failed(format!(
            "the results are complete, but {trouble}"
        )));
    }
    Ok(if changed {
        Code::CHANGED
    } else {
        Code::SUCCESS
    })
}

fn verdicts(chosen: &[Chosen], done: &work::Done, settings: Settings) -> Vec<Verdicts> {
    let mut results = done.results.iter();
    let mut all = Vec::new();
    for paper in chosen {
        let mut verdicts = Verdicts::new(settings);
        for (experiment, results) in paper.experiments.iter().zip(&mut results) {
            for claim in &experiment.claims {
                let judgement = experiment.judge(claim, results);
                verdicts.insert(&experiment.name, &claim.id, judgement.verdict);
            }
        }
        all.push(verdicts);
    }
    all
}

/// Tells of verdicts that are not those on record. Answers whether there is one that is on record for
/// these very settings.
fn compare(chosen: &[Chosen], found: &[Verdicts]) -> Result<bool, Exit> {
    let mut broken = false;
    for (paper, found) in chosen.iter().zip(found) {
        let changes = found.changes(&paper.recorded);
        let same_settings = found.settings == paper.recorded.settings;
        terminal::print_changes(&changes, same_settings)?;
        broken |= same_settings && changes.iter().any(|change| change.recorded.is_some());
    }
    Ok(broken)
}
