//! `dumbbell compare`: one path, several congestion controls of the kernel.

mod facts;
mod files;
mod tabular;
mod together;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dumbbell_live::compare::{Comparison, Plan, contenders};
use dumbbell_live::mixture::Entry;
use dumbbell_live::real_flow::Pick;
use dumbbell_live::trials::Schedule;
use dumbbell_run::batch;
use dumbbell_scenario::Scenario;
use serde::Serialize;

use crate::exit::{Code, Exit};
use crate::input::{self, Set};
use crate::{interrupt, progress};

/// Measures the kernel's TCP under several controls on one emulated path, beside the simulator's prediction
/// (Linux, as root).
///
/// The first TCP flow of the scenario becomes a real connection of the kernel between two separate hosts, or
/// several with --together and --beside; all other flows are simulated beside it. It starts at once and always has data to send. Of its keys in the
/// file, only its place in the network, its packet sizes and `ecn` are used; everything else is as in Linux,
/// in the simulator too. Dumbbell's controls are loaded while the comparison runs, if the command was built
/// with them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The scenario file (TOML; docs/scenario.md describes the format); `-` is standard input.
    file: PathBuf,
    #[command(flatten)]
    set: Set,
    /// The controls; the first is the reference for differences. A name is one of Dumbbell's controls (veno,
    /// venodb ...), `all` of them, one of the kernel's (reno, cubic, bbr ...), or one that is already loaded
    /// (db_veno). `kernel:NAME` is the kernel's control if Dumbbell has one of the same name.
    #[arg(long, value_delimiter = ',', value_name = "A,B,C", default_value = contenders::USUAL)]
    controls: Vec<String>,
    /// Several real connections beside each other instead of one control after the other: controls, each with
    /// its number (veno*2), and streams of datagrams (udp:1Mb/s). They all take the place of the real flow; the
    /// word `file` makes every TCP flow of the scenario without `size` real where it is, with its own control.
    #[arg(long, value_delimiter = ',', value_name = "A,B*N,udp:RATE", value_parser = Entry::read, conflicts_with = "controls")]
    together: Vec<Entry>,
    /// Run each control as one connection beside these others, after a run in which one more of the first of
    /// them is in its place: what it leaves to them shows how friendly it is.
    #[arg(long, value_delimiter = ',', value_name = "A*N,udp:RATE", value_parser = Entry::read, conflicts_with = "together")]
    beside: Vec<Entry>,
    /// Number of runs of each control, with consecutive seeds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// The first seed. Without it, the file's, or 1.
    #[arg(long)]
    seed: Option<u64>,
    /// Length of a run, such as "20 s". Without it, the file's duration, in real time.
    #[arg(long = "for", value_name = "TIME", value_parser = input::time)]
    duration: Option<Duration>,
    /// The flow that is real, by its name or its number from 1 on. Without it, the first TCP flow without
    /// `size`.
    #[arg(long, value_name = "N|NAME")]
    flow: Option<String>,
    /// Number of parallel runs. Without it, as many as there are cores.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: Option<u32>,
    /// How often a run is repeated at most if its results are not to be believed.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    again: u32,
    /// Predict each control that differs from the kernel by more than both intervals again, with one switch of the
    /// simulated Linux at a time the other way, and show which of them moves the prediction towards the kernel.
    #[arg(long)]
    explain_difference: bool,
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

const EXAMPLES: &str = "\
Examples:
  dumbbell compare my.toml
  dumbbell compare my.toml --controls reno,cubic,veno --repeat 6 --for 20s
  dumbbell compare my.toml --controls cubic,all --out report     a page with windows over time
  dumbbell compare my.toml --controls kernel:vegas,vegas
  dumbbell compare my.toml --controls reno --repeat 6 --explain-difference
  dumbbell compare my.toml --together veno,cubic*2     who gets how much
  dumbbell compare my.toml --controls veno,bbr --beside reno*3     what they leave to others

Needs root. Dumbbell's controls need a build with `--features kernel` (docs/kernel.md).";

/// The longest permitted run: a day.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

