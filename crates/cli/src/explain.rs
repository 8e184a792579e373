//! `dumbbell explain`: why each window changed.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anstyle::{AnsiColor, Style};
use dumbbell_run::explain::{self, Columns, Explainer, Kind, Line, Question, Tally};
use dumbbell_run::{Run, Stopped};
use dumbbell_scenario::Duration;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::quantity;
use indicatif::ProgressBar;

use crate::exit::{Code, Exit};
use crate::input::Set;
use crate::{interrupt, progress};

/// Explains why each window was reduced: the event, the values that the control used, the branch that
/// it took, and where the rule is published.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// The scenario file (TOML; docs/scenario.md describes the format); `-` is standard input.
    file: PathBuf,
    #[command(flatten)]
    set: Set,
    /// A flow: its number, from 1 on in the order of `dumbbell run`, or its name. May be given several
    /// times. Without it, all TCP flows, and all media flows with nada or scream.
    #[arg(long, value_name = "N")]
    flow: Vec<String>,
    /// From this time on, such as "12.5 s".
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    from: Option<Duration>,
    /// Up to this time.
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    to: Option<Duration>,
    /// Also show growth. Consecutive ACKs that a flow handled by the same rule are one line, with their
    /// number, the range of the values and the windows before the first and after the last.
    #[arg(long)]
    all: bool,
    /// The seed. Without it, the file's, or 1.
    #[arg(long)]
    seed: Option<u64>,
    /// Print one JSON object per line, with all values that the control explains.
    #[arg(long)]
    json: bool,
}

const AFTER: &str = "\
Times are in seconds, windows in segments without the inflation that a recovery adds, rates of media
flows in kb/s. The run is the
one that `dumbbell run` makes of the same file and seed. docs/explain.md describes the output.

Examples:
  dumbbell explain my.toml
  dumbbell explain my.toml --flow 2 --from \"10 s\" --to \"20 s\"
  dumbbell explain my.toml --flow venodb --all | less -S
  dumbbell explain my.toml --json | jq 'select(.branch == \"random loss\") | .values.backlog'";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let scenario = args.set.scenario(&args.file)?;
    let question = question(args, &scenario)?;
    let interrupted = interrupt::flag();
    let columns = Columns::of(&scenario, &question);
    let output = Output::new(args.json, columns, Arc::clone(&interrupted));
    let output = Arc::new(Mutex::new(output));
    if !args.json {
        lock(&output).heading(&question, &scenario);
    }
    let bar = if io::stdout().is_terminal() {
        ProgressBar::hidden()
    } else {
        progress::of_runs(1)
    };
    let (seed, told) = (args.seed.unwrap_or(scenario.seed), Arc::clone(&output));
    let explainer = Explainer::new(&scenario, &question, move |line| lock(&told).line(line));
    let done = Run::new(&scenario)
        .seed(seed)
        .watch(&explainer)
        .interrupt(&interrupted)
        .progress(|| {
            bar.inc(1);
            lock(&output).flush();
        })
        .go();
    // The events up to an interrupt are valid.
    let tally = explainer.finish();
    bar.finish_and_clear();
    let mut output = lock(&output);
    if done.is_ok() && !args.json {
        output.summary(&tally, args.all);
    }
    output.flush();
    match (output.failure.take(), done) {
        (Some(failure), _) => Err(failure.into()),
        (None, Err(Stopped::Failed(failure))) => Err(failure.into()),
        (None, Err(_)) => Err(Exit::Interrupted),
        (None, Ok(_)) => Ok(Code::SUCCESS),
    }
}

fn question(args: &Args, scenario: &Scenario) -> Result<Question, Exit> {
    let flows = explain::select(scenario, &args.flow).map_err(|e| Exit::BadInput(e.to_string()))?;
    let question = Question {
        flows,
        all: args.all,
        ..Question::about(scenario)
    };
    let span = (args.from, args.to);
    let question = question.between(span, scenario, |option| format!("--{option}"));
    question.map_err(Exit::BadInput)
}

/// The output for lines. A write error stops the run.
struct Output {
    json: bool,
    columns: Columns,
    writer: BufWriter<anstream::AutoStream<io::Stdout>>,
    failure: Option<io::Error>,
    interrupted: Arc<AtomicBool>,
}

fn lock(output: &Mutex<Output>) -> MutexGuard<'_, Output> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

impl Output {
    fn new(json: bool, columns: Columns, interrupted: Arc<AtomicBool>) -> Self {
        Self {
            json,
            columns,
            writer: BufWriter::new(anstream::stdout()),
            failure: None,
            interrupted,
        }
    }

    fn heading(&mut self, question: &Question, scenario: &Scenario) {
        let reconstructed = explain::reconstructed(scenario, &question.flows);
        if let Some(caveat) = explain::caveat(reconstructed.into_iter()) {
            let written = write!(self.writer, "{caveat}");
            self.keep(written);
        }
        let heading = self.columns.heading();
        let written = writeln!(self.writer, "{BOLD}{heading}{BOLD:#}");
        self.keep(written);
    }

    fn line(&mut self, line: &Line) {
        let written = if self.json {
            serde_json::to_writer(&mut self.writer, line)
                .map_err(io::Error::from)
                .and_then(|()| self.writer.write_all(b"\n"))
        } else {
            self.text(line)
        };
        self.keep(written);
    }

    fn text(&mut self, line: &Line) -> io::Result<()> {
        let row = self.columns.row(line, style(line), DIM);
        writeln!(self.writer, "{row}")
    }

    fn summary(&mut self, tally: &Tally, all: bool) {
        let written = writeln!(self.writer, "{}", tally.sentence(all));
        self.keep(written);
    }

    fn flush(&mut self) {
        let written = self.writer.flush();
        self.keep(written);
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failure.get_or_insert(error);
            self.interrupted.store(true, Ordering::Relaxed);
        }
    }
}

fn style(line: &Line) -> Style {
    let colour = match line.kind {
        Kind::Reduction if line.event == "timeout" => AnsiColor::Red,
        Kind::Reduction => AnsiColor::Yellow,
        Kind::Growth | Kind::Restoration => AnsiColor::Green,
        Kind::Transition | Kind::State | Kind::Bounds => AnsiColor::Cyan,
        Kind::Spared | Kind::Hold => return DIM,
    };
    colour.on_default()
}
