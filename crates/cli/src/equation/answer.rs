//! The results as a table.

use dumbbell_tfrc::equation::OutOfReach;

use super::question::{Asked, Question};
use super::words::{heading, number};
use crate::exit::Exit;
use crate::table;

/// Returns throughputs at loss rates, or loss rates at a throughput.
pub fn table(question: &Question) -> Result<String, Exit> {
    let (table, note) = match (&question.asked, question.model.is_tfrc()) {
        (Asked::Throughput(losses), true) => (rates(question, losses), ""),
        (Asked::Throughput(losses), false) => (throughputs(question, losses), FORMS),
        (Asked::Loss(rate), _) => (loss(question, *rate)?, ""),
    };
    Ok(format!("{}\n{table}\n{note}", heading(question)))
}

const FORMS: &str = "\
W, X: packets and rounds at the end of a period between losses. Throughputs in packets a second: without
timeouts (14), for small p (15), complete with timeouts and Wmax, and its approximation (16).";

fn throughputs(question: &Question, losses: &[f64]) -> comfy_table::Table {
    let mut table = table::new_table([
        "loss rate",
        "E[W]",
        "E[X]",
        "no timeouts",
        "small p",
        "complete",
        "approximate",
        "approximate, kb/s",
    ]);
    let flow = &question.flow;
    for &p in losses {
        let period = flow.period(p);
        let approximate = flow.approximate(p);
        table.add_row([
            number(p),
            number(period.window),
            number(period.rounds),
            number(flow.without_timeouts(p)),
            number(flow.small_loss(p)),
            number(flow.complete(p)),
            number(approximate),
            number(question.bits(approximate) / 1e3),
        ]);
    }
    table
}

fn rates(question: &Question, losses: &[f64]) -> comfy_table::Table {
    let mut table = table::new_table(["loss rate", "packets/s", "B/s", "kb/s"]);
    let equation = question.of_rate();
    for &p in losses {
        let rate = equation.rate(p);
        table.add_row([
            number(p),
            number(rate / question.segment),
            number(rate),
            number(rate * 8.0 / 1e3),
        ]);
    }
    table
}

/// A form of the equation by name, and the loss rate that it gives.
type Inverse = (&'static str, Result<f64, OutOfReach>);

fn loss(question: &Question, rate: f64) -> Result<comfy_table::Table, Exit> {
    let mut table = table::new_table(["equation", "loss rate", "packets between losses"]);
    for (form, found) in reached(question, rate)? {
        let row = match found {
            Ok(p) => [form.to_owned(), number(p), number(1.0 / p)],
            Err(_) => [form.to_owned(), "none".to_owned(), "-".to_owned()],
        };
        table.add_row(row);
    }
    Ok(table)
}

/// Returns the inverses if at least one of them has a solution.
pub fn reached(question: &Question, rate: f64) -> Result<Vec<Inverse>, Exit> {
    let found = question.inverses(rate);
    match found[0].1 {
        Err(reason) if found.iter().all(|(_, found)| found.is_err()) => {
            Err(Exit::BadInput(format!("--rate: {reason}")))
        }
        _ => Ok(found),
    }
}
