//! Whether the sender had enough to send (RFC 5348, section 8.2.1).
//!
//! The RFC stores two times at which pacing, not the application, limited the sender, and allows more.
//! Here one time is stored for each eighth of a round-trip time, so that lost feedback does no harm.

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};

/// The number of times per round-trip time.
const GRAIN: u64 = 8;
/// The number of times that are stored: those of four round-trip times.
const MOMENTS: usize = 32;

/// The times at which data had to wait for pacing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    moments: [Option<Instant>; MOMENTS],
    newest: usize,
}

impl Limits {
    pub(crate) const fn new() -> Self {
        Self {
            moments: [None; MOMENTS],
            newest: 0,
        }
    }

    /// Records that data is waiting: the sender sends all that it may.
    #[inline]
    pub(crate) fn on_full(&mut self, now: Instant, rtt: Duration) {
        let close = self.moments[self.newest]
            .is_some_and(|last| now.since(last).as_nanos() < rtt.as_nanos() / GRAIN);
        if !close {
            cold_path();
            self.newest = (self.newest + 1) % MOMENTS;
            self.moments[self.newest] = Some(now);
        }
    }

    /// Returns whether the sender had too little to send during the whole round-trip time before
    /// `until`.
    pub(crate) fn was_data_limited(&self, until: Instant, rtt: Duration) -> bool {
        let from = until - rtt;
        !self
            .moments
            .iter()
            .flatten()
            .any(|&moment| moment <= until && (moment > from || from == Instant::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(80);

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn one_full_time_in_the_round_trip_is_enough() {
        let mut limits = Limits::new();
        assert!(limits.was_data_limited(ms(100), RTT));
        limits.on_full(ms(500), RTT);
        assert!(limits.was_data_limited(ms(499), RTT));
        assert!(!limits.was_data_limited(ms(500), RTT));
        assert!(!limits.was_data_limited(ms(579), RTT));
        assert!(limits.was_data_limited(ms(580), RTT));
    }

    #[test]
    fn the_times_of_more_than_two_round_trips_are_stored() {
        let mut limits = Limits::new();
        for at in 0..1_000 {
            limits.on_full(ms(at), RTT);
        }
        assert!(!limits.was_data_limited(ms(830), RTT));
        assert!(!limits.was_data_limited(ms(1_069), RTT));
        assert!(limits.was_data_limited(ms(1_080), RTT));
    }
}
