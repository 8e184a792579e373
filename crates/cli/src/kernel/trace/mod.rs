//! `dumbbell kernel trace`: windows as they change.

#[cfg(target_os = "linux")]
mod show;

use std::path::PathBuf;

use dumbbell_scenario::Duration;
use dumbbell_scenario::quantity;

#[cfg(target_os = "linux")]
use crate::exit::{Code, Exit};

/// Shows the windows of this network namespace's TCP connections as they change, whatever their congestion
/// control.
///
/// For pinned Dumbbell controls it also shows their internal values (as root): N, the segments that wait in
/// queues by the last round-trip time, and the rule that was applied last. Ctrl-C ends it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only connections of this control: one of Dumbbell's, or any control by its name in the kernel.
    control: Option<String>,
    /// Stop after this time, such as "10s".
    #[arg(long = "for", value_name = "T", value_parser = quantity::time)]
    lasts: Option<Duration>,
    /// The sampling interval.
    #[arg(long, value_name = "T", value_parser = quantity::time, default_value = "200ms")]
    every: Duration,
    /// Print one JSON object per line, for each connection and sample.
    #[arg(long)]
    json: bool,
    /// Also write the samples to this file (CSV).
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell kernel trace
  dumbbell kernel trace veno --for 10s
  dumbbell kernel trace cubic --json | jq .cwnd
  dumbbell kernel trace veno --every 20ms --for 1min --csv windows.csv";

#[cfg(target_os = "linux")]
pub fn run(args: &Args) -> Result<Code, Exit> {
    use std::sync::atomic::Ordering;
    use std::thread;
    use std::time::Instant;

    #[cfg(feature = "kernel")]
    use dumbbell_live::watch::Facts;
    use dumbbell_live::watch::{self, Rows};

    use crate::interrupt;

    let wanted = args.control.as_deref().map(watch::names).transpose()?;
    let every = std::time::Duration::from_nanos(args.every.as_nanos());
    if every.is_zero() {
        return Err(Exit::BadInput("--every 0: at least 1ms".to_owned()));
    }
    let lasts = args
        .lasts
        .map(|t| std::time::Duration::from_nanos(t.as_nanos()));
    let mut shown = show::Shown::open(args.json, args.csv.as_deref())?;
    let mut rows = Rows::default();
    #[cfg(feature = "kernel")]
    let mut facts = Facts::listen(wanted.as_deref())?;
    let interrupted = interrupt::flag();
    let (begin, mut looks) = (Instant::now(), 0u32);
    loop {
        let mut now = rows.look(begin.elapsed(), wanted.as_deref())?;
        #[cfg(feature = "kernel")]
        facts.add(&mut now)?;
        shown.show(&mut now)?;
        looks += 1;
        // Counted from the beginning, so that the time that sampling takes does not add up.
        let next = every * looks;
        let over = lasts.is_some_and(|lasts| next > lasts);
        let until = begin + if over { lasts.unwrap_or(next) } else { next };
        while Instant::now() < until && !interrupted.load(Ordering::Relaxed) {
            thread::sleep((until - Instant::now()).min(PAUSE));
        }
        if over || interrupted.load(Ordering::Relaxed) {
            return shown.end();
        }
    }
}

/// The interval at which Ctrl-C is checked.
#[cfg(target_os = "linux")]
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
