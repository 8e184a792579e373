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

/// The height of a chart that has the space, and the least height, in lines.
const ROWS: usize = 10;
const LEAST_ROWS: usize = 5;

/// The lines of a chart besides its height: its title, its axis, and those between charts.
const FRAME: usize = 4;

/// Returns the sampling interval that fills the width.
pub fn interval(duration: Duration) -> Duration {
    Duration::from_nanos((duration.as_nanos() / u64::from(WIDTH)).max(1))
}

/// The quantities that are drawn: windows, and the allowed rates of media flows.
const DRAWN: [(&str, f64, &str); 2] = [
    ("cwnd", 1.0, "window in segments"),
    ("explain.allowed_rate", 1e-3, "allowed rate in kb/s"),
];

/// Draws a chart of each flow's window or allowed rate in the first run, in at most `lines` lines if
/// there is a limit. Returns `None` if neither was sampled, or no chart fits.
pub fn drawn(outcome: &Outcome, series: &[Series], lines: Option<usize>) -> Option<String> {
    let curves: Vec<Curve<'_>> = series.iter().filter_map(|it| curve(outcome, it)).collect();
    let (count, rows) = match lines {
        None => (curves.len(), ROWS),
        Some(lines) => {
            let count = curves.len().min(lines / (LEAST_ROWS + FRAME));
            let each = lines.checked_div(count).unwrap_or(0);
            (count, ROWS.min(each.saturating_sub(FRAME)))
        }
    };
    let mut text = String::new();
    for Curve { name, what, points } in &curves[..count] {
        let (first, last) = (points.first()?.0, points.last()?.0);
        let seed = outcome.seed;
        writeln!(text, "{name}: {what} over time in seconds, seed {seed}").ok()?;
        let shape = Shape::Steps(points);
        let mut chart = Chart::new(WIDTH, 4 * rows as u32, first, last);
        let chart = chart.lineplot(&shape);
        chart.axis();
        chart.figures();
        writeln!(text, "{chart}").ok()?;
    }
    if count < curves.len() {
        writeln!(text, "... {} more: --all has all", curves.len() - count).ok()?;
    }
    (count > 0).then_some(text)
}

/// What one chart draws.
struct Curve<'o> {
    name: &'o str,
    what: &'static str,
    points: Vec<(f32, f32)>,
}

/// The curve of a series; `None` if it is not drawn, or too short.
fn curve<'o>(outcome: &'o Outcome, series: &Series) -> Option<Curve<'o>> {
    let (_, scale, what) = DRAWN
        .iter()
        .find(|(quantity, ..)| series.quantity == *quantity)?;
    let Subject::Flow(flow) = series.subject else {
        return None;
    };
    let name = &outcome.flows.get(flow)?.name;
    let points = series.points.iter().filter_map(|at| point(at, *scale));
    let points: Vec<(f32, f32)> = points.collect();
    let (first, last) = (points.first()?.0, points.last()?.0);
    (first < last).then_some(Curve { name, what, points })
}

fn point(&(time, reading): &(f64, Reading), scale: f64) -> Option<(f32, f32)> {
    match reading {
        Reading::Number(value) => Some((time as f32, (value * scale) as f32)),
        Reading::Word(_) => None,
    }
}
