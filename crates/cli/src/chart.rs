//! A small chart of windows and rates, for the terminal.

use std::fmt::Write as _;

use dumbbell_run::outcome::Outcome;
use dumbbell_run::{Reading, Series, Subject};
use dumbbell_scenario::Duration;
use textplots::{Chart, Plot, Shape};

/// The largest number of flows that get a separate chart each.
pub const MOST_FLOWS: usize = 4;

/// Width in dots; a character is two dots wide and four high.
const WIDTH: u32 = 150;
const HEIGHT: u32 = 40;

/// Returns the sampling interval that fills the width.
pub fn interval(duration: Duration) -> Duration {
    Duration::from_nanos((duration.as_nanos() / u64::from(WIDTH)).max(1))
}

/// The quantities that are drawn: windows, and the allowed rates of media flows.
const DRAWN: [(&str, f64, &str); 2] = [
    ("cwnd", 1.0, "window in segments"),
    ("explain.allowed_rate", 1e-3, "allowed rate in kb/s"),
];

/// Draws a chart of each flow's window or allowed rate in the first run. Returns `None` if neither
/// was sampled.
pub fn drawn(outcome: &Outcome, series: &[Series]) -> Option<String> {
    let mut text = String::new();
    for one in series {
        let drawn = DRAWN
            .iter()
            .find(|(quantity, ..)| one.quantity == *quantity);
        let Some((_, scale, what)) = drawn else {
            continue;
        };
        let Subject::Flow(flow) = one.subject else {
            continue;
        };
        let name = &outcome.flows.get(flow)?.name;
        let points: Vec<(f32, f32)> = one
            .points
            .iter()
            .filter_map(|at| point(at, *scale))
            .collect();
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            continue;
        };
        if first.0 < last.0 {
            writeln!(
                text,
                "{name}: {what} over time in seconds, seed {}",
                outcome.seed
            )
            .ok()?;
            let shape = Shape::Steps(&points);
            let mut chart = Chart::new(WIDTH, HEIGHT, first.0, last.0);
            let chart = chart.lineplot(&shape);
            chart.axis();
            chart.figures();
            writeln!(text, "{chart}").ok()?;
        }
    }
    (!text.is_empty()).then_some(text)
}

fn point(&(time, reading): &(f64, Reading), scale: f64) -> Option<(f32, f32)> {
    match reading {
        Reading::Number(value) => Some((time as f32, (value * scale) as f32)),
        Reading::Word(_) => None,
    }
}
