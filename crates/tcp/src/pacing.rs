//! Sender adaptation (Balakrishnan, Padmanabhan and Katz 1997, section 4.4): with fewer ACKs each one
//! covers more, so a sender counts what they cover, and does not send all of it in one burst.
//!
//! An event lets [`BURST`] segments out at once. Further ones follow one by one, `RTT / cwnd` apart;
//! until they are out, nothing else is sent but retransmissions that a recovery asks for at once.

use dumbbell_control::units::{Duration, Instant, Segments};

/// Segments that an event lets out at once.
pub const BURST: u32 = 4;

/// When nothing is due.
pub(crate) const NEVER: Instant = Instant::from_nanos(u64::MAX);

/// The state of a sender that paces what exceeds a burst.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// Adaptation is in use.
    pub(crate) enabled: bool,
    /// Segments that may go out at once.
    room: u32,
    /// When the next of those that wait may go out.
    at: Instant,
}

impl Pacing {
    pub(crate) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            room: BURST,
            at: NEVER,
        }
    }

    /// When the next segment is due.
    #[inline]
    pub(crate) fn deadline(&self) -> Instant {
        self.at
    }

    /// An event begins that may let segments out.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.room = if self.at == NEVER { BURST } else { 0 };
    }

    /// Something has reset the connection's pace: what waited is forgotten.
    pub(crate) fn forget(&mut self) {
        self.at = NEVER;
        self.room = BURST;
    }

    /// The time of the next segment may have come; answers whether it has.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        if now < self.at {
            return false;
        }
        self.at = NEVER;
        self.room = 1;
        true
    }

    /// Asks to send a segment. `interval` is the time between paced ones, `None` where no round-trip
    /// time is known yet: then nothing waits.
    pub(crate) fn take(
        &mut self,
        now: Instant,
        interval: impl FnOnce() -> Option<Duration>,
    ) -> bool {
        if self.room > 0 {
            self.room -= 1;
            return true;
        }
        if self.at != NEVER {
            return false;
        }
        match interval() {
            Some(interval) => {
                self.at = now + interval.max(Duration::from_nanos(1));
                false
            }
            None => true,
        }
    }
}

/// The time between segments that spreads a window over a round trip.
pub(crate) fn interval(srtt: Duration, cwnd: Segments) -> Duration {
    Duration::from_nanos(srtt.as_nanos() / cwnd.floor().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_at_once_and_the_rest_in_turn() {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let apart = || Some(interval(Duration::from_millis(100), Segments::whole(20)));
        let mut pacing = Pacing::new(true);
        pacing.begin();
        let sent = (0..6).filter(|_| pacing.take(ms(0), apart)).count();
        assert_eq!((sent, pacing.deadline()), (4, ms(5)));
        pacing.begin();
        assert!(!pacing.take(ms(2), apart), "another ACK does not hurry it");
        assert!(!pacing.expire(ms(4)));
        assert!(pacing.expire(ms(5)));
        assert!(pacing.take(ms(5), apart));
        assert!(!pacing.take(ms(5), apart));
        assert_eq!(pacing.deadline(), ms(10));
        assert!(pacing.expire(ms(10)));
        pacing.begin();
        assert!(pacing.take(ms(11), apart), "nothing waited");
    }

    #[test]
    fn without_a_round_trip_time_nothing_waits() {
        let mut pacing = Pacing::new(true);
        pacing.begin();
        assert!((0..9).all(|_| pacing.take(Instant::ZERO, || None)));
        assert_eq!(pacing.deadline(), NEVER);
    }
}
