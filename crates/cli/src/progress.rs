//! Progress bars with the remaining time, for work that takes more than a moment. They are shown only
//! if standard error is a terminal.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dumbbell_run::STEPS;
use dumbbell_store::{Advance, Forecast, Job};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Returns a bar over the steps of this number of runs, which take about the same time.
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

/// A line about runs that take different times: the part of the time that is over, the time that is
/// left, the runs that are done, and how many are computed in a second.
pub struct Meter {
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
}

/// What the line shows.
struct State {
    forecast: Forecast,
    threads: usize,
    begun: Instant,
    /// The number of computed runs at some moments of the last seconds.
    computed: VecDeque<(Instant, usize)>,
    /// When the bar was last moved.
    moved: Instant,
}

/// The steps of the bar.
const LENGTH: u64 = 1000;
/// The shortest time between two movements of the bar.
const MOVE: Duration = Duration::from_millis(100);
/// The time over which runs in a second are counted.
const RECENT: Duration = Duration::from_secs(10);

impl Meter {
    /// Shows the line, for runs on so many threads.
    pub fn new(threads: usize) -> Self {
        let now = Instant::now();
        let state = Arc::new(Mutex::new(State {
            forecast: Forecast::default(),
            threads,
            begun: now,
            computed: VecDeque::from([(now, 0)]),
            moved: now,
        }));
        let bar =
            ProgressBar::with_draw_target(Some(LENGTH), ProgressDrawTarget::stderr_with_hz(8));
        let template =
            "{bar:20.cyan/blue} {percent} %, {left} left, {gone} gone, {runs}, {rate} {msg}";
        if let Ok(mut style) = ProgressStyle::with_template(template) {
            type Show = fn(&State) -> String;
            let keys: [(&'static str, Show); 4] = [
                ("left", State::left),
                ("gone", |state| span(state.begun.elapsed())),
                ("runs", State::runs),
                ("rate", State::rate),
            ];
            for (key, show) in keys {
                let state = Arc::clone(&state);
                style = style.with_key(key, move |_: &ProgressState, out: &mut dyn Write| {
                    // What cannot be written is not shown.
                    let _ = out.write_str(&show(&lock(&state)));
                });
            }
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, state }
    }

    /// Begins with these runs.
    pub fn begin(&self, forecast: Forecast) {
        lock(&self.state).forecast = forecast;
    }

    /// Adds runs of similar scenarios.
    pub fn plan(&self, jobs: &[Job<'_>]) {
        lock(&self.state).forecast.add(0, jobs);
    }

    /// Takes a report about a run.
    pub fn note(&self, advance: Advance) {
        let mut state = lock(&self.state);
        state.forecast.note(advance);
        let now = Instant::now();
        if now - state.moved < MOVE {
            return;
        }
        state.moved = now;
        state.count(now);
        let part = state.part();
        // The bar is drawn with the lock.
        drop(state);
        self.bar.set_position((LENGTH as f64 * part) as u64);
    }

    /// Shows a word at the end of the line.
    pub fn tell(&self, word: &str) {
        if self.bar.message() != word {
            self.bar.set_message(word.to_owned());
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl State {
    /// Counts the computed runs, about once a second.
    fn count(&mut self, now: Instant) {
        let is_new = |last: &(Instant, usize)| now - last.0 >= Duration::from_secs(1);
        if self.computed.back().is_none_or(is_new) {
            self.computed.push_back((now, self.forecast.computed()));
        }
        while self.computed.len() > 2 && now - self.computed[0].0 > RECENT {
            self.computed.pop_front();
        }
    }

    /// The part of the whole time that is over.
    fn part(&self) -> f64 {
        let gone = self.begun.elapsed().as_secs_f64();
        let left = self.forecast.left(self.threads);
        left.map_or(0.0, |left| gone / (gone + left.as_secs_f64()))
    }

    fn left(&self) -> String {
        let left = self.forecast.left(self.threads);
        left.map_or_else(|| "unknown time".to_owned(), span)
    }

    fn runs(&self) -> String {
        format!("{} of {} runs", self.forecast.done(), self.forecast.jobs())
    }

    fn rate(&self) -> String {
        let (since, before) = self.computed[0];
        let computed = self.forecast.computed() - before;
        let rate = computed as f64 / since.elapsed().as_secs_f64();
        match rate {
            10.0.. => format!("{rate:.0} runs/s"),
            _ => format!("{rate:.1} runs/s"),
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A time in the two largest units.
fn span(time: Duration) -> String {
    let s = time.as_secs_f64().round() as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_units() {
        let shown = |s: f64| span(Duration::from_secs_f64(s));
        assert_eq!(shown(0.4), "0 s");
        assert_eq!(shown(59.4), "59 s");
        assert_eq!(shown(59.6), "1 min 0 s");
        assert_eq!(shown(3599.0), "59 min 59 s");
        assert_eq!(shown(7500.0), "2 h 5 min");
    }
}
