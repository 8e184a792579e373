//! 2 Mb/s, 60 ms, 60 packets of queue and 2 % losses, between access links of 100 Mb/s.

use std::time::{Duration, Instant};

/// Headers of UDP and IPv4, in bytes.
const HEADERS: u64 = 28;
/// Nanoseconds of a bit on the bottleneck, and on an access link.
const BOTTLENECK: u64 = 500;
const ACCESS: u64 = 10;
/// Of the bottleneck and the access link behind it, and of the one before it.
const LATER: Duration = Duration::from_millis(29);
const BEFORE: Duration = Duration::from_millis(1);
/// The queue, as the time that 60 full packets take.
const QUEUE: Duration = Duration::from_nanos(60 * 1480 * 8 * BOTTLENECK);
const LOSS: f64 = 0.02;

/// The path. Its random numbers are those of its own seed.
pub struct Path {
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
    pub fn new(seed: u64, late: Duration) -> Self {
        Self {
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
        let [slow, fast] = [BOTTLENECK, ACCESS].map(|bit| Duration::from_nanos(bits * bit));
        let at = now + fast + BEFORE;
        let mut way = self.ways[usize::from(there)];
        let idle = way.idle.unwrap_or(at);
        if idle.saturating_duration_since(at) > QUEUE {
            return None;
        }
        let left = idle.max(at) + slow;
        way.idle = Some(left);
        let lost = there && self.draw() < LOSS;
        let late = self.late.mul_f64(-self.draw().ln());
        let arrival = left + LATER + fast + late;
        let arrival = way.last.map_or(arrival, |last| last.max(arrival));
        if !lost {
            way.last = Some(arrival);
        }
        self.ways[usize::from(there)] = way;
        (!lost).then_some(arrival)
    }
}
