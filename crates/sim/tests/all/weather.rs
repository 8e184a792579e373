//! The flight of packets in the straightforward simulator: what the engine's links should do.

use dumbbell_sim::random::{Component, Random, stream};
use dumbbell_sim::{Flight, Law, Link, LinkId, Time};

/// The random numbers of a link's flights, and when the last packet arrives that keeps its place.
pub struct Weather {
    jitter: Normals,
    reorder: Normals,
    duplicate: Random,
    corrupt: Random,
    last: u64,
}

/// A packet's flight.
pub struct Fate {
    pub due: u64,
    pub twice: bool,
    pub corrupt: bool,
    /// It arrives earlier if so many packets have departed behind it that do not wait: right after the last one,
    /// but not before this time.
    pub waits: Option<(u32, u64)>,
}

struct Normals {
    draws: Random,
    last: Option<f64>,
}

impl Weather {
    pub fn new(seed: u64, link: LinkId) -> Self {
        let normals = |component| Normals {
            draws: stream(seed, component),
            last: None,
        };
        Self {
            jitter: normals(Component::jitter(link)),
            reorder: normals(Component::reorder(link)),
            duplicate: stream(seed, Component::duplicate(link)),
            corrupt: stream(seed, Component::corrupt(link)),
            last: 0,
        }
    }

    /// Decides about a packet that departs now.
    pub fn fly(&mut self, link: &Link, now: u64, earliest: u64) -> Fate {
        let Some(flight) = &link.flight else {
            let due = (now + link.delay.as_nanos()).max(earliest);
            return Fate {
                due,
                twice: false,
                corrupt: false,
                waits: None,
            };
        };
        let mut due = now + delay(flight, now);
        if let Some(jitter) = &flight.jitter {
            let z = self.jitter.next(jitter.correlation);
            let ns = |time: Time| time.as_nanos() as f64;
            due += match jitter.law {
                Law::Uniform { from, to } => ns(from) + below(z) * (ns(to) - ns(from)),
                Law::Normal { mean, deviation } => (ns(mean) + z * ns(deviation)).max(0.0),
                Law::Exponential { mean } => -ns(mean) * libm::log(below(-z)),
            }
            .round() as u64;
        }
        due = due.max(earliest);
        let held = flight
            .reorder
            .filter(|reorder| below(self.reorder.next(reorder.correlation)) < reorder.probability);
        let mut waits = None;
        if let Some(reorder) = held {
            waits = reorder.distance.map(|distance| (distance, due));
            due += reorder.extra.as_nanos();
        } else if flight.keep_order {
            due = due.max(self.last);
            self.last = due;
        }
        Fate {
            due,
            twice: flight.duplicate > 0.0 && self.duplicate.uniform() < flight.duplicate,
            corrupt: flight.corrupt > 0.0 && self.corrupt.uniform() < flight.corrupt,
            waits,
        }
    }
}

impl Normals {
    fn next(&mut self, correlation: f64) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.draws.positive_uniform()));
        let fresh = radius * libm::cos(std::f64::consts::TAU * self.draws.uniform());
        let next = self.last.map_or(fresh, |last| {
            last * correlation + fresh * libm::sqrt(1.0 - correlation * correlation)
        });
        *self.last.insert(next)
    }
}

fn below(z: f64) -> f64 {
    libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

/// Follows the steps from the beginning.
fn delay(flight: &Flight, now: u64) -> u64 {
    let steps: Vec<(Time, u64)> = flight.delay.steps().collect();
    let mut round = 0;
    loop {
        let next = flight
            .delay
            .period()
            .map_or(u64::MAX, |period| round + period.as_nanos());
        if now < next {
            let past = steps.iter().filter(|step| round + step.0.as_nanos() <= now);
            return steps[past.count() - 1].1;
        }
        round = next;
    }
}
