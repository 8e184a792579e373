//! Random early detection: packets are dropped or marked before the queue is full, the more often the
//! longer it has been on average (Floyd and Jacobson, "Random Early Detection Gateways for Congestion
//! Avoidance", 1993, section IV; "gentle" as in Floyd, "Recommendation on using the gentle variant of
//! RED", 2000).
//!
//! At each arrival, q packets waiting:
//!
//! ```text
//! link busy      average += weight * (q - average)
//! link idle      m = packets of mean size that it could have sent meanwhile, at its rate or at its
//!                opportunities;
//!                average *= (1 - weight)^m, then as above with q = 0 (as in ns-2)
//!
//! average < min                    let in; count = -1
//! min <= average < max             p = pmax * (average - min) / (max - min)
//! gentle, max <= average < 2 max   p = pmax + (1 - pmax) * (average - max) / max
//!     count += 1; early with probability p / (1 - count * p), then count = 0
//! else                             dropped; count = 0
//! ```
//!
//! With `ecn` an early packet is marked instead of dropped if its transport can be told of it.
//!
//! *Readings.* The queue that is averaged does not hold the packet in transmission, as in ns-2; on a
//! link with opportunities that is the first one, also while it waits for one. ns-2
//! lets the first packet above `min` in, counts from one there, spaces drops over 1/p to 2/p packets
//! (`wait_`) unless told otherwise, and drops none early while at most one waits; here it is as in the
//! paper.

use crate::random::Random;

/// The parameters of random early detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// Nothing happens while fewer packets than this wait on average; at least 0.
    pub min: f64,
    /// With this many waiting on average or more, every packet is dropped; more than `min`.
    pub max: f64,
    /// Weight of a packet in the average, above 0 and up to 1.
    pub weight: f64,
    /// Probability of an early drop where the average comes near `max`, from 0 to 1.
    pub pmax: f64,
    /// The probability rises from `pmax` to 1 between `max` and 2 `max`, instead of at `max`.
    pub gentle: bool,
    /// Packets whose transport can be told of congestion are marked instead of dropped early.
    pub ecn: bool,
    /// Packets in the system at most, the one in transmission included; at least 1.
    pub limit: u32,
    /// Mean size of a packet in bytes, to age the average while the link is idle; at least 1.
    pub mean_size: u16,
}

impl Red {
    /// What is wrong with the parameters, if anything.
    pub(crate) fn fault(&self) -> Option<&'static str> {
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
}

/// What happens to an arriving packet, if there is room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    /// Dropped by chance, or marked.
    Early,
    /// The queue is too long on average.
    Forced,
}

/// Random early detection at work on one link.
#[derive(Clone, Debug)]
pub(crate) struct Detector {
    red: Red,
    average: f64,
    /// Packets since the last one that was dropped or marked; -1 while the average is below `min`.
    count: i64,
    /// What a packet of mean size takes of the link: nanoseconds of transmission, or bytes of
    /// opportunities.
    each: f64,
    draws: Random,
}

impl Detector {
    /// On a link that is idle for nanoseconds. `rate` in bits a second, not zero.
    pub fn new(red: Red, rate: u64, draws: Random) -> Self {
        let each = f64::from(red.mean_size) * 8e9 / rate as f64;
        Self {
            red,
            average: 0.0,
            count: -1,
            each,
            draws,
        }
    }

    /// On a link that is idle for bytes of opportunities.
    pub fn by_opportunity(red: Red, draws: Random) -> Self {
        Self {
            each: f64::from(red.mean_size),
            ..Self::new(red, 1, draws)
        }
    }

    /// Whether early packets are marked that can be.
    pub fn marks(&self) -> bool {
        self.red.ecn
    }

    /// A packet arrives that finds so many waiting, or a link that has been idle for so long, or
    /// has wasted so many bytes.
    pub fn arrival(&mut self, waiting: u32, idle: Option<u64>) -> Verdict {
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
        // u < p / (1 - count * p), and true where the divisor is not positive: there it would be 1.
        if self.draws.uniform() * (1.0 - self.count as f64 * probability) < probability {
            self.count = 0;
            return Verdict::Early;
        }
        Verdict::Pass
    }

    fn estimate(&mut self, waiting: u32, idle: Option<u64>) {
        let weight = self.red.weight;
        if let Some(idle) = idle {
            let packets = (idle as f64 / self.each).floor();
            self.average *= libm::pow(1.0 - weight, packets);
        }
        self.average += weight * (f64::from(waiting) - self.average);
    }

    /// That of an early drop before they are spaced; none where chance does not decide.
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

    /// At 8 Mb/s: a packet of mean size takes a millisecond.
    fn detector(red: Red) -> Detector {
        Detector::new(red, 8_000_000, stream(1, Component::host(0, 0)))
    }

    #[test]
    fn the_average_follows_the_queue_and_ages_while_the_link_is_idle() {
        let mut detector = detector(RED);
        let averages = [(4, None), (4, None), (1, None)].map(|(waiting, idle)| {
            assert_eq!(detector.arrival(waiting, idle), Verdict::Pass);
            detector.average
        });
        assert_eq!(averages, [2.0, 3.0, 2.0]);
        // 3.9 ms are three packets: 2 / 8, and half of it for the arrival.
        detector.arrival(0, Some(3_900_000));
        assert_eq!(detector.average, 0.125);
        // Not even one packet.
        detector.arrival(0, Some(999_999));
        assert_eq!(detector.average, 0.062_5);
    }

    /// Average 10, half way: p = 0.05. After a drop the next one comes after 1 to 19 packets, each of
    /// them as likely: a mean of 10 and a variance of 30. The bounds are five standard errors.
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

    /// How often each of 10,000 packets is dropped early if drops are not spaced.
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
    fn below_min_all_pass_and_above_max_none() {
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
