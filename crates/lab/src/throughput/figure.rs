//! The figure of throughput against the loss rate, by the throughput equations.

use dumbbell_run::statistics::Estimate;
use dumbbell_tfrc::equation::{Flow, RateEquation};

use crate::figure::{Curve, Figure, Kind};

/// The throughput of TCP by the forms of its equation, with packets of `segment` bytes.
pub fn of_tcp(title: String, flow: &Flow, segment: f64, losses: &[f64]) -> Figure {
    let bits = |packets: f64| packets * segment * 8.0;
    let series = vec![
        curve("complete", losses, |p| bits(flow.complete(p))),
        curve("approximate", losses, |p| bits(flow.approximate(p))),
        curve("no timeouts", losses, |p| bits(flow.without_timeouts(p))),
    ];
    figure(title, series)
}

/// The rate that an equation allows a rate-controlled sender.
pub fn of_rate(title: String, equation: &RateEquation, losses: &[f64]) -> Figure {
    let allowed = curve("allowed rate", losses, |p| equation.rate(p) * 8.0);
    figure(title, vec![allowed])
}

/// A curve of a rate in bit/s at each loss rate, converted to kb/s.
fn curve(name: &str, losses: &[f64], rate: impl Fn(f64) -> f64) -> Curve {
    let exact = |mean| Estimate {
        mean,
        half_width: None,
    };
    let points = losses.iter().map(|p| (*p, exact(rate(*p) / 1e3)));
    Curve {
        name: name.to_owned(),
        points: points.collect(),
    }
}

fn figure(title: String, series: Vec<Curve>) -> Figure {
    Figure {
        kind: Kind::Curves,
        title,
        x_label: "loss rate".to_owned(),
        y_label: "throughput, kb/s".to_owned(),
        log_x: true,
        series,
        names: Vec::new(),
        lanes: Vec::new(),
        rows: None,
        top: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5348 at p = 0.01, R = 100 ms, 1000 bytes, T0 = 4 R: 0.1 sqrt(0.02 / 3) is 8.16 ms, and
    /// 0.4 (3 sqrt(0.03 / 8) 0.01 (1 + 0.0032)) is 0.74 ms. The rate is therefore 1000 B / 8.90 ms
    /// = 112.3 kB/s.
    #[test]
    fn a_rate_is_in_kilobits_a_second() {
        let equation = RateEquation::tfrc(1000.0, 0.1);
        let figure = of_rate("T".to_owned(), &equation, &[0.01]);
        let (p, rate) = figure.series[0].points[0];
        assert_eq!(p, 0.01);
        assert!((rate.mean / 898.7 - 1.0).abs() < 1e-3, "{}", rate.mean);
        assert!(figure.log_x && figure.title == "T");
    }

    #[test]
    fn timeouts_reduce_throughput_at_high_loss_rates() {
        let flow = Flow {
            rtt: 0.1,
            rto: 0.4,
            packets_per_ack: 1.0,
            cut: 0.5,
            max_window: f64::INFINITY,
        };
        let figure = of_tcp(String::new(), &flow, 1000.0, &[1e-4, 0.1]);
        let [complete, approximate, without] = &figure.series[..] else {
            panic!("three curves")
        };
        let at = |curve: &Curve, place: usize| curve.points[place].1.mean;
        assert!(at(without, 1) > 1.5 * at(complete, 1));
        assert!((at(approximate, 0) / at(without, 0) - 1.0).abs() < 0.05);
    }
}
