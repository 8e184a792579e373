//! `dumbbell explain`: why each window changed.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anstyle::{AnsiColor, Style};
use dumbbell_run::explain::{self, Explainer, Kind, Line, Question, Tally};
use dumbbell_run::{Run, Stopped};
use dumbbell_scenario::Duration;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::quantity::{self, Measure};
use indicatif::ProgressBar;

use crate::exit::{Code, Exit};
use crate::input::Set;
use crate::{interrupt, progress, table};

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
    /// times. Without it, all TCP flows.
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
Times are in seconds, windows in segments without the inflation that a recovery adds. The run is the
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
    let output = Arc::new(Mutex::new(Output::new(args.json, Arc::clone(&interrupted))));
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
    let end = scenario.duration;
    let (from, to) = (args.from.unwrap_or(Duration::ZERO), args.to.unwrap_or(end));
    let show = |time: Duration| Measure::Time.show(time.as_nanos());
    for (option, time) in [("--from", from), ("--to", to)] {
        if time > end {
            return Err(Exit::BadInput(format!(
                "{option} {} is after the end of the run, which lasts {}",
                show(time),
                show(end)
            )));
        }
    }
    if from > to {
        return Err(Exit::BadInput(format!(
            "--from {} is later than --to {}",
            show(from),
            show(to)
        )));
    }
    Ok(Question {
        flows,
        from,
        to,
        all: args.all,
    })
}

/// The output for lines. A write error stops the run.
struct Output {
    json: bool,
    width: usize,
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
    fn new(json: bool, interrupted: Arc<AtomicBool>) -> Self {
        Self {
            json,
            width: 0,
            writer: BufWriter::new(anstream::stdout()),
            failure: None,
            interrupted,
        }
    }

    fn heading(&mut self, question: &Question, scenario: &Scenario) {
        let names = explain::names(scenario);
        let labels = question.flows.iter().map(|i| label(i + 1, &names[*i]));
        self.width = labels
            .map(|label| label.chars().count())
            .max()
            .unwrap_or(0)
            .max(4);
        let width = self.width;
        let reconstructed = explain::reconstructed(scenario, &question.flows);
        if let Some(caveat) = table::caveat(reconstructed.into_iter()) {
            let written = write!(self.writer, "{caveat}");
            self.keep(written);
        }
        let written = writeln!(
            self.writer,
            "{BOLD}{:>12}  {:width$}  {:20}  {:>8}    {:8}  {:>8}  {:>8}  why{BOLD:#}",
            "time s", "flow", "event", "cwnd", "", "", "ssthresh",
        );
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
        let width = self.width;
        let style = style(line);
        writeln!(
            self.writer,
            "{:>12.6}  {:width$}  {style}{:20}{style:#}  {:>8.2} -> {:<8.2}  {style}{:>8}{style:#}  {:>8}  {}{}{DIM}{}{DIM:#}",
            line.time_s,
            label(line.flow, &line.name),
            event(line),
            line.cwnd_before,
            line.cwnd_after,
            change(line),
            line.ssthresh_after
                .map_or_else(|| "-".to_owned(), |segments| format!("{segments:.2}")),
            line.condition,
            outcome(line),
            source(line),
        )
    }

    fn summary(&mut self, tally: &Tally, all: bool) {
        let growth = match tally.growth {
            _ if !all => String::new(),
            1 => "; 1 ACK let a window grow".to_owned(),
            acks => format!("; {acks} ACKs let a window grow"),
        };
        let written = writeln!(self.writer, "{tally}{growth}");
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

fn label(number: usize, name: &str) -> String {
    format!("{number} {name}")
}

fn style(line: &Line) -> Style {
    let colour = match line.kind {
        Kind::Reduction if line.event == "timeout" => AnsiColor::Red,
        Kind::Reduction => AnsiColor::Yellow,
        Kind::Growth => AnsiColor::Green,
        Kind::Transition => AnsiColor::Cyan,
        Kind::Spared | Kind::Hold => return DIM,
    };
    colour.on_default()
}

fn event(line: &Line) -> String {
    match line.event {
        "ack" if line.count == 1 => "ACK".to_owned(),
        "ack" => {
            let span = line.until_s - line.time_s;
            let (number, unit) = if span < 1.0 {
                (span * 1e3, "ms")
            } else {
                (span, "s")
            };
            format!("{} ACKs in {number:.1} {unit}", line.count)
        }
        "dup_acks" => "loss, dup ACKs".to_owned(),
        "fine_timer" => "loss, fine timer".to_owned(),
        "ecn" => "ECN mark".to_owned(),
        "recovery_end" => "full ACK".to_owned(),
        "slow_start_end" => "threshold reached".to_owned(),
        other => other.to_owned(),
    }
}

/// Returns the change of the window: a factor, or segments.
fn change(line: &Line) -> String {
    match line.kind {
        Kind::Reduction => format!("x {:.3}", line.factor()),
        Kind::Growth => format!("+ {:.2}", line.cwnd_after - line.cwnd_before),
        Kind::Spared | Kind::Hold | Kind::Transition => "=".to_owned(),
    }
}

fn outcome(line: &Line) -> String {
    let colon = if line.condition.is_empty() { "" } else { ": " };
    let comma = if line.action.is_empty() { "" } else { ", " };
    format!("{colon}{}{comma}{}", line.branch, line.action)
}

fn source(line: &Line) -> String {
    if line.source.is_empty() {
        String::new()
    } else {
        format!("; {}", line.source)
    }
}
