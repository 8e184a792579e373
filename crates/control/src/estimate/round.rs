//! Rounds: a round is the time from a moment until the first packet sent at that moment or later is
//! acknowledged.

use crate::units::{Duration, Instant};

/// A round. It ends with the first RTT sample of a packet that was sent when it began or later.
/// The default round begins at the origin of time, so the first sample ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round(Instant);

impl Round {
    /// A round that begins at `now`.
    #[inline]
    pub fn beginning(now: Instant) -> Self {
        Self(now)
    }

    /// When it began.
    #[inline]
    pub fn began(&self) -> Instant {
        self.0
    }

    /// Whether a sample of `rtt`, taken at `now`, ends it.
    #[inline]
    pub fn is_ended_by(&self, now: Instant, rtt: Duration) -> bool {
        now - rtt >= self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_a_packet_sent_since_it_began() {
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        let round = Round::beginning(at(100));
        assert!(!round.is_ended_by(at(150), Duration::from_millis(60)));
        assert!(round.is_ended_by(at(160), Duration::from_millis(60)));
        assert!(Round::default().is_ended_by(at(0), Duration::MAX));
    }
}
