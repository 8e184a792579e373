//! Progress bars with the remaining time, for work that takes more than a moment. They are shown only
//! if standard error is a terminal.

use std::fmt::Write;
use std::time::Duration;

use dumbbell_run::STEPS;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Returns a bar over the steps of this number of runs.
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

/// Returns a bar over the steps of a sweep, whose number grows: the runs that are done, how many end in
/// a second, and the time that is left.
pub fn of_sweep() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(8));
    let template = "{runs} {bar:30.cyan/blue} {percent} %, {rate}, {elapsed} gone, {eta} left";
    let runs = |state: &ProgressState, out: &mut dyn Write| {
        let (done, all) = (state.pos() / STEPS, state.len().unwrap_or(0) / STEPS);
        // What cannot be written is not shown.
        let _ = write!(out, "{done} of {all} runs");
    };
    let rate = |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{:.0} runs/s", state.per_sec() / STEPS as f64);
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("runs", runs).with_key("rate", rate));
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A bar over runs of known duration.
#[cfg(target_os = "linux")]
pub struct RealTime {
    bar: ProgressBar,
    done: std::sync::atomic::AtomicUsize,
    runs: usize,
    jobs: usize,
    duration: Duration,
}

/// Returns a bar over `runs` runs of this duration, of which `jobs` run in parallel.
#[cfg(target_os = "linux")]
pub fn of_real_time(runs: usize, jobs: usize, duration: Duration) -> RealTime {
    let target = ProgressDrawTarget::stderr_with_hz(8);
    let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
    let template = "{msg} {bar:40.cyan/blue} {pos} of {len} runs, {elapsed} gone, {prefix}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message("measuring");
    bar.enable_steady_tick(Duration::from_millis(250));
    let real = RealTime {
        bar,
        done: std::sync::atomic::AtomicUsize::new(0),
        runs,
        jobs: jobs.max(1),
        duration,
    };
    real.tell(runs);
    real
}

#[cfg(target_os = "linux")]
impl RealTime {
    /// Records that a run has finished.
    pub fn over(&self) {
        let done = 1 + self.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.bar.inc(1);
        self.tell(self.runs.saturating_sub(done));
    }

    /// Completes the bar when all runs have finished.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn tell(&self, left: usize) {
        let time = self.duration * left.div_ceil(self.jobs) as u32;
        self.bar
            .set_prefix(format!("about {} left", indicatif::HumanDuration(time)));
    }
}
