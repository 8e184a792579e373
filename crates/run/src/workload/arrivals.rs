//! When the transfers of a pair of hosts arrive, and their sizes.

use dumbbell_scenario::{Arrivals as Law, Pace, Sizes, Spacing, TransferTrace};
use dumbbell_sim::Time;
use dumbbell_sim::random::Random;

/// The transfers of one pair of hosts, the earliest first.
pub(super) enum Arrivals {
    Drawn {
        /// The mean time between arrivals at this pair, in nanoseconds.
        gap: f64,
        /// The exact time of the last arrival, in nanoseconds: with `Time`, rounding would add up.
        last: f64,
        /// The random numbers of the times; `None` if they are regular.
        random: Option<Box<Random>>,
        sizes: Box<Sizes>,
        /// Transfers that are still to arrive.
        left: u64,
    },
    Trace {
        trace: TransferTrace,
        start: Time,
        next: usize,
        /// The number of pairs, of which each takes every so many transfers.
        pairs: usize,
    },
}

/// A pair of hosts of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Its number, from 0.
    pub(super) copy: u32,
    /// The number of pairs of the entry.
    pub(super) pairs: u32,
}

/// The streams of random numbers of a pair.
pub(super) struct Streams {
    pub(super) arrivals: Random,
    pub(super) sizes: Random,
}

impl Arrivals {
    /// The transfers of a pair from `start` on. `slowest` is the rate of the slowest link on its path, in bit/s.
    pub(super) fn new(law: &Law, start: Time, pair: Pair, slowest: f64, streams: Streams) -> Self {
        let (pace, spacing, size, number) = match law {
            Law::Trace(trace) => {
                return Self::Trace {
                    trace: trace.clone(),
                    start,
                    next: pair.copy as usize,
                    pairs: pair.pairs as usize,
                };
            }
            Law::Drawn {
                pace,
                spacing,
                size,
                number,
            } => (pace, spacing, size, number),
        };
        // Of all pairs together, in nanoseconds.
        let every = match *pace {
            Pace::Load(load) => size.mean() * 8.0 / (load * slowest) * 1e9,
            Pace::Rate(rate) => 1e9 / rate,
            Pace::Every(gap) => gap.as_nanos() as f64,
        };
        let gap = every * f64::from(pair.pairs);
        let start = start.as_nanos() as f64;
        let (random, last) = match spacing {
            Spacing::Poisson => (Some(Box::new(streams.arrivals)), start),
            // The pairs take turns; the first transfer arrives at the start.
            Spacing::Regular => (None, start + every * f64::from(pair.copy) - gap),
        };
        let left = number.map_or(u64::MAX, |number| {
            let (each, rest) = (number / pair.pairs, number % pair.pairs);
            u64::from(each + u32::from(pair.copy < rest))
        });
        Self::Drawn {
            gap,
            last,
            random,
            sizes: Box::new(size.simulated(streams.sizes)),
            left,
        }
    }
}

impl Iterator for Arrivals {
    /// When a transfer arrives, and its size in bytes.
    type Item = (Time, u64);

    fn next(&mut self) -> Option<(Time, u64)> {
        match self {
            Self::Drawn {
                gap,
                last,
                random,
                sizes,
                left,
            } => {
                *left = left.checked_sub(1)?;
                *last += match random {
                    Some(random) => random.exponential(*gap),
                    None => *gap,
                };
                // Conversions from floats saturate.
                Some((Time::from_nanos(libm::round(*last) as u64), sizes.next()?))
            }
            Self::Trace {
                trace,
                start,
                next,
                pairs,
            } => {
                let &(at, bytes) = trace.transfers().get(*next)?;
                *next += *pairs;
                Some((*start + Time::from_nanos(at), bytes))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::{Bytes, Duration, SizeLaw};
    use dumbbell_sim::random::{Component, stream};

    use super::*;

    fn arrivals(law: &Law, copy: u32, pairs: u32) -> Arrivals {
        let streams = Streams {
            arrivals: stream(5, Component::host(7, copy)),
            sizes: stream(5, Component::host(8, copy)),
        };
        let pair = Pair { copy, pairs };
        Arrivals::new(law, Time::from_secs(2), pair, 1e6, streams)
    }

    fn drawn(pace: Pace, spacing: Spacing, number: Option<u32>) -> Law {
        Law::Drawn {
            pace,
            spacing,
            size: SizeLaw::Constant(Bytes(1000)),
            number,
        }
    }

    #[test]
    fn regular_transfers_take_turns() {
        let law = drawn(
            Pace::Every(Duration::from_millis(10)),
            Spacing::Regular,
            Some(5),
        );
        let times = |copy| -> Vec<u64> {
            let all = arrivals(&law, copy, 2).map(|(at, _)| at.as_nanos() / 1_000_000);
            all.collect()
        };
        assert_eq!(times(0), [2000, 2020, 2040]);
        assert_eq!(times(1), [2010, 2030]);
    }

    #[test]
    fn recorded_transfers_are_dealt_out() {
        let law = Law::Trace(TransferTrace::new(vec![(0, 1), (5, 2), (5, 3)]).unwrap());
        let of = |copy| -> Vec<(Time, u64)> { arrivals(&law, copy, 2).collect() };
        let at = |nanos| Time::from_secs(2) + Time::from_nanos(nanos);
        assert_eq!(of(0), [(at(0), 1), (at(5), 3)]);
        assert_eq!(of(1), [(at(5), 2)]);
    }

    /// A load of 0.4 on 1 Mb/s is 50 transfers of 1000 bytes per second. In 20,000 gaps of a Poisson process
    /// the standard error of the mean gap is 1/sqrt(20,000) = 0.7 %, and the gaps' deviation is their mean.
    #[test]
    fn a_load_is_a_rate_of_arrivals() {
        let law = drawn(Pace::Load(0.4), Spacing::Poisson, Some(40_000));
        let times: Vec<f64> = arrivals(&law, 0, 2)
            .map(|(at, _)| at.as_secs_f64())
            .collect();
        assert_eq!(times.len(), 20_000);
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        // Each of two pairs has half of the rate.
        assert!((mean - 0.04).abs() < 0.04 * 0.028, "{mean}");
        let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / gaps.len() as f64;
        assert!(
            (square / (2.0 * mean * mean) - 1.0).abs() < 0.06,
            "{square}"
        );
    }
}
