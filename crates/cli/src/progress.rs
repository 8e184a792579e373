//! Progress with the time left, on a terminal, for work of more than a moment.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over so many runs. It shows nothing where the standard error output is no terminal.
pub fn bar(runs: usize, what: &str) -> ProgressBar {
    let bar =
        ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr_with_hz(8));
    let style = ProgressStyle::with_template(
        "{msg} {bar:40.cyan/blue} {pos}/{len} runs, {elapsed} gone, {eta} left",
    );
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
