//! Counts the instructions that the simulator executes per packet, and each control per ACK.
//!
//! `cargo bench -p dumbbell-run --bench instructions [-- NAME...]` counts them with valgrind and
//! compares them with `recorded.toml`. Counts do not depend on the load of the machine, so they
//! show small regressions that are lost in the noise of timings. The benchmark fails if a count
//! exceeds the recorded one by more than the tolerance; `-- --accept` records the new counts. With
//! a compiler or a platform other than the recorded one it only reports. `cargo test` runs the
//! workloads and counts nothing.

mod acks;
#[path = "../cases/mod.rs"]
mod cases;
mod record;
mod valgrind;
mod workload;

use std::process::ExitCode;

use record::{Record, Verdict};
use valgrind::CountError;
use workload::Workload;

/// How far a count may exceed the recorded one without being a regression, in percent.
const TOLERANCE: f64 = 3.0;

const USAGE: &str = "\
usage: cargo bench -p dumbbell-run --bench instructions [-- NAME... | -- --accept]
  NAME       only these: a, b, c, d, tfrc, red, aqt, ack-filter, droptail, held,
             codel, fq-codel, queue-droptail, queue-codel, queue-fq-codel, many, or names
             of controls
  --accept   record what is counted in benches/instructions/recorded.toml";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(workload) = valgrind::asked(&words) {
        println!("{}", workload.run());
        return ExitCode::SUCCESS;
    }
    if !words.iter().any(|word| word == "--bench") {
        rehearse();
        return ExitCode::SUCCESS;
    }
    let accept = words.iter().any(|word| word == "--accept");
    let (options, names): (Vec<_>, Vec<_>) = words.iter().partition(|word| word.starts_with('-'));
    if options.iter().any(|o| *o != "--bench" && *o != "--accept")
        || names.iter().any(|name| Workload::named(name).is_none())
        || (accept && !names.is_empty())
    {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let chosen = |w: &Workload| names.is_empty() || names.iter().any(|name| **name == w.name());
    match compare(Workload::all().filter(chosen), accept) {
        Ok(code) => code,
        Err(CountError::NoValgrind) => {
            println!("instruction counts: install valgrind (Debian, Ubuntu: apt install valgrind)");
            ExitCode::SUCCESS
        }
        Err(CountError::Failed(reason)) => {
            eprintln!("instruction counts: {reason}");
            ExitCode::from(2)
        }
    }
}

/// Checks that every workload still runs.
fn rehearse() {
    for workload in Workload::all() {
        assert!(workload.run() > 0, "{} does nothing", workload.name());
    }
}

fn compare(
    workloads: impl Iterator<Item = Workload>,
    accept: bool,
) -> Result<ExitCode, CountError> {
    let recorded = Record::read().map_err(CountError::Failed)?;
    let mut counted = Record::of_this_toolchain();
    let comparable = counted.same_toolchain(&recorded);
    let mut regressions = 0;
    let mut improvements = 0;
    for (row, workload) in workloads.enumerate() {
        let count = valgrind::count(&workload)?;
        if row == 0 {
            println!("what                     instructions    recorded   change");
        }
        let before = recorded.get(&workload);
        let verdict = Verdict::of(count, before, TOLERANCE);
        regressions += usize::from(verdict == Verdict::More);
        improvements += usize::from(verdict == Verdict::Less);
        println!(
            "{:<24} {count:>12.1} {:>11}   {}",
            workload.to_string(),
            before.map_or_else(|| "-".to_owned(), |before| format!("{before:.1}")),
            verdict.describe(count, before),
        );
        counted.set(&workload, count);
    }
    if accept {
        counted.write().map_err(CountError::Failed)?;
        println!("recorded in {}", record::FILE);
        return Ok(ExitCode::SUCCESS);
    }
    if !comparable {
        println!(
            "\nrecorded with {}, counted with {}: reported only",
            recorded.toolchain(),
            counted.toolchain()
        );
    }
    if improvements > 0 && comparable {
        println!("\nfewer instructions than recorded: {improvements}. {ACCEPT}");
    }
    if regressions > 0 && comparable {
        eprintln!("\nmore than {TOLERANCE} % above the record: {regressions}. {ACCEPT}");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

const ACCEPT: &str = "If that is meant, record it: \
cargo bench -p dumbbell-run --bench instructions -- --accept";
