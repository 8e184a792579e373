//! The throughput equations.

use dumbbell_lab::throughput::{Equation, Model, Terms};
use dumbbell_scenario::quantity;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::table::PyTable;
use crate::words::nearest;

/// A quantity: a number in SI units, or a text with its unit.
#[derive(FromPyObject)]
pub enum Quantity {
    Number(f64),
    Text(String),
}

/// The terms of an equation, by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Given {
    rtt: Quantity,
    base_rtt: Option<Quantity>,
    wmax: Option<f64>,
    rto: Option<Quantity>,
    b: f64,
    gamma: Option<f64>,
    theta1: Option<f64>,
    theta2: Option<f64>,
    beta: Option<f64>,
    segment: Quantity,
    min1: bool,
}

fn wrong(what: impl Into<String>) -> PyErr {
    PyValueError::new_err(what.into())
}

fn seconds(quantity: &Quantity, term: &str) -> PyResult<f64> {
    match quantity {
        Quantity::Number(seconds) => Ok(*seconds),
        Quantity::Text(text) => match quantity::time(text) {
            Ok(time) => Ok(time.as_secs_f64()),
            Err(error) => Err(wrong(format!("{term}: {error}"))),
        },
    }
}

impl Given {
    fn terms(&self, model: &str) -> PyResult<Terms> {
        let found = Model::ALL.iter().find(|(name, _)| *name == model);
        let Some((_, model)) = found else {
            let names = Model::ALL.iter().map(|(name, _)| *name);
            return Err(wrong(format!(
                "there is no equation `{model}`{}",
                nearest(model, names)
            )));
        };
        let optional = |given: &Option<Quantity>, term| {
            let given = given.as_ref().map(|it| seconds(it, term));
            given.transpose()
        };
        Ok(Terms {
            model: *model,
            rtt: seconds(&self.rtt, "rtt")?,
            base_rtt: optional(&self.base_rtt, "base_rtt")?,
            wmax: self.wmax,
            rto: optional(&self.rto, "rto")?,
            b: self.b,
            gamma: self.gamma,
            theta1: self.theta1,
            theta2: self.theta2,
            beta: self.beta,
            segment: match &self.segment {
                Quantity::Number(bytes) => *bytes,
                Quantity::Text(text) => match quantity::size(text) {
                    Ok(size) => size.0 as f64,
                    Err(error) => return Err(wrong(format!("segment: {error}"))),
                },
            },
            min1: self.min1,
        })
    }
}

/// See `_native.pyi`.
#[pyfunction]
pub fn equation(
    py: Python<'_>,
    model: &str,
    given: Given,
    losses: Option<Vec<f64>>,
    rates: Option<Vec<Quantity>>,
    errata: bool,
) -> PyResult<PyTable> {
    let terms = given.terms(model)?;
    let equation = terms.equation(|term| term.replace('-', "_"));
    let equation = equation.map_err(wrong)?;
    match (losses, rates) {
        (Some(losses), None) => {
            for loss in &losses {
                if !(*loss > 0.0 && *loss <= 1.0) {
                    return Err(wrong(format!(
                        "{loss} is no loss rate: above 0, at most 1, such as 0.01"
                    )));
                }
            }
            Ok(py.detach(|| match errata {
                true => equation.errata_table(&losses).into(),
                false => equation.throughputs(&losses).into(),
            }))
        }
        (None, Some(_)) if errata => Err(PyTypeError::new_err(
            "errata compares throughputs at loss rates: it needs loss",
        )),
        (None, Some(rates)) => inverse(&equation, &rates),
        _ => Err(PyTypeError::new_err("one of loss and rate is required")),
    }
}

fn inverse(equation: &Equation, rates: &[Quantity]) -> PyResult<PyTable> {
    let mut bits = Vec::with_capacity(rates.len());
    for rate in rates {
        let rate = match rate {
            Quantity::Number(rate) => *rate,
            Quantity::Text(text) => match quantity::rate(text) {
                Ok(rate) => rate.0 as f64,
                Err(error) => return Err(wrong(format!("rate: {error}"))),
            },
        };
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(wrong(format!("rate is {rate}: no loss rate gives that")));
        }
        bits.push(rate);
    }
    // One rate that nothing gives is a mistake; among several it is a row without an answer.
    if let [rate] = bits[..] {
        let found = equation.inverses(rate);
        if let Err(reason) = found[0].1
            && found.iter().all(|(_, found)| found.is_err())
        {
            return Err(wrong(format!("rate: {reason}")));
        }
    }
    Ok(equation.losses(&bits).into())
}
