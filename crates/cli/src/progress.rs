//! Progress with the time left, on a terminal, for work of more than a moment. Nothing is shown where
//! the standard error output is no terminal.

use std::time::Duration;

use dumbbell_lab::simulation::STEPS;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over the steps of so many runs.
pub fn of_runs(runs: usize) -> ProgressBar {
    let bar = bar(runs as u64 * STEPS, "{percent} %");
    bar.set_message("simulating");
    bar
}

/// A bar over the runs of experiments.
pub fn of_experiments(runs: usize) -> ProgressBar {
    bar(runs as u64, "{pos}/{len} runs")
}

fn bar(length: u64, position: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(8));
    let template =
        format!("{{msg}} {{bar:40.cyan/blue}} {position}, {{elapsed}} gone, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
