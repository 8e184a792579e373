//! Whether hosts agree: each real one with the simulated one that is like it, and all of them on the order of the
//! controls.

use dumbbell_run::statistics::Estimate;
use serde::{Serialize, Serializer};

use super::outcome::{Host, Parity, Row};
use crate::compare::Measure;
use crate::compare::difference::differ;

/// How well a real host and the simulated one agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// Within the bound.
    Within,
    /// Farther apart, but within the bound plus both intervals.
    WithIntervals,
    /// Farther apart than that.
    Apart,
}

impl Agreement {
    /// A word for readers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Within => "yes",
            Self::WithIntervals => "with intervals",
            Self::Apart => "NO",
        }
    }
}

/// A quantity on a real host and on the simulated one that is like it.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The control's displayed name.
    pub label: String,
    /// The quantity.
    pub quantity: Measure,
    /// The real host.
    pub host: Host,
    /// Its value.
    #[serde(serialize_with = "both")]
    pub real: Estimate,
    /// The simulated value.
    #[serde(serialize_with = "both")]
    pub simulated: Estimate,
    /// How well they agree.
    pub agreement: Agreement,
}

impl Pair {
    /// The real value divided by the simulated one; `None` if that is nothing.
    pub fn ratio(&self) -> Option<f64> {
        (self.simulated.mean > 0.0).then(|| self.real.mean / self.simulated.mean)
    }
}

/// Writes a mean and its interval.
fn both<S: Serializer>(estimate: &Estimate, to: S) -> Result<S::Ok, S::Error> {
    (estimate.mean, estimate.half_width).serialize(to)
}

/// The bound of a quantity, as a part of the simulated value: as in the comparison with the kernel (docs/parity.md).
fn bound(quantity: Measure) -> f64 {
    match quantity {
        Measure::Goodput => 0.05,
        Measure::Rtt => 0.1,
        Measure::Resent => 0.15,
        Measure::BetweenCuts => 0.2,
    }
}

fn judge(quantity: Measure, real: &Estimate, simulated: &Estimate) -> Agreement {
    let distance = (real.mean - simulated.mean).abs();
    let bound = bound(quantity) * simulated.mean.abs();
    let intervals = [real, simulated].map(|it| it.half_width.unwrap_or(0.0));
    match distance {
        _ if distance <= bound => Agreement::Within,
        _ if distance <= bound + intervals[0] + intervals[1] => Agreement::WithIntervals,
        _ => Agreement::Apart,
    }
}

impl Row {
    /// Returns the quantities of each real host beside those of the simulated one.
    pub fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for side in &self.sides {
            let Some(partner) = side.host.partner().and_then(|host| self.side(host)) else {
                continue;
            };
            pairs.extend(Measure::ALL.into_iter().filter_map(|quantity| {
                let (real, simulated) = (side.value(quantity)?, partner.value(quantity)?);
                Some(Pair {
                    label: self.label.clone(),
                    quantity,
                    host: side.host,
                    real,
                    simulated,
                    agreement: judge(quantity, &real, &simulated),
                })
            }));
        }
        pairs
    }
}

/// Two controls whose goodputs hosts tell apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Order {
    /// The control that is faster on the first host that tells them apart.
    pub faster: String,
    /// The other one.
    pub slower: String,
    /// The hosts on which it is so, by more than both intervals.
    pub hosts: Vec<Host>,
    /// The hosts on which it is the other way round, by more than both intervals.
    pub against: Vec<Host>,
}

impl Parity {
    /// Returns each pair of controls whose goodputs at least one host tells apart. Controls behind different QUIC stacks
    /// are not compared there.
    pub fn orders(&self) -> Vec<Order> {
        let mut orders: Vec<Order> = Vec::new();
        for (place, one) in self.rows.iter().enumerate() {
            for other in &self.rows[place + 1..] {
                orders.extend(order(one, other));
            }
        }
        orders
    }
}

fn order(one: &Row, other: &Row) -> Option<Order> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for side in &one.sides {
        let goodput = |row: &Row| row.side(side.host)?.value(Measure::Goodput);
        let (Some(a), Some(b)) = (goodput(one), goodput(other)) else {
            continue;
        };
        if differ(&a, &b) {
            let hosts = if a.mean > b.mean {
                &mut first
            } else {
                &mut second
            };
            hosts.push(side.host);
        }
    }
    let names = (one.label.clone(), other.label.clone());
    let ((faster, slower), hosts, against) = match (first.is_empty(), second.is_empty()) {
        (true, true) => return None,
        (true, false) => ((names.1, names.0), second, first),
        _ => (names, first, second),
    };
    Some(Order {
        faster,
        slower,
        hosts,
        against,
    })
}

#[cfg(test)]
mod tests {
    use super::super::outcome::Side;
    use super::*;
    use crate::compare::Predicted;

    fn estimate(mean: f64, half_width: f64) -> Estimate {
        Estimate {
            mean,
            half_width: Some(half_width),
        }
    }

    /// 5 % of 2 is 0.1.
    #[test]
    fn goodputs_agree_within_a_twentieth_plus_both_intervals() {
        let judged = |real| {
            judge(
                Measure::Goodput,
                &estimate(real, 0.03),
                &estimate(2.0, 0.02),
            )
        };
        assert_eq!(judged(2.09), Agreement::Within);
        assert_eq!(judged(1.86), Agreement::WithIntervals);
        assert_eq!(judged(2.16), Agreement::Apart);
    }

    fn row(label: &str, quic: [f64; 2], linux: [f64; 2]) -> Row {
        let runs = |rates: [f64; 2]| {
            let run = |goodput_bps| Predicted {
                seed: 1,
                goodput_bps,
                segments: 100,
                retransmits: 1,
                cuts: 1,
                rtt_mean_s: None,
                elapsed_s: 10.0,
                windows: Vec::new(),
            };
            rates.map(run).to_vec()
        };
        Row {
            label: label.to_owned(),
            simulated: "reno",
            sides: vec![
                Side::simulated(Host::SimulatedQuic, runs(quic), 2),
                Side::simulated(Host::SimulatedLinux, runs(linux), 2),
            ],
        }
    }

    #[test]
    fn an_order_is_that_of_controls_whose_intervals_are_apart() {
        let parity = Parity {
            rows: vec![
                row("a", [1.0, 1.01], [1.0, 1.01]),
                row("b", [2.0, 2.01], [0.5, 0.51]),
                row("c", [2.0, 2.01], [9.0, 0.1]),
            ],
            reasons: Vec::new(),
            planned: 0,
            mtu: 1500,
            duration_s: 10.0,
            interval_s: 1.0,
            first_seed: 1,
        };
        let orders = parity.orders();
        let said = |order: &Order| {
            let (faster, slower) = (order.faster.clone(), order.slower.clone());
            (faster, slower, order.hosts.len(), order.against.len())
        };
        let expected = [("a", "b", 1, 1), ("c", "a", 1, 0)];
        let expected = expected.map(|(a, b, m, n)| (a.to_owned(), b.to_owned(), m, n));
        assert_eq!(orders.iter().map(said).collect::<Vec<_>>(), expected);
    }
}