pub fn run(args: &Args) -> Result<Code, Exit> {
    let scenario = args.set.scenario(&args.file)?;
    let duration = args
        .duration
        .unwrap_or_else(|| Duration::from_nanos(scenario.duration.as_nanos()));
    if duration > LONGEST {
        return Err(Exit::BadInput(format!(
            "a run would take {:.1} days of real time; give a shorter one with --for \"20 s\"",
            duration.as_secs_f64() / 86_400.0
        )));
    }
    if !args.together.is_empty() || !args.beside.is_empty() {
        return together::run(args, &scenario, duration);
    }
    let picked = Pick::Tcp.of(&scenario, args.flow.as_deref())?;
    let folder = args.out.as_deref().map(files::prepare).transpose()?;
    let interrupted = interrupt::flag();
    let entered = contenders::enter(&args.controls, &scenario)?;
    tell(&entered.notes);
    let plan = Plan {
        scenario: &scenario,
        flow: picked,
        contenders: entered.contenders,
        schedule: args.schedule(&scenario, duration),
        explains: args.explain_difference,
    };
    let bar = progress::of_real_time(plan.runs(), plan.schedule.jobs, duration);
    let found = plan.run(&interrupted, || bar.over());
    bar.finish();
    args.hand_over(&scenario, &found?, folder.as_deref(), &interrupted)
}

/// Prints what there is to know about the controls.
fn tell(notes: &[String]) {
    for note in notes {
        anstream::eprintln!("note: {note}");
    }
}

/// What a comparison has found, whatever it compares.
trait Found: Serialize {
    /// The number of finished runs.
    fn runs(&self) -> usize;
    /// Whether any run is not to be believed.
    fn is_doubtful(&self) -> bool;
    /// The results for the terminal.
    fn table(&self, scenario: &Scenario) -> String;
    /// Writes the report.
    fn write(&self, folder: &Path, scenario: &Scenario, facts: Facts) -> Result<(), Exit>;
}

/// What a report says about its circumstances.
type Facts = Vec<(&'static str, String)>;

impl Found for Comparison {
    fn runs(&self) -> usize {
        self.runs()
    }

    fn is_doubtful(&self) -> bool {
        self.is_doubtful()
    }

    fn table(&self, scenario: &Scenario) -> String {
        tabular::of(scenario, self)
    }

    fn write(&self, folder: &Path, scenario: &Scenario, facts: Facts) -> Result<(), Exit> {
        files::write(folder, scenario, self, facts)
    }
}

impl Args {
    fn schedule(&self, scenario: &Scenario, duration: Duration) -> Schedule {
        let jobs = self.jobs.map(|jobs| jobs as usize);
        Schedule {
            seed: self.seed.unwrap_or(scenario.seed),
            repeat: self.repeat,
            duration,
            jobs: jobs.unwrap_or_else(batch::all_cores),
            again: self.again,
        }
    }

    /// Prints what has been found, and writes the report to the folder.
    fn hand_over(
        &self,
        scenario: &Scenario,
        found: &impl Found,
        folder: Option<&Path>,
        interrupted: &AtomicBool,
    ) -> Result<Code, Exit> {
        if found.runs() == 0 {
            return Err(Exit::Interrupted);
        }
        if self.json {
            json(found)?;
        } else {
            write!(anstream::stdout(), "{}", found.table(scenario))?;
        }
        if let Some(folder) = folder {
            let mut facts = facts::of(&self.file, scenario);
            if !interrupted.load(Ordering::Relaxed) {
                facts.push(("Timing", facts::timing()?));
            }
            found.write(folder, scenario, facts)?;
            anstream::eprintln!("report: {}", folder.join(files::PAGE).display());
        }
        if interrupted.load(Ordering::Relaxed) {
            return Err(Exit::Interrupted);
        }
        if self.strict && found.is_doubtful() {
            return Err(Exit::Failed(
                "--strict: not all runs are to be believed".to_owned(),
            ));
        }
        Ok(Code::SUCCESS)
    }
}

fn json(found: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, found)?;
    out.write_all(b"\n")
}
