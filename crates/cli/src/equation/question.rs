//! The arguments after validation.

use std::ops::Deref;

use dumbbell_lab::throughput::{Equation, Terms};

use super::Args;
use crate::exit::Exit;

/// One loss rate, or the ends of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Losses {
    One(f64),
    Span(f64, f64),
}

/// Validated arguments.
pub struct Question {
    /// The equation.
    pub equation: Equation,
    pub asked: Asked,
}

impl Deref for Question {
    type Target = Equation;

    fn deref(&self) -> &Equation {
        &self.equation
    }
}

/// The unknown quantity.
pub enum Asked {
    /// The throughput at these loss rates.
    Throughput(Vec<f64>),
    /// The loss rate at this throughput, in bit/s.
    Loss(f64),
}

fn wrong<T>(message: &str) -> Result<T, Exit> {
    Err(Exit::BadInput(message.to_owned()))
}

impl Question {
    /// Validates the arguments.
    pub fn of(args: &Args) -> Result<Self, Exit> {
        let terms = Terms {
            model: args.equation.model(),
            rtt: args.rtt.as_secs_f64(),
            base_rtt: args.base_rtt.map(|base| base.as_secs_f64()),
            wmax: args.wmax,
            rto: args.rto.map(|rto| rto.as_secs_f64()),
            b: args.b,
            gamma: args.gamma,
            theta1: args.theta1,
            theta2: args.theta2,
            beta: args.beta,
            segment: args.segment.0 as f64,
            min1: args.min1,
        };
        let equation = terms.equation(|term| format!("--{term}"));
        let equation = equation.map_err(Exit::BadInput)?;
        let asked = match (args.loss, args.rate) {
            (Some(Losses::One(p)), None) => Asked::Throughput(vec![p]),
            (Some(Losses::Span(from, to)), None) => {
                Asked::Throughput(spread(from, to, args.points))
            }
            (None, Some(rate)) if rate.0 > 0 => Asked::Loss(rate.0 as f64),
            (None, Some(_)) => return wrong("--rate is 0: no loss rate gives that"),
            _ => return wrong("one of --loss and --rate is required"),
        };
        let losses = matches!(asked, Asked::Throughput(_));
        if args.errata && !losses {
            return wrong("--errata compares throughputs at loss rates: it needs --loss");
        }
        if args.plot.is_some() && !matches!(args.loss, Some(Losses::Span(..))) {
            return wrong("--plot draws a span of loss rates, such as --loss 1e-4..1e-1");
        }
        Ok(Self { equation, asked })
    }
}

/// Returns loss rates in a geometric sequence: each is the same factor above the one before.
fn spread(from: f64, to: f64, points: u16) -> Vec<f64> {
    let last = points - 1;
    (0..=last)
        .map(|i| match i {
            0 => from,
            _ if i == last => to,
            _ => from * (to / from).powf(f64::from(i) / f64::from(last)),
        })
        .collect()
}

/// Parses a loss rate or a range of loss rates.
pub fn losses(text: &str) -> Result<Losses, String> {
    let one = |text: &str| match text.trim().parse::<f64>() {
        Ok(p) if p > 0.0 && p <= 1.0 => Ok(p),
        _ => Err(format!(
            "`{text}` is no loss rate: above 0, at most 1, such as 0.01, or a span such as 1e-4..1e-1"
        )),
    };
    let Some((from, to)) = text.split_once("..") else {
        return one(text).map(Losses::One);
    };
    let (from, to) = (one(from)?, one(to)?);
    if from >= to {
        return Err(format!("the span `{text}` does not grow"));
    }
    Ok(Losses::Span(from, to))
}

/// Parses a part of a window: above 0, below 1.
pub fn part(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0 && x < 1.0, "above 0 and below 1")
}

/// Parses a number of packets, at least 1.
pub fn at_least_one(text: &str) -> Result<f64, String> {
    number(text, |x| x >= 1.0, "at least 1")
}

/// Parses a number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0, "above 0")
}

fn number(text: &str, fits: fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && fits(x) => Ok(x),
        _ => Err(format!("`{text}` is not a number {wanted}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_keeps_its_ends_and_grows_by_a_factor() {
        let points = spread(1e-4, 1e-1, 4);
        assert_eq!((points[0], points[3]), (1e-4, 1e-1));
        assert!((points[1] / 1e-3 - 1.0).abs() < 1e-12);
        assert!((points[2] / 1e-2 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn loss_rates_are_parsed_and_rejected() {
        assert_eq!(losses("0.01"), Ok(Losses::One(0.01)));
        assert_eq!(losses("1e-4..1"), Ok(Losses::Span(1e-4, 1.0)));
        for wrong in [
            "0", "1.5", "-0.1", "x", "0.1..0.1", "0.2..0.1", "0.1..", "NaN",
        ] {
            assert!(losses(wrong).is_err(), "{wrong}");
        }
    }
}
