//! `dumbbell matrix`: chosen controls on chosen paths, compared with NewReno.

use std::path::{Path, PathBuf};
use std::time::Instant;

use dumbbell_lab::claim::Settings;
use dumbbell_lab::matrix::Matrix;
use dumbbell_lab::reproduction::{self, Chosen, Plan, Publisher, USUAL_SEED};

use crate::exit::{Code, Exit};
use crate::new::quoted;
use crate::{controls, file, input, reproduce};

/// Compares controls with NewReno on paths: goodput, fairness, friendliness to NewReno, queueing delay.
/// Writes a page to open in a browser, drawings, tables, and the scenario file of every cell.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Controls, with commas between them. A parameter follows with a colon, as in `veno:beta=4`, and so
    /// does another recovery: `veno:recovery=newreno`. Without it, every control. NewReno is always there.
    #[arg(long, value_delimiter = ',', value_name = "CONTROL,...")]
    controls: Vec<String>,
    /// Scenario files, with commas between them, or descriptions of paths; `-` is standard input. The
    /// control and the recovery of every TCP flow are replaced. Without it, the papers' paths.
    #[arg(long, value_delimiter = ',', value_name = "FILE,...")]
    paths: Vec<PathBuf>,
    /// Runs of each scenario. Without it, as many as the paths say, or 10; with --quick, 5.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: Option<u32>,
    /// Run fewer seeds.
    #[arg(long)]
    quick: bool,
    /// The first seed.
    #[arg(long, default_value_t = USUAL_SEED)]
    seed: u64,
    /// Number of parallel runs. Without it, as many as there are cores. It does not affect the results.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// The folder for the page and the tables.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// The file for finished runs. Without it, runs.sqlite in the folder of the page.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Print one JSON object per cell, instead of tables.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell matrix                              every control on the papers' paths
  dumbbell matrix --controls veno,cubic        two controls and NewReno
  dumbbell matrix --controls veno,veno:beta=4  a control with two values of a parameter
  dumbbell matrix --paths my.toml,other.toml   on paths of your own
  dumbbell matrix --paths my.toml --repeat 30 --json | jq .mean

Finished runs are stored in DIR/runs.sqlite and never repeated, even if the command is interrupted.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    input::once(&args.paths)?;
    if let Some(store) = args.store.as_deref() {
        file::apart(&input::named(&args.paths), &[("--store", store)])?;
    }
    check_out(args)?;
    let plan = plan(args)?;
    reproduction::prepare(&args.out).map_err(|e| Exit::BadInput(e.to_string()))?;
    let begun = Instant::now();
    let mut publisher = Publisher::new(&args.out);
    let store = args.store.as_deref();
    let found = reproduce::execute(&plan, &args.out, store, args.jobs, |news| {
        publisher.take(news);
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    reproduce::present(&found, publisher, seconds, args.json)?;
    reproduce::check_stored(&found)?;
    Ok(Code::SUCCESS)
}

/// Checks that no path is a file in the folder for the scenarios of the cells, which is emptied first.
fn check_out(args: &Args) -> Result<(), Exit> {
    let cells = args.out.join("scenarios").join("matrix");
    let is_there = |path: &&PathBuf| file::is_same(file::folder(path), &cells);
    let files = args.paths.iter().filter(|path| !file::is_standard(path));
    match files.into_iter().find(is_there) {
        Some(path) => Err(Exit::BadInput(format!(
            "{} would be lost: the folder {} is emptied for the scenarios of the cells\n  = help: copy the file to another folder, or name another one with --out",
            path.display(),
            cells.display()
        ))),
        None => Ok(()),
    }
}

/// Plans the runs of the chosen controls on the chosen paths.
fn plan(args: &Args) -> Result<Plan, Exit> {
    let known = controls::known();
    let mut matrix = if args.paths.is_empty() {
        dumbbell_papers::matrix(known)?
    } else {
        let files: Vec<&Path> = args.paths.iter().map(PathBuf::as_path).collect();
        Matrix::of_files(&files, known)?
    };
    if !args.controls.is_empty() {
        let wanted: Vec<&str> = args.controls.iter().map(String::as_str).collect();
        matrix = matrix.among(&wanted)?;
    }
    if args.quick {
        matrix = matrix.quick();
    }
    if let Some(repeat) = args.repeat {
        matrix.repeat = repeat.into();
    }
    let settings = Settings {
        seed: args.seed,
        quick: args.quick,
    };
    Ok(Plan::new(Chosen::of_matrix(matrix, words(args), settings))?)
}

/// The words of the command that repeats it, without those of the settings.
fn words(args: &Args) -> Vec<String> {
    let mut words = vec!["matrix".to_owned()];
    if !args.controls.is_empty() {
        words.push(format!("--controls {}", args.controls.join(",")));
    }
    if !args.paths.is_empty() {
        let paths: Vec<String> = args
            .paths
            .iter()
            .map(|it| it.display().to_string())
            .collect();
        words.push(format!("--paths {}", quoted(Path::new(&paths.join(",")))));
    }
    if let Some(repeat) = args.repeat {
        words.push(format!("--repeat {repeat}"));
    }
    words
}
