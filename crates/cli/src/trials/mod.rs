//! What the commands share that run real transfers on emulated paths: their options, and how they hand over what they
//! have found.

mod facts;
mod files;
pub mod text;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dumbbell_lab::comparison::Comparison;
use dumbbell_live::trials::Schedule;
use dumbbell_run::batch;
use dumbbell_scenario::Scenario;

use crate::exit::{Code, Exit};
use crate::input::{self, Set};

/// The options of such a command.
#[derive(clap::Args)]
pub struct Options {
    /// The scenario file (TOML; docs/scenario.md describes the format); `-` is standard input.
    file: PathBuf,
    #[command(flatten)]
    set: Set,
    /// The first seed. Without it, the file's, or 1.
    #[arg(long)]
    seed: Option<u64>,
    /// Length of a run, such as "20 s". Without it, the file's duration, in real time.
    #[arg(long = "for", value_name = "TIME", value_parser = input::time)]
    duration: Option<Duration>,
    /// The flow that is real, by its name or its number from 1 on. Without it, the first TCP flow without
    /// `size`.
    #[arg(long, value_name = "N|NAME")]
    pub flow: Option<String>,
    /// Number of parallel runs. Without it, as many as there are cores.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: Option<u32>,
    /// How often a run is repeated at most if its results are not to be believed.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    again: u32,
    /// Write the report to this folder: a page with the windows over time, drawings, CSV, JSON. Afterwards the timing
    /// of the machine is measured for some eight seconds, as by `kernel doctor --timing`, for the page.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Exit with code 3 if any run is not to be believed: the machine was too slow, or a buffer of the hosts limited a
    /// connection.
    #[arg(long)]
    strict: bool,
    /// Print one JSON object with everything that was measured.
    #[arg(long)]
    json: bool,
}

/// The longest permitted run: a day.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// What has been found.
pub struct Found {
    /// The number of finished runs.
    pub runs: usize,
    /// Whether any run is not to be believed.
    pub is_doubtful: bool,
    /// The results for the terminal.
    pub text: String,
    /// The page, without what it was made with.
    pub page: Comparison,
    /// One line per run.
    pub runs_csv: String,
    /// One line per sample of a window.
    pub windows_csv: String,
    /// Everything.
    pub json: serde_json::Result<String>,
}

/// Prints what there is to know about the controls.
pub fn tell(notes: &[String]) {
    for note in notes {
        anstream::eprintln!("note: {note}");
    }
}

impl Options {
    /// Returns the scenario, and the length of a run: `brief`, where neither is given.
    pub fn read(&self, brief: Option<Duration>) -> Result<(Scenario, Duration), Exit> {
        let scenario = self.set.scenario(&self.file)?;
        let in_file = Duration::from_nanos(scenario.duration.as_nanos());
        let duration = self.duration.or(brief).unwrap_or(in_file);
        if duration > LONGEST {
            return Err(Exit::BadInput(format!(
                "a run would take {:.1} days of real time; give a shorter one with --for \"20 s\"",
                duration.as_secs_f64() / 86_400.0
            )));
        }
        Ok((scenario, duration))
    }

    /// Creates the folder of the report, if there is to be one, so that a failure comes before the work.
    pub fn folder(&self, page: &str) -> Result<Option<PathBuf>, Exit> {
        let folder = self.out.as_deref();
        folder.map(|it| files::prepare(it, page)).transpose()
    }

    /// Returns the schedule of so many runs.
    pub fn schedule(&self, scenario: &Scenario, repeat: u32, duration: Duration) -> Schedule {
        let jobs = self.jobs.map(|jobs| jobs as usize);
        Schedule {
            seed: self.seed.unwrap_or(scenario.seed),
            repeat,
            duration,
            jobs: jobs.unwrap_or_else(batch::all_cores),
            again: self.again,
        }
    }

    /// Prints what has been found, and writes the report to the folder, with a page of this name.
    pub fn hand_over(
        &self,
        scenario: &Scenario,
        found: Found,
        (folder, page): (Option<&Path>, &str),
        interrupted: &AtomicBool,
    ) -> Result<Code, Exit> {
        if found.runs == 0 {
            return Err(Exit::Interrupted);
        }
        let is_doubtful = found.is_doubtful;
        let failed = |error: &serde_json::Error| Exit::Failed(error.to_string());
        match &found.json {
            Ok(json) if self.json => writeln!(io::stdout().lock(), "{json}")?,
            Err(error) if self.json => return Err(failed(error)),
            _ => write!(anstream::stdout(), "{}", found.text)?,
        }
        if let Some(folder) = folder {
            let mut facts = facts::of(&self.file, scenario);
            if !interrupted.load(Ordering::Relaxed) {
                facts.push(("Timing", facts::timing()?));
            }
            files::write(folder, page, found, facts)?;
            anstream::eprintln!("report: {}", folder.join(page).display());
        }
        if interrupted.load(Ordering::Relaxed) {
            return Err(Exit::Interrupted);
        }
        if self.strict && is_doubtful {
            return Err(Exit::Failed(
                "--strict: not all runs are to be believed".to_owned(),
            ));
        }
        Ok(Code::SUCCESS)
    }
}
