//! How long the page's runs take natively: `cargo run --profile web -p dumbbell-web --example native -- FILE..`
//! prints for each scenario the mean of 20 runs in milliseconds of processor time, of its outcome alone and with curves,
//! cuts and losses.
//! `page/engine/measure.mjs` compares the module with it.

use std::error::Error;
use std::fs::read_to_string;
use std::time::Instant;

use dumbbell_run::Run;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_web::{Wanted, watch};

const TIMES: u32 = 20;

/// What this program has taken of a processor so far, in milliseconds; where Linux does not say so, the time since `start`.
fn busy(start: Instant) -> f64 {
    let told = read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|word| word.parse().ok());
    nanoseconds.map_or(start.elapsed().as_secs_f64() * 1e3, |ns: f64| ns / 1e6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    for file in std::env::args().skip(1) {
        let text = read_to_string(&file)?;
        let read = || Scenario::parse(&file, &text, &Controls::builtin());
        let wanted = Wanted {
            seed: None,
            every: None,
            cuts: true,
            losses: true,
        };
        let mean = |run: &dyn Fn() -> Result<(), Box<dyn Error>>| -> Result<f64, Box<dyn Error>> {
            let begin = busy(start);
            for _ in 0..TIMES {
                run()?;
            }
            Ok((busy(start) - begin) / f64::from(TIMES))
        };
        let plain = mean(&|| {
            let outcome = Run::new(&read()?).go()?.outcome;
            std::hint::black_box(serde_json::to_string(&outcome)?);
            Ok(())
        })?;
        let watched = mean(&|| {
            std::hint::black_box(watch(&read()?, &wanted)?.bytes());
            Ok(())
        })?;
        println!("{plain} {watched}");
    }
    Ok(())
}
