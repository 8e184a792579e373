//! A small chart of the windows, for the terminal.

use std::fmt::Write as _;

use dumbbell_lab::Duration;
use dumbbell_lab::outcome::Outcome;
use dumbbell_lab::simulation::{Reading, Series, Subject};
use textplots::{Chart, Plot, Shape};

/// The most flows that get a chart each.
pub const MOST_FLOWS: usize = 4;

/// Width in dots; a character is two dots wide and four high.
const WIDTH: u32 = 150;
const HEIGHT: u32 = 40;

/// Samples that fill the width.
pub fn interval(duration: Duration) -> Duration {
    Duration::from_nanos((duration.as_nanos() / u64::from(WIDTH)).max(1))
}

/// A chart of each flow's window in the first run. Nothing where no window was sampled.
pub fn windows(outcome: &Outcome, series: &[Series]) -> Option<String> {
    let mut text = String::new();
    for one in series.iter().filter(|series| series.quantity == "cwnd") {
        let Subject::Flow(flow) = one.subject else {
            continue;
        };
        let name = &outcome.flows.get(flow)?.name;
        let points: Vec<(f32, f32)> = one.points.iter().filter_map(point).collect();
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            continue;
        };
        if first.0 < last.0 {
            writeln!(
                text,
                "{name}: window in segments over time in seconds, seed {}",
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

fn point(&(time, reading): &(f64, Reading)) -> Option<(f32, f32)> {
    match reading {
        Reading::Number(value) => Some((time as f32, value as f32)),
        Reading::Word(_) => None,
    }
}
