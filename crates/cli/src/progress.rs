//! Progress with the time left, on a terminal, for work of more than a moment. Nothing is shown where
//! the standard error output is no terminal.

use std::time::Duration;

use dumbbell_lab::simulation::STEPS;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over the steps of so many runs.
pub fn of_runs(runs: usize) -> ProgressBar {
    let length = Some(runs as u64 * STEPS);
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(8));
    let template = "{msg} {bar:40.cyan/blue} {percent} %, {elapsed} gone, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message("simulating");
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
