//! The arguments after validation.

use dumbbell_tfrc::equation::{Cut, Flow, RateEquation};

use super::{Args, Which};
use crate::exit::Exit;

/// One loss rate, or the ends of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Losses {
    One(f64),
    Span(f64, f64),
}

/// Validated arguments.
pub struct Question {
    pub which: Which,
    /// The path, with the mean cut.
    pub flow: Flow,
    /// BaseRTT in seconds.
    pub base_rtt: Option<f64>,
    /// Packet size in bytes.
    pub segment: f64,
    pub min1: bool,
    pub asked: Asked,
}

/// The unknown quantity.
pub enum Asked {
    /// The throughput at these loss rates.
    Throughput(Vec<f64>),
    /// The loss rate at this throughput, in bit/s.
    Loss(f64),
}

impl Which {
    pub fn is_veno(self) -> bool {
        matches!(self, Self::Veno | Self::TfrcVeno)
    }

    pub fn is_tfrc(self) -> bool {
        matches!(self, Self::Tfrc | Self::TfrcVeno)
    }
}

fn wrong<T>(message: &str) -> Result<T, Exit> {
    Err(Exit::BadInput(message.to_owned()))
}

impl Question {
    /// Validates the arguments.
    pub fn of(args: &Args) -> Result<Self, Exit> {
        let which = args.equation;
        refuse_strangers(args)?;
        let rtt = args.rtt.as_secs_f64();
        if rtt <= 0.0 {
            return wrong("--rtt is 0: packets take some time");
        }
        if args.segment.0 == 0 {
            return wrong("--segment is 0: a packet has at least one byte");
        }
        let base_rtt = args.base_rtt.map(|base| base.as_secs_f64());
        if base_rtt.is_some_and(|base| base > rtt) {
            return wrong("--base-rtt is the least round-trip time: it is at most --rtt");
        }
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
        Ok(Self {
            which,
            flow: Flow {
                rtt,
                rto: args.rto.map_or(4.0 * rtt, |rto| rto.as_secs_f64()),
                packets_per_ack: args.b,
                cut: cut(args, rtt, base_rtt)?,
                max_window: args.wmax.unwrap_or(f64::INFINITY),
            },
            base_rtt,
            segment: args.segment.0 as f64,
            min1: args.min1,
            asked,
        })
    }

    /// Returns the equation of a rate-controlled sender.
    pub fn rate_equation(&self) -> RateEquation {
        RateEquation {
            segment: self.segment,
            rtt: self.flow.rtt,
            t_rto: self.flow.rto,
            packets_per_ack: self.flow.packets_per_ack,
            cut: self.flow.cut,
            min1: self.min1,
        }
    }

    /// Converts packets per second to bits per second.
    pub fn bits(&self, packets: f64) -> f64 {
        packets * self.segment * 8.0
    }
}

/// Rejects options that the equation does not use.
fn refuse_strangers(args: &Args) -> Result<(), Exit> {
    let veno = args.equation.is_veno();
    let tfrc = args.equation.is_tfrc();
    let given = [
        (args.base_rtt.is_some(), veno, "--base-rtt", "Veno's"),
        (args.gamma.is_some(), veno, "--gamma", "Veno's"),
        (args.theta1.is_some(), veno, "--theta1", "Veno's"),
        (args.theta2.is_some(), veno, "--theta2", "Veno's"),
        (args.beta.is_some(), veno, "--beta", "Veno's"),
        (args.min1, tfrc, "--min1", "TFRC's"),
    ];
    for (given, meant, name, whose) in given {
        if given && !meant {
            return wrong(&format!("{name} is {whose}: this equation does not use it"));
        }
    }
    if tfrc && !veno && args.wmax.is_some() {
        return wrong("--wmax is a window, and TFRC has no window");
    }
    let parts = [
        args.base_rtt.is_some(),
        args.theta1.is_some(),
        args.theta2.is_some(),
        args.beta.is_some(),
    ];
    if args.gamma.is_some() && parts.contains(&true) {
        return wrong(
            "--gamma is the mean cut itself: leave out --base-rtt, --theta1, --theta2 and --beta",
        );
    }
    if args.equation == Which::TfrcVeno && args.gamma.is_some() && args.wmax.is_some() {
        return wrong("--wmax gives TFRC Veno's mean cut: leave it out beside --gamma");
    }
    Ok(())
}

/// Returns the mean cut.
fn cut(args: &Args, rtt: f64, base_rtt: Option<f64>) -> Result<f64, Exit> {
    if !args.equation.is_veno() {
        return Ok(0.5);
    }
    if let Some(gamma) = args.gamma {
        return Ok(gamma);
    }
    let (Some(base), Some(wmax)) = (base_rtt, args.wmax) else {
        return wrong("Veno's mean cut needs --base-rtt and --wmax, or --gamma itself");
    };
    let usual = match args.equation {
        Which::TfrcVeno => Cut::TFRC_VENO,
        _ => Cut::TCP_VENO,
    };
    let cut = Cut {
        random: args.theta1.unwrap_or(usual.random),
        congestion: args.theta2.unwrap_or(usual.congestion),
        beta: args.beta.unwrap_or(usual.beta),
    };
    if cut.congestion > cut.random {
        return wrong("--theta2 is at most --theta1: a random loss is cut less");
    }
    Ok(cut.mean(rtt, base, wmax))
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
