//! Random early detection: packets are dropped or marked before the queue is full, with a probability
//! that rises with its average length (Floyd and Jacobson, "Random Early Detection Gateways for
//! Congestion Avoidance", 1993, section IV; "gentle" as in Floyd, "Recommendation on using the gentle
//! variant of RED", 2000).
//!
//! At each arrival, with q packets waiting:
//!
//! ```text
//! link busy      average += weight * (q - average)
//! link idle      m = packets of mean size that the link could have sent in the idle time, at its rate
//!                or at its opportunities;
//!                average *= (1 - weight)^m, then as above with q = 0 (as in ns-2)
//!
//! average < min                    admitted; count = -1
//! min <= average < max             p = pmax * (average - min) / (max - min)
//! gentle, max <= average < 2 max   p = pmax + (1 - pmax) * (average - max) / max
//!     count += 1; early with probability p / (1 - count * p), then count = 0
//! else                             dropped; count = 0
//! ```
//!
//! With `ecn`, an early packet is marked instead of dropped if its transport is ECN-capable.
//!
//! *Readings.* The averaged queue does not include the packet in transmission, as in ns-2. On a link
//! with opportunities, the first packet is the one in transmission, even while it waits for an
//! opportunity. ns-2 admits the first packet above `min` and starts counting from one there, spaces
//! drops over 1/p to 2/p packets by default (`wait_`), and drops no packet early while at most one
//! waits; here these follow the paper.

use super::{Decides, Early, Service, Verdict};
use crate::random::Random;

/// The parameters of random early detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// Nothing is dropped or marked while the average queue is below this; in packets, at least 0.
    pub min: f64,
    /// Every packet is dropped if the average queue is this long or longer; in packets, more than `min`.
    pub max: f64,
    /// Weight of a new sample in the average, above 0 and up to 1.
    pub weight: f64,
    /// Probability of an early drop as the average approaches `max`, from 0 to 1.
    pub pmax: f64,
    /// If true, the probability rises from `pmax` to 1 between `max` and 2 `max`; otherwise it jumps to
    /// 1 at `max`.
    pub gentle: bool,
    /// If true, packets of an ECN-capable transport are marked instead of dropped early.
    pub ecn: bool,
    /// The largest number of packets in the system, including the one in transmission; at least 1.
    pub limit: u32,
    /// Mean packet size in bytes, used to age the average while the link is idle; at least 1.
    pub mean_size: u16,
}

impl Early for Red {
    type Detector = Detector;

    fn limit(&self) -> u32 {
        self.limit
    }

    fn marks(&self) -> bool {
        self.ecn
    }

    fn fault(&self) -> Option<&'static str> {
        let thresholds = self.min >= 0.0 && self.min < self.max && self.max.is_finite();
        if !thresholds {
            Some("the thresholds of a RED queue must be 0 <= min < max")
        } else if !(self.weight > 0.0 && self.weight <= 1.0) {
            Some("the weight of a RED queue must be above 0 and up to 1")
        } else if !(0.0..=1.0).contains(&self.pmax) {
            Some("the probability of a RED queue must be from 0 to 1")
        } else if self.mean_size == 0 {
            Some("the mean size of the packets of a RED queue must be at least 1 byte")
        } else {
            None
        }
    }

    fn detector(&self, service: Service, draws: Random) -> Detector {
        let mean_size = f64::from(self.mean_size);
        Detector {
            red: *self,
            average: 0.0,
            count: -1,
            each: match service {
                Service::Rate(rate) => mean_size * 8e9 / rate as f64,
                Service::Opportunities => mean_size,
            },
            draws,
        }
    }
}

/// The state of random early detection on one link.
#[derive(Clone, Debug)]
pub(crate) struct Detector {
    red: Red,
    average: f64,
    /// Packets since the last one that was dropped or marked; -1 while the average is below `min`.
    count: i64,
    /// What a packet of mean size takes: nanoseconds of transmission, or bytes of opportunities.
    each: f64,
    draws: Random,
}

impl Decides for Detector {
    fn arrival(&mut self, waiting: u32, idle: Option<u64>) -> Verdict {
        self.estimate(waiting, idle);
        let Some(probability) = self.probability() else {
            let forced = self.average >= self.red.max;
            self.count = if forced { 0 } else { -1 };
            return if forced {
                Verdict::Forced
            } else {
                Verdict::Pass
            };
        };
        self.count += 1;
        // u < p / (1 - count * p); also true if the divisor is not positive, where the probability is 1.
        if self.draws.uniform() * (1.0 - self.count as f64 * probability) < probability {
            self.count = 0;
            return Verdict::Early;
        }
        Verdict::Pass
    }
}

impl Detector {
    fn estimate(&mut self, waiting: u32, idle: Option<u64>) {
        let weight = self.red.weight;
        if let Some(idle) = idle {
            let packets = (idle as f64 / self.each).floor();
            self.average *= libm::pow(1.0 - weight, packets);
        }
        self.average += weight * (f64::from(waiting) - self.average);
    }

