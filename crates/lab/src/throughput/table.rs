//! What an equation gives, as tables.

use super::terms::Equation;
use crate::table::{Builder, Cell, Head, Table, Type};

fn number(name: &str, unit: Option<&str>, about: &str) -> Head {
    let head = Head::new(name, Type::Number, about);
    match unit {
        Some(unit) => head.unit(unit),
        None => head,
    }
}

const LOSS: &str = "loss events for each packet sent";
const RATE: &str = "the throughput";

/// A number, unless it is not finite.
fn finite(value: f64) -> Option<Cell<'static>> {
    value.is_finite().then_some(Cell::Number(value))
}

impl Equation {
    /// The throughput at these loss rates, a row for each, in bit/s; missing where it is unlimited.
    pub fn throughputs(&self, losses: &[f64]) -> Table {
        let rate = |name, about| number(name, Some("bit/s"), about);
        let mut heads = vec![
            number("loss", None, LOSS),
            rate(
                "throughput",
                match self.model.is_tfrc() {
                    true => "the rate that the equation allows",
                    false => {
                        "the throughput by the approximation (16), with timeouts and the largest window"
                    }
                },
            ),
        ];
        if !self.model.is_tfrc() {
            heads.extend([
                rate(
                    "complete",
                    "by the complete form, with timeouts and the largest window",
                ),
                rate("no_timeouts", "without timeouts (14)"),
                rate("small_loss", "for few losses (15)"),
                number(
                    "window",
                    Some("packets"),
                    "the mean window at the end of a period between losses",
                ),
                number(
                    "rounds",
                    None,
                    "the mean number of rounds of a period between losses",
                ),
            ]);
        }
        let mut builder = Builder::new("throughput", heads);
        for &loss in losses {
            let values = match self.model.is_tfrc() {
                true => vec![loss, self.of_rate().rate(loss) * 8.0],
                false => {
                    let (flow, period) = (&self.flow, self.flow.period(loss));
                    vec![
                        loss,
                        self.bits(flow.approximate(loss)),
                        self.bits(flow.complete(loss)),
                        self.bits(flow.without_timeouts(loss)),
                        self.bits(flow.small_loss(loss)),
                        period.window,
                        period.rounds,
                    ]
                }
            };
            builder.row(values.into_iter().map(finite));
        }
        builder.table()
    }

    /// The loss rate that gives each of these throughputs in bit/s, a row for each; missing where none
    /// does.
    pub fn losses(&self, rates: &[f64]) -> Table {
        let mut heads = vec![
            number("throughput", Some("bit/s"), RATE),
            number(
                "loss",
                None,
                match self.model.is_tfrc() {
                    true => "the loss rate at which the equation allows it",
                    false => "the loss rate that gives it by the approximation (16)",
                },
            ),
        ];
        if !self.model.is_tfrc() {
            let about = "the loss rate that gives it by the complete form";
            heads.push(number("loss_complete", None, about));
        }
        let mut builder = Builder::new("loss", heads);
        for &rate in rates {
            let mut found = self.inverses(rate);
            // The approximation is first, as among the throughputs.
            found.reverse();
            let found = found
                .into_iter()
                .map(|(_, loss)| loss.ok().and_then(finite));
            builder.row([finite(rate)].into_iter().chain(found));
        }
        builder.table()
    }

    /// The misprinted equations of the paper "TFRC Veno" at these loss rates: their values as printed and
    /// as corrected.
    pub fn errata_table(&self, losses: &[f64]) -> Table {
        let text = |name, about| Head::new(name, Type::Text, about);
        let heads = [
            number("loss", None, LOSS),
            Head::new(
                "equation",
                Type::Whole,
                "the number of the equation in the paper",
            ),
            text("quantity", "what it gives"),
            number("printed", None, "its value as printed"),
            number("corrected", None, "its value without the mistake"),
            text("mistake", "what is wrong in print"),
        ];
        let mut builder = Builder::new("errata", heads);
        for &loss in losses {
            for erratum in self.errata(loss) {
                builder.row([
                    Some(Cell::Number(loss)),
                    Some(Cell::Whole(erratum.equation.into())),
                    Some(Cell::Text(erratum.quantity)),
                    finite(erratum.printed),
                    finite(erratum.corrected),
                    Some(Cell::Text(erratum.mistake)),
                ]);
            }
        }
        builder.table()
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::{Model, Terms};
    use super::*;

    fn terms(model: Model) -> Terms {
        Terms {
            model,
            rtt: 0.1,
            base_rtt: None,
            wmax: None,
            rto: None,
            b: 1.0,
            gamma: None,
            theta1: None,
            theta2: None,
            beta: None,
            segment: 1000.0,
            min1: false,
        }
    }

    fn equation(terms: &Terms) -> Result<Equation, String> {
        terms.equation(|term| format!("<{term}>"))
    }

    fn at(table: &Table, column: &str, row: usize) -> f64 {
        match table.column(column).and_then(|it| it.values.at(row)) {
            Some(Cell::Number(value)) => value,
            other => panic!("{column}: {other:?}"),
        }
    }

    /// RFC 5348 at p = 0.01, R = 100 ms, 1000 bytes: 112.3 kB/s, worked out beside the figure.
    #[test]
    fn throughputs_are_in_bits_a_second_and_losses_are_their_inverse() {
        let tfrc = equation(&terms(Model::Tfrc)).expect("they are right");
        let table = tfrc.throughputs(&[0.01, 0.1]);
        assert!((at(&table, "throughput", 0) / 898.7e3 - 1.0).abs() < 1e-3);
        let back = tfrc.losses(&[at(&table, "throughput", 0), at(&table, "throughput", 1)]);
        assert!((at(&back, "loss", 0) / 0.01 - 1.0).abs() < 1e-9);
        assert!((at(&back, "loss", 1) / 0.1 - 1.0).abs() < 1e-9);
        let reno = equation(&terms(Model::Reno)).expect("they are right");
        let table = reno.throughputs(&[0.02]);
        let back = reno.losses(&[at(&table, "throughput", 0), at(&table, "complete", 0)]);
        assert!((at(&back, "loss", 0) / 0.02 - 1.0).abs() < 1e-9);
        assert!((at(&back, "loss_complete", 1) / 0.02 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_no_loss_rate_gives_is_missing() {
        let tfrc = equation(&terms(Model::Tfrc)).expect("they are right");
        let table = tfrc.losses(&[1e15, 1e6]);
        let loss = &table.column("loss").expect("there").values;
        assert_eq!(loss.at(0), None);
        assert!(loss.at(1).is_some());
    }

    #[test]
    fn wrong_terms_are_called_what_the_caller_calls_them() {
        let reno = terms(Model::Reno);
        let wrong = |terms: Terms| equation(&terms).expect_err("it is wrong");
        let no_time = Terms {
            rtt: 0.0,
            ..reno.clone()
        };
        assert_eq!(wrong(no_time), "<rtt> is 0: packets take some time");
        let stranger = Terms {
            gamma: Some(0.8),
            ..reno.clone()
        };
        assert_eq!(
            wrong(stranger),
            "<gamma> is Veno's: this equation does not use it"
        );
        for rtt in [-1.0, f64::NAN, f64::INFINITY] {
            let wrong = wrong(Terms {
                rtt,
                ..reno.clone()
            });
            assert_eq!(wrong, format!("<rtt> is {rtt}: it is a number above 0"));
        }
        let alone = terms(Model::Veno);
        assert_eq!(
            wrong(alone),
            "Veno's mean cut needs <base-rtt> and <wmax>, or <gamma> itself"
        );
    }
}
