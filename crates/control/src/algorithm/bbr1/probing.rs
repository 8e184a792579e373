//! The cycle of ProbeBW, and RTprop.

use crate::estimate::path::UNIT;
use crate::event::Delivery;
use crate::units::{Duration, Instant};

/// The pacing gains of a cycle.
const GAINS: [u64; 8] = [
    UNIT * 5 / 4,
    UNIT * 3 / 4,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
];

/// The phase of the cycle and when it began.
#[derive(Clone, Debug)]
pub(super) struct Probing {
    phase: usize,
    began: Instant,
}

impl Probing {
    pub fn new() -> Self {
        Self {
            phase: 0,
            began: Instant::ZERO,
        }
    }

    /// Begins a cycle in any phase but that of 0.75.
    pub fn begin(&mut self, now: Instant) {
        // Fibonacci hashing of the time in microseconds: one of seven.
        let mixed = (now.as_nanos() / 1_000).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let back = (mixed * 7) >> 32;
        self.phase = GAINS.len() - 1 - back as usize;
        self.advance(now);
    }

    pub fn advance(&mut self, now: Instant) {
        self.phase = (self.phase + 1) % GAINS.len();
        self.began = now;
    }

    pub fn gain(&self) -> u64 {
        GAINS[self.phase]
    }

    /// Whether the phase is that in which the rate rises.
    pub fn rises(&self) -> bool {
        self.phase == 0
    }

    /// Whether the phase began more than this time ago.
    pub fn is_older(&self, now: Instant, age: Duration) -> bool {
        now.since(self.began) > age
    }
}

/// RTprop, and the progress of ProbeRTT.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrip {
    /// RTprop; `None` before the first measurement.
    pub least: Option<Duration>,
    pub measured_at: Instant,
    /// When ProbeRTT may end; `None` while too much is in the network.
    pub leave_at: Option<Instant>,
    /// Whether a round has passed since then.
    pub round_over: bool,
}

impl RoundTrip {
    /// Takes an ACK; returns whether RTprop is older than `window`. An equal time does not renew it, as in Linux.
    pub fn update(&mut self, delivery: &Delivery, window: Duration) -> bool {
        let expired = delivery.now > self.measured_at + window;
        if let Some(rtt) = delivery.rtt
            && (expired || self.least.is_none_or(|least| rtt < least))
        {
            self.least = Some(rtt);
            self.measured_at = delivery.now;
        }
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_begins_in_any_phase_but_that_of_a_lower_rate() {
        let mut seen = [0; 8];
        for us in 0..7_000 {
            let mut probing = Probing::new();
            probing.begin(Instant::ZERO + Duration::from_micros(us * 977));
            seen[probing.phase] += 1;
        }
        assert_eq!(seen[1], 0);
        let others = seen.iter().enumerate().filter(|(phase, _)| *phase != 1);
        assert!(
            others
                .into_iter()
                .all(|(_, &count)| (700..1_300).contains(&count)),
            "{seen:?}"
        );
    }

    #[test]
    fn the_rate_rises_and_falls_once_a_cycle() {
        let mut probing = Probing::new();
        let mut gains = [0; 8];
        for gain in &mut gains {
            *gain = probing.gain();
            probing.advance(Instant::ZERO);
        }
        assert_eq!(gains, [320, 192, 256, 256, 256, 256, 256, 256]);
        assert_eq!(gains.iter().sum::<u64>(), 8 * UNIT);
    }
}