    /// Returns the probability of an early drop before drops are spaced; `None` if the decision is not
    /// random.
    fn probability(&self) -> Option<f64> {
        let Red {
            min,
            max,
            pmax,
            gentle,
            ..
        } = self.red;
        if (min..max).contains(&self.average) {
            Some(pmax * (self.average - min) / (max - min))
        } else if gentle && (max..2.0 * max).contains(&self.average) {
            Some(pmax + (1.0 - pmax) * (self.average - max) / max)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    const RED: Red = Red {
        min: 5.0,
        max: 15.0,
        weight: 0.5,
        pmax: 0.1,
        gentle: false,
        ecn: false,
        limit: 60,
        mean_size: 1_000,
    };

    /// A detector at 8 Mb/s, where a packet of mean size takes a millisecond.
    fn detector(red: Red) -> Detector {
        red.detector(Service::Rate(8_000_000), stream(1, Component::host(0, 0)))
    }

    #[test]
    fn the_average_follows_the_queue_and_ages_while_the_link_is_idle() {
        let mut detector = detector(RED);
        let averages = [(4, None), (4, None), (1, None)].map(|(waiting, idle)| {
            assert_eq!(detector.arrival(waiting, idle), Verdict::Pass);
            detector.average
        });
        assert_eq!(averages, [2.0, 3.0, 2.0]);
        // 3.9 ms are three whole packets: the average falls to 2 / 8, and the arrival halves it.
        detector.arrival(0, Some(3_900_000));
        assert_eq!(detector.average, 0.125);
        // Less than one packet.
        detector.arrival(0, Some(999_999));
        assert_eq!(detector.average, 0.062_5);
    }

    /// The average is 10, half way between min and max: p = 0.05. After a drop the next one comes after
    /// 1 to 19 packets, each with equal probability: a mean of 10 and a variance of 30. The tolerances
    /// are five standard errors.
    #[test]
    fn early_drops_are_spaced_evenly() {
        let mut detector = detector(Red { weight: 1.0, ..RED });
        let mut gaps = Vec::new();
        let mut gap = 0;
        while gaps.len() < 20_000 {
            gap += 1;
            match detector.arrival(10, None) {
                Verdict::Pass => {}
                Verdict::Early => gaps.push(std::mem::take(&mut gap)),
                Verdict::Forced => panic!("the average is below max"),
            }
        }
        gaps.remove(0);
        let counts = (1..=20).map(|gap| gaps.iter().filter(|&&other| other == gap).count());
        let counts: Vec<usize> = counts.collect();
        assert_eq!(counts[19], 0);
        // 19,999 / 19 = 1052.6, standard deviation 31.6.
        assert!(
            counts[..19]
                .iter()
                .all(|count| (895..1_211).contains(count)),
            "{counts:?}"
        );
        let mean = gaps.iter().sum::<i32>() as f64 / 19_999.0;
        assert!((mean - 10.0).abs() < 0.194, "{mean}");
    }

    /// The number of early drops among 10,000 packets if drops are not spaced.
    #[test]
    fn probabilities_by_average() {
        for (red, waiting, expected) in [
            (RED, 4, None),
            (RED, 5, Some(0.0)),
            (RED, 10, Some(0.05)),
            (RED, 14, Some(0.09)),
            (RED, 15, None),
            (
                Red {
                    gentle: true,
                    ..RED
                },
                15,
                Some(0.1),
            ),
            (
                Red {
                    gentle: true,
                    ..RED
                },
                20,
                Some(0.4),
            ),
            (
                Red {
                    gentle: true,
                    ..RED
                },
                29,
                Some(0.94),
            ),
            (
                Red {
                    gentle: true,
                    ..RED
                },
                30,
                None,
            ),
        ] {
            let mut detector = detector(Red { weight: 1.0, ..red });
            detector.estimate(waiting, None);
            match (detector.probability(), expected) {
                (Some(p), Some(expected)) => assert!((p - expected).abs() < 1e-12, "{p}"),
                (p, expected) => assert_eq!(p, expected, "{waiting}"),
            }
        }
    }

    #[test]
    fn below_min_all_packets_pass_and_above_max_none() {
        let mut detector = detector(Red { weight: 1.0, ..RED });
        assert!((0..100).all(|_| detector.arrival(4, None) == Verdict::Pass));
        assert_eq!(detector.count, -1);
        assert!((0..100).all(|_| detector.arrival(15, None) == Verdict::Forced));
        assert_eq!(detector.count, 0);
    }

    #[test]
    fn faulty_parameters_are_found() {
        assert_eq!(RED.fault(), None);
        for wrong in [
            Red { min: 15.0, ..RED },
            Red { min: -1.0, ..RED },
            Red {
                min: f64::NAN,
                ..RED
            },
            Red {
                max: f64::INFINITY,
                ..RED
            },
            Red { weight: 0.0, ..RED },
            Red { weight: 1.1, ..RED },
            Red { pmax: -0.1, ..RED },
            Red {
                pmax: f64::NAN,
                ..RED
            },
            Red {
                mean_size: 0,
                ..RED
            },
        ] {
            assert!(wrong.fault().is_some(), "{wrong:?}");
        }
    }
}
