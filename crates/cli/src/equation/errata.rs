//! What TFRC Veno's equations give as they are printed, beside what is right.

use dumbbell_tfrc::equation::printed;

use super::question::{Asked, Question};
use super::words::{heading, number};
use crate::table;

/// A number as it is printed, and as it is right.
pub struct Erratum {
    /// The number of the equation.
    pub equation: u8,
    pub quantity: &'static str,
    pub printed: f64,
    pub corrected: f64,
    pub mistake: &'static str,
}

const SQUARE: &str = "(b(1-g)+1)^2 under the root should be ((b(1-g)+1)/2)^2";
const ONE: &str = "the root should not cover the final + 1";
const RATE: &str = "the root should not cover p(1+32p^2)";

/// All of them at a loss rate.
pub fn at(question: &Question, p: f64) -> Vec<Erratum> {
    let flow = &question.flow;
    if question.which.is_tfrc() {
        let equation = question.rate_equation();
        return vec![Erratum {
            equation: if question.which.is_veno() { 22 } else { 21 },
            quantity: "rate, B/s",
            printed: printed::sending_rate(&equation, p),
            corrected: equation.rate(p),
            mistake: RATE,
        }];
    }
    let (b, g) = (flow.packets_per_ack, flow.cut);
    let period = flow.period(p);
    let erratum = |equation, quantity, printed, corrected, mistake| Erratum {
        equation,
        quantity,
        printed,
        corrected,
        mistake,
    };
    vec![
        erratum(
            11,
            "E[W], packets",
            printed::window(p, b, g),
            period.window,
            SQUARE,
        ),
        erratum(
            12,
            "E[X], rounds",
            printed::rounds(p, b, g),
            period.rounds,
            SQUARE,
        ),
        erratum(
            13,
            "E[A], s",
            printed::duration(p, b, g) * flow.rtt,
            period.duration() * flow.rtt,
            ONE,
        ),
        erratum(
            14,
            "B(p), packets/s",
            printed::rate(p, b, g) / flow.rtt,
            flow.without_timeouts(p),
            ONE,
        ),
    ]
}

/// A row each.
pub fn table(question: &Question) -> String {
    let Asked::Throughput(losses) = &question.asked else {
        unreachable!("errata are asked of loss rates only");
    };
    let mut table = table::new_table([
        "loss rate",
        "equation",
        "quantity",
        "printed",
        "corrected",
        "printed/corrected",
    ]);
    for &p in losses {
        for erratum in at(question, p) {
            table.add_row([
                number(p),
                format!("({})", erratum.equation),
                erratum.quantity.to_owned(),
                number(erratum.printed),
                number(erratum.corrected),
                format!("{:.4}", erratum.printed / erratum.corrected),
            ]);
        }
    }
    let mut text = format!("{}\n{table}\n", heading(question));
    for erratum in at(question, losses[0]) {
        text += &format!("({}): {}\n", erratum.equation, erratum.mistake);
    }
    text
}
