//! The six paths of docs/parity.md, between access links of 100 Mb/s.

use std::time::{Duration, Instant};

/// Headers of UDP and IPv4, in bytes.
const HEADERS: u64 = 28;
/// Nanoseconds of a bit on an access link.
const ACCESS: u64 = 10;
/// The delay of an access link.
const NEAR: Duration = Duration::from_millis(1);

/// What a path is like.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub name: &'static str,
    /// The rate of the bottleneck, in Mb/s.
    pub rate: u64,
    /// Its delay in milliseconds: the round-trip time is twice 2 ms more.
    pub delay: u64,
    /// Its queue in packets.
    pub queue: u64,
    /// The part of the packets that it loses.
    pub loss: f64,
}

const fn kind(name: &'static str, rate: u64, delay: u64, queue: u64, loss: f64) -> Kind {
    Kind {
        name,
        rate,
        delay,
        queue,
        loss,
    }
}

pub const RADIO: Kind = kind("radio", 2, 28, 60, 0.02);
pub const LOSSY: Kind = kind("lossy", 20, 8, 60, 0.03);

/// All of them (validation/stacks.py).
pub const ALL: [Kind; 6] = [
    RADIO,
    kind("middle", 10, 18, 100, 0.01),
    kind("slow", 1, 48, 25, 0.02),
    kind("fast", 50, 8, 200, 0.001),
    LOSSY,
    kind("shallow", 5, 48, 15, 0.0),
];

impl Kind {
    /// Nanoseconds of a bit on the bottleneck.
    fn bit(&self) -> u64 {
        1000 / self.rate
    }

    /// How long a packet waits at most, as the time that a queue of full packets takes.
    fn longest(&self) -> Duration {
        Duration::from_nanos(self.queue * 1480 * 8 * self.bit())
    }
}

/// The path. Its random numbers are those of its own seed.
pub struct Path {
    kind: Kind,
    /// The mean delay that each end adds to what arrives there.
    late: Duration,
    random: u64,
    /// When the bottleneck is idle, and the last arrival, in each direction.
    ways: [Way; 2],
}

#[derive(Clone, Copy, Default)]
struct Way {
    idle: Option<Instant>,
    last: Option<Instant>,
}

impl Path {
    pub fn new(kind: Kind, seed: u64, late: Duration) -> Self {
        Self {
            kind,
            late,
            random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            ways: [Way::default(); 2],
        }
    }

    /// A number above 0 and below 1 (Marsaglia's xorshift64*).
    fn draw(&mut self) -> f64 {
        for shift in [13, -7, 17] {
            self.random ^= match shift {
                ..0 => self.random >> -shift,
                _ => self.random << shift,
            };
        }
        let high = self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        (high as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Returns when a datagram arrives; `None` if it is lost.
    pub fn carry(&mut self, there: bool, now: Instant, size: usize) -> Option<Instant> {
        let bits = (size as u64 + HEADERS) * 8;
        let [slow, fast] = [self.kind.bit(), ACCESS].map(|bit| Duration::from_nanos(bits * bit));
        let at = now + fast + NEAR;
        let mut way = self.ways[usize::from(there)];
        let idle = way.idle.unwrap_or(at);
        if idle.saturating_duration_since(at) > self.kind.longest() {
            return None;
        }
        let left = idle.max(at) + slow;
        way.idle = Some(left);
        let lost = there && self.draw() < self.kind.loss;
        let late = self.late.mul_f64(-self.draw().ln());
        let later = Duration::from_millis(self.kind.delay) + NEAR;
        let arrival = left + later + fast + late;
        let arrival = way.last.map_or(arrival, |last| last.max(arrival));
        if !lost {
            way.last = Some(arrival);
        }
        self.ways[usize::from(there)] = way;
        (!lost).then_some(arrival)
    }
}
