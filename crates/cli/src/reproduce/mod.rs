//! `dumbbell reproduce`: reproduces the papers' figures and judges their claims.

mod explored;
mod json;
mod matrix;
mod null;
mod style;
mod terminal;

use std::fs;
use std::io::{self, Write as _};
use std::iter::once;
use std::path::{Path, PathBuf};
use std::time::Instant;

use dumbbell_lab::claim::Settings;
use dumbbell_lab::reproduction::{
    self, Against, Chosen, Interrupted, News, Opened, Plan, Publisher, Reproduction, USUAL_SEED,
};
use dumbbell_run::batch;
use dumbbell_store::{Runner, Store};

use crate::exit::{Code, Exit};
use crate::new::quoted;
use crate::progress::Meter;
use crate::{controls, interrupt};

/// Reproduces the papers' figures, judges their claims, and compares all controls on the papers' paths.
/// Writes a report to open in a browser, drawings, tables, and the scenario file of every point.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Papers or figures, such as `venodb` or `venodb-fig2`; `matrix`, which is every control on
    /// every path of the papers; `explored`, which is all papers under other readings of their texts, or
    /// `venodb-explored` and so on for one of them; or the folder of a paper of your own, such as
    /// `./myfolder`, and its figures. Without names, all papers and the matrix, but no study.
    #[arg(value_name = "PAPER|FIGURE|FOLDER|explored|matrix")]
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
    /// Put the verdicts on record, in the folders that are named: later reproductions compare with
    /// them. With --null, the claims that hold.
    #[arg(long, conflicts_with = "against")]
    record: bool,
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
  dumbbell reproduce ./myfolder                figures of your own: `dumbbell new myfolder --kind paper`
  dumbbell reproduce ./myfolder --record       later runs exit with 1 if a verdict changes

Finished runs are stored in DIR/runs.sqlite and never repeated, even if the command is interrupted. Each
figure is written as soon as its runs have finished, and the report is refreshed: it can be opened early.

Exit code 1: a verdict differs from the one on record for the same seed and the same points.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let plan = plan(args)?;
    reproduction::prepare(&args.out).map_err(|e| Exit::BadInput(e.to_string()))?;
    let begun = Instant::now();
    let mut publisher = (!args.null).then(|| Publisher::new(&args.out));
    let news = |news: &News<'_>| publisher.iter_mut().for_each(|it| it.take(news));
    let found = execute(&plan, &args.out, args.store.as_deref(), args.jobs, news)?;
    let seconds = begun.elapsed().as_secs_f64();
    let Some(publisher) = publisher else {
        let code = null::conclude(&found, args)?;
        if args.record {
            record(&found, args)?;
        }
        return Ok(code);
    };
    present(&found, publisher, seconds, args.json)?;
    for against in found.against().filter(|against| against.on_record) {
        let mut against = against.clone();
        if args.record {
            against.changes.retain(|change| change.recorded.is_some());
        }
        terminal::print_changes(&against)?;
    }
    if args.record {
        record(&found, args)?;
    } else if !args.json {
        suggest_record(&found);
    }
    check_stored(&found)?;
    // What was put on record is accepted.
    let broken = !args.record && found.against().any(Against::is_broken);
    Ok(if broken { Code::CHANGED } else { Code::SUCCESS })
}

