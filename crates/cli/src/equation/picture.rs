//! A span of loss rates as a drawing.

use std::path::Path;

use dumbbell_lab::figure::{Curve, Figure, Kind};
use dumbbell_run::statistics::Estimate;

use super::question::{Asked, Question};
use super::words::heading;
use crate::exit::Exit;
use crate::file;

/// Draws the throughput over the loss rate, in kb/s.
pub fn draw(question: &Question, path: &Path) -> Result<(), Exit> {
    file::check(path)?;
    let Asked::Throughput(losses) = &question.asked else {
        unreachable!("a drawing is of loss rates only");
    };
    let curve = |name: &str, rate: &dyn Fn(f64) -> f64| Curve {
        name: name.to_owned(),
        points: losses
            .iter()
            .map(|p| {
                let estimate = Estimate {
                    mean: rate(*p) / 1e3,
                    half_width: None,
                };
                (*p, estimate)
            })
            .collect(),
    };
    let flow = &question.flow;
    let bits = |packets: f64| question.bits(packets);
    let series = if question.which.is_tfrc() {
        let equation = question.rate_equation();
        vec![curve("allowed rate", &|p| equation.rate(p) * 8.0)]
    } else {
        vec![
            curve("complete", &|p| bits(flow.complete(p))),
            curve("approximate", &|p| bits(flow.approximate(p))),
            curve("no timeouts", &|p| bits(flow.without_timeouts(p))),
        ]
    };
    let figure = Figure {
        kind: Kind::Curves,
        title: heading(question),
        x_label: "loss rate".to_owned(),
        y_label: "throughput, kb/s".to_owned(),
        log_x: true,
        series,
        names: Vec::new(),
        lanes: Vec::new(),
        rows: None,
    };
    file::write(path, &figure.svg().map_err(Exit::Failed)?)?;
    Ok(())
}
