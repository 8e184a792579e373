//! How long a sweep will take, from a few runs of it.

use std::time::{Duration, Instant};

use dumbbell_lab::sweep::{Sweep, Turn};
use dumbbell_run::Run;
use dumbbell_scenario::Duration as Simulated;

/// The most runs that are tried.
const TRIALS: usize = 16;
/// The time that all trials may take together.
const BUDGET: Duration = Duration::from_millis(1500);
/// The parts of a run between two looks at the clock.
const STEPS: u64 = 200;

/// The time that these runs will take on so many threads: the mean of some of them, evenly spread,
/// each of which is run for a part of its simulated time only if it takes long.
pub fn forecast(sweep: &Sweep, turns: &[Turn], threads: usize) -> Option<Duration> {
    let trials = turns.len().min(TRIALS);
    let chosen = (0..trials).map(|at| turns[at * turns.len() / trials]);
    let budget = BUDGET / trials.max(1) as u32;
    let times: Vec<f64> = chosen.map(|turn| time(sweep, turn, budget)).collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let total = mean * turns.len() as f64 / threads.min(turns.len()).max(1) as f64;
    (!times.is_empty()).then(|| Duration::from_secs_f64(total))
}

/// The time of a run in seconds.
fn time(sweep: &Sweep, turn: Turn, budget: Duration) -> f64 {
    let scenario = &sweep.points[turn.point].scenario;
    let begun = Instant::now();
    let mut run = Run::new(scenario).seed(turn.seed).start();
    let duration = scenario.duration.as_nanos();
    for step in 1..=STEPS {
        let until = u128::from(duration) * u128::from(step) / u128::from(STEPS);
        if run.advance_to(Simulated::from_nanos(until as u64)).is_err() || begun.elapsed() > budget
        {
            return begun.elapsed().as_secs_f64() * STEPS as f64 / step as f64;
        }
    }
    begun.elapsed().as_secs_f64()
}
