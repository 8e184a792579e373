//! How long the page's runs take natively: `cargo run --profile web -p dumbbell-web --example native -- FILE..`
//! prints for each scenario the shortest of 20 runs in milliseconds, of its outcome alone and with curves and cuts.
//! `page/engine/measure.mjs` compares the module with it.

use std::error::Error;
use std::time::Instant;

use dumbbell_run::Run;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_web::{Wanted, watch};

const TIMES: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let read = || Scenario::parse(&file, &text, &Controls::builtin());
        let wanted = Wanted {
            seed: None,
            every: None,
            cuts: true,
            losses: true,
        };
        let mut least = [f64::INFINITY; 2];
        for _ in 0..TIMES {
            let begin = Instant::now();
            let outcome = Run::new(&read()?).go()?.outcome;
            std::hint::black_box(serde_json::to_string(&outcome)?);
            least[0] = least[0].min(begin.elapsed().as_secs_f64() * 1e3);
            let begin = Instant::now();
            std::hint::black_box(watch(&read()?, &wanted)?.bytes());
            least[1] = least[1].min(begin.elapsed().as_secs_f64() * 1e3);
        }
        println!("{} {}", least[0], least[1]);
    }
    Ok(())
}
