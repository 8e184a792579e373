//! `dumbbell reproduce`: the papers' figures, computed again.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use dumbbell_lab::batch;
use dumbbell_lab::experiment::{Experiment, Results};
use dumbbell_papers::FIGURES;

use crate::exit::{Code, Exit};
use crate::table::{new_table, show};
use crate::{file, interrupt, progress};

/// Reproduces the papers' figures: tables beside the papers' numbers, CSV and SVG.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Papers or figures, such as `venodb` or `venodb-fig2`. Without one, everything.
    names: Vec<String>,
    /// The first of the seeds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many runs at a time. Without it, as many as there are cores. It changes no result.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    jobs: Option<u32>,
    /// Where to write the figures.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell reproduce
  dumbbell reproduce venodb-fig2 --out figures
  dumbbell reproduce venodb --seed 100";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let experiments = chosen(&args.names)?;
    fs::create_dir_all(&args.out).map_err(|e| {
        Exit::BadInput(format!(
            "cannot write to the folder {}: {e}",
            args.out.display()
        ))
    })?;
    let jobs = args
        .jobs
        .map_or_else(batch::all_cores, |jobs| jobs as usize);
    let interrupted = interrupt::flag();
    for experiment in experiments {
        let begun = Instant::now();
        let bar = progress::of_experiment(experiment.runs(), &experiment.name);
        let results = experiment
            .run(args.seed, jobs, &interrupted, || bar.inc(1))
            .map_err(|e| Exit::Failed(e.to_string()))?;
        bar.finish_and_clear();
        let results = results.ok_or(Exit::Interrupted)?;
        report(&experiment, &results, begun)?;
        for file in write(&experiment, &results, &args.out)? {
            writeln!(io::stdout(), "written: {}", file.display())?;
        }
    }
    Ok(Code::SUCCESS)
}

fn chosen(names: &[String]) -> Result<Vec<Experiment>, Exit> {
    let mut all = Vec::new();
    for source in FIGURES {
        let experiment = Experiment::parse(source.experiment, source.scenario)
            .map_err(|e| Exit::Failed(e.to_string()))?;
        all.push((source.paper, experiment));
    }
    for name in names {
        if !all
            .iter()
            .any(|(paper, experiment)| name == paper || *name == experiment.name)
        {
            let known: Vec<&str> = all
                .iter()
                .flat_map(|(paper, e)| [*paper, e.name.as_str()])
                .collect();
            return Err(Exit::BadInput(format!(
                "there is no paper or figure `{name}`; there are: {}",
                known.join(", ")
            )));
        }
    }
    let wanted = |paper: &str, experiment: &Experiment| {
        names.is_empty()
            || names
                .iter()
                .any(|name| name == paper || *name == experiment.name)
    };
    Ok(all
        .into_iter()
        .filter(|(paper, e)| wanted(paper, e))
        .map(|(_, e)| e)
        .collect())
}

fn report(experiment: &Experiment, results: &Results, begun: Instant) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    let figure = experiment.figure(results);
    writeln!(out, "{}\n{}", figure.title, experiment.source)?;
    writeln!(
        out,
        "{}, mean and 95 % interval of {} runs\n",
        figure.y_label, experiment.repeat
    )?;
    let mut table = new_table(
        std::iter::once(figure.x_label.as_str())
            .chain(figure.series.iter().map(|c| c.name.as_str())),
    );
    for (row, x) in experiment.x.values.iter().enumerate() {
        let values = figure.series.iter().map(|curve| {
            curve
                .points
                .get(row)
                .map_or_else(|| "-".to_owned(), |(_, estimate)| show(*estimate, 1))
        });
        table.add_row(std::iter::once(x.to_string()).chain(values));
    }
    writeln!(out, "{table}\n")?;
    if !experiment.gain.is_empty() {
        let mut gains = new_table(["gain, %", "at", "paper", "here"]);
        for gain in &experiment.gain {
            let here = experiment
                .measured(results, gain)
                .map_or_else(|| "-".to_owned(), |e| show(e, 1));
            gains.add_row([
                format!("{} over {}", gain.of, gain.over),
                gain.x.to_string(),
                gain.paper.to_string(),
                here,
            ]);
        }
        writeln!(out, "{gains}\n")?;
    }
    writeln!(
        out,
        "{} runs in {:.1} s",
        experiment.runs(),
        begun.elapsed().as_secs_f64()
    )?;
    Ok(())
}

/// Writes the figure's data and drawing.
fn write(experiment: &Experiment, results: &Results, folder: &Path) -> Result<Vec<PathBuf>, Exit> {
    let figure = experiment.figure(results);
    let svg = figure.svg().map_err(Exit::Failed)?;
    let mut written = Vec::new();
    for (extension, text) in [("csv", figure.csv()), ("svg", svg)] {
        let path = folder.join(format!("{}.{extension}", experiment.name));
        file::write(&path, &text)?;
        written.push(path);
    }
    Ok(written)
}