/// Writes the report of a reproduction, and prints its tables or lines of JSON.
pub fn present(
    found: &Reproduction,
    publisher: Publisher,
    seconds: f64,
    json: bool,
) -> Result<(), Exit> {
    let page = publisher
        .finish(found, seconds)
        .map_err(|e| Exit::Failed(e.to_string()))?;
    let printed = if json {
        json::print(found)
    } else {
        terminal::print(found, seconds)
            .and_then(|()| writeln!(io::stdout(), "report: {}", page.display()))
    };
    match printed {
        // A reader that has closed the pipe does not change the verdicts.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}

/// Checks that all runs could be stored.
pub fn check_stored(found: &Reproduction) -> Result<(), Exit> {
    match &found.trouble {
        Some(trouble) => Err(Exit::Failed(format!(
            "the results are complete, but {trouble}"
        ))),
        None => Ok(()),
    }
}

/// Puts the verdicts on record.
fn record(found: &Reproduction, args: &Args) -> Result<(), Exit> {
    let written = found.record().map_err(|e| Exit::Failed(e.to_string()))?;
    for path in written.iter().filter(|_| !args.json) {
        // A reader that has closed the pipe does not change the record.
        let _ = writeln!(io::stdout(), "recorded: {}", path.display());
    }
    Ok(())
}

/// Says how the verdicts of folders without a record can be put on record.
fn suggest_record(found: &Reproduction) {
    let papers = found.papers.iter();
    let without = papers.filter(|paper| !paper.against.on_record);
    for folder in without.filter_map(|paper| paper.about.folder.as_deref()) {
        let folder = quoted(folder);
        let _ = writeln!(
            io::stdout(),
            "no verdicts are on record: `dumbbell reproduce {folder} --record` records them"
        );
    }
}

/// Plans the runs of everything that the arguments name.
fn plan(args: &Args) -> Result<Plan, Exit> {
    let settings = Settings {
        seed: args.seed,
        quick: args.quick,
    };
    let library = dumbbell_papers::library(controls::known());
    let library = library.map_err(|e| Exit::Failed(e.to_string()))?;
    let Opened { library, names } = library.open(&args.names, controls::known())?;
    let mut chosen = library
        .choose(&names, settings)
        .map_err(|e| Exit::BadInput(e.to_string()))?;
    let arguments = args.names.iter().map(|it| quoted(Path::new(it)));
    chosen.words = once("reproduce".to_owned()).chain(arguments).collect();
    check_out(&chosen, &args.out)?;
    if args.null {
        chosen = chosen.null();
        if let Some(paper) = chosen.papers.iter().find(|paper| paper.null.is_empty()) {
            return Err(Exit::BadInput(format!(
                "the baseline of {} is not known\n  = help: write [null] into explored.toml, as in the folder of `dumbbell new --kind paper`",
                paper.about.name
            )));
        }
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
    if args.record {
        chosen
            .check_recordable()
            .map_err(|e| Exit::BadInput(e.to_string()))?;
    }
    Ok(Plan::new(chosen)?)
}

/// Checks that the results do not go to the folder of a paper, among its files.
fn check_out(chosen: &Chosen, out: &Path) -> Result<(), Exit> {
    let Ok(out) = fs::canonicalize(out) else {
        return Ok(());
    };
    let abouts = chosen.papers.iter().map(|paper| &paper.about);
    let mut abouts = abouts.chain(chosen.explorations.iter().map(|it| &it.about));
    let same = |folder: &PathBuf| fs::canonicalize(folder).is_ok_and(|it| it == out);
    match abouts.any(|about| about.folder.as_ref().is_some_and(same)) {
        true => Err(Exit::BadInput(format!(
            "--out is the folder of a paper, {}\n  = help: name another folder for the results, or one in it",
            out.display()
        ))),
        false => Ok(()),
    }
}

/// Executes the runs, with a line about the progress. `news` is called with what is complete. Without a
/// store, they go to one in the folder `out`.
pub fn execute(
    plan: &Plan,
    out: &Path,
    store: Option<&Path>,
    jobs: Option<u32>,
    mut news: impl FnMut(&News<'_>),
) -> Result<Reproduction, Exit> {
    let store = store.map_or_else(|| out.join("runs.sqlite"), Path::to_owned);
    let store = Store::open(&store).map_err(|e| Exit::BadInput(e.to_string()))?;
    let interrupted = interrupt::flag();
    let runner = Runner {
        store: Some(&store),
        threads: jobs.map_or_else(batch::all_cores, |jobs| jobs as usize),
        interrupted: &interrupted,
    };
    let meter = Meter::new(runner.threads);
    let found = plan.run(
        &runner,
        |advance| meter.note(advance),
        |told| {
            news(&told);
            match told {
                News::Begun(forecast) => meter.begin(forecast),
                News::Run(name, _) => meter.tell(name),
                News::Part(..) | News::Stopped(_) => {}
            }
        },
    );
    meter.finish();
    found.map_err(|Interrupted { failure }| failure.map_or(Exit::Interrupted, Exit::from))
}
