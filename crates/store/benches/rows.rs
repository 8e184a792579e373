//! Measures how long it takes to store runs and to read them, and how many bytes they take on disk.
//!
//! `cargo bench -p dumbbell-store` does so with runs of its own;
//! `cargo bench -p dumbbell-store -- FILE` reads all runs of an existing store.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use dumbbell_run::{Done, Run};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_store::{Key, Store, each};

/// Eight flows with two controls, which share a lossy link.
const SCENARIO: &str = r#"
duration = "60 s"
[dumbbell]
access = { rate = "10 Mb/s", delay = "1 ms" }
bottleneck = { rate = "8 Mb/s", delay = "20 ms", queue = { droptail = 40 }, loss = { bernoulli = 0.01 } }
[[flow]]
control = "veno"
count = 4
start = { uniform = ["0 s", "1 s"] }
[[flow]]
control = "reno"
count = 4
start = { uniform = ["0 s", "1 s"] }
[probe]
interval = "100 ms"
values = ["cwnd", "rtt", "rate", "queue"]
"#;
const RUNS: u64 = 100;
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    match std::env::args()
        .skip(1)
        .find(|word| !word.starts_with("--"))
    {
        Some(file) => whole(Path::new(&file)),
        None => own(),
    }
}

/// Reads a whole store.
fn whole(file: &Path) -> Result<(), Box<dyn Error>> {
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let (mut runs, mut series, mut points) = (0, 0, 0);
        each(file, |kept| {
            runs += 1;
            series += kept.done.series.len();
            points += kept
                .done
                .series
                .iter()
                .map(|series| series.points.len())
                .sum::<usize>();
            Ok(())
        })?;
        println!(
            "{runs} runs, {series} series, {points} points read in {:.2} s, {:.1} MB",
            begun.elapsed().as_secs_f64(),
            std::fs::metadata(file)?.len() as f64 / 1e6
        );
    }
    Ok(())
}

/// Stores runs with and without samples, one at a time, and reads them.
fn own() -> Result<(), Box<dyn Error>> {
    let scenario = Scenario::parse("bench", SCENARIO, &Controls::builtin())
        .map_err(|report| report.render(false))?;
    for (name, probe) in [("outcomes", None), ("samples", Some(&scenario.probe))] {
        let key = Key::of(&scenario, 0, probe).ok_or("a built-in control has a key")?;
        let runs = (0..RUNS).map(|seed| Run::new(&scenario).seed(seed).probe(probe).go());
        let runs: Vec<Done> = runs.collect::<Result<_, _>>()?;
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("runs.sqlite");
        let store = Store::open(&file)?;
        let empty = std::fs::metadata(&file)?.len();
        let begun = Instant::now();
        for (seed, run) in (0..).zip(&runs) {
            store.put(&key.with_seed(seed), run)?;
        }
        let put = begun.elapsed();
        let size = std::fs::metadata(&file)?.len() - empty;
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            for (seed, run) in (0..).zip(&runs) {
                assert!(store.get(&key.with_seed(seed))?.as_ref() == Some(run));
            }
            best = best.min(begun.elapsed().as_secs_f64());
        }
        println!(
            "{name}: {} bytes a run, kept in {:.0} us, found in {:.0} us",
            size / RUNS,
            put.as_secs_f64() / RUNS as f64 * 1e6,
            best / RUNS as f64 * 1e6
        );
    }
    Ok(())
}
