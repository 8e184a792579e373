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
    /// The sampling interval, at least 1 ms.
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
    if every < LEAST {
        let given = args.every.as_nanos() as f64 / 1e6;
        return Err(Exit::BadInput(format!(
            "--every {given} ms: at least 1 ms, such as --every 1ms"
        )));
    }
    let lasts = args
        .lasts
        .map(|t| std::time::Duration::from_nanos(t.as_nanos()));
    let mut shown = show::Shown::open(args.json, args.csv.as_deref())?;
    let mut rows = Rows::default();
    #[cfg(feature = "kernel")]
    let mut facts = Facts::listen(wanted.as_deref())?;
    let interrupted = interrupt::flag();
    let begin = Instant::now();
    loop {
        let mut now = rows.look(begin.elapsed(), wanted.as_deref())?;
        #[cfg(feature = "kernel")]
        facts.add(&mut now)?;
        shown.show(&mut now)?;
        let (until, over) = next(begin.elapsed(), every, lasts);
        let until = begin + until;
        while Instant::now() < until && !interrupted.load(Ordering::Relaxed) {
            thread::sleep((until - Instant::now()).min(PAUSE));
        }
        if over || interrupted.load(Ordering::Relaxed) {
            return shown.end();
        }
    }
}

/// Returns the time of the next sample, as a multiple of the interval from the beginning, so that the time that
/// sampling takes does not add up, and false; or the end, and true. Multiples that have passed meanwhile are
/// left out.
#[cfg(target_os = "linux")]
fn next(
    now: std::time::Duration,
    every: std::time::Duration,
    lasts: Option<std::time::Duration>,
) -> (std::time::Duration, bool) {
    let passed = now.as_nanos() % every.as_nanos();
    // Below the interval, which fits.
    let left = every - std::time::Duration::from_nanos(passed as u64);
    let next = now + left;
    match lasts {
        Some(lasts) if next > lasts => (lasts, true),
        _ => (next, false),
    }
}

/// The shortest interval: a sample takes some time itself.
#[cfg(target_os = "linux")]
const LEAST: std::time::Duration = std::time::Duration::from_millis(1);
/// The interval at which Ctrl-C is checked.
#[cfg(target_os = "linux")]
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use super::next;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_trace_ends_in_time_however_long_a_sample_takes() {
        let lasts = Some(2000 * MS);
        assert_eq!(next(3 * MS, 200 * MS, lasts), (200 * MS, false));
        assert_eq!(next(1799 * MS, 200 * MS, lasts), (1800 * MS, false));
        assert_eq!(next(1801 * MS, 200 * MS, lasts), (2000 * MS, false));
        assert_eq!(next(2001 * MS, 200 * MS, lasts), (2000 * MS, true));
        // A sample took 1.3 s: the next is at the next multiple, and not at once for each one that has passed.
        assert_eq!(next(1300 * MS, 200 * MS, lasts), (1400 * MS, false));
        assert_eq!(next(9000 * MS, 200 * MS, None), (9200 * MS, false));
    }
}
