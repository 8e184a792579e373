//! Pacing: when segments that the window allows are sent. They are sent at the rate that a controller
//! sets, or by sender adaptation; without either, at once.
//!
//! **The rate of a controller** ([`Controller::pacing`]): segments are `mss / rate` apart. The rate is in
//! bytes of payload, as the window is in segments of payload. A retransmission that a recovery wants at
//! once does not wait, but it counts: the next segment is delayed by as much, so the mean rate holds. (In Linux, and with
//! `pacing_credit`, it waits, and nothing but the rest of what left at once with it the first time leaves with it.) A
//! controller may let several segments leave at once ([`Controller::send_quantum`]): when one is due, those
//! that the window allows at that moment leave with it, and the next waits as long as they take together.
//!
//! **Sender adaptation** (Balakrishnan, Padmanabhan and Katz 1997, section 4.4): with fewer ACKs each one
//! covers more, so a sender counts what they cover, and does not send all of it in one burst. An event
//! releases [`BURST`] segments at once. Further ones follow one by one, `RTT / cwnd` apart. Until they
//! are sent, only retransmissions that a recovery wants at once are sent before them.
//!
//! [`Controller::pacing`]: dumbbell_control::controller::Controller::pacing
//! [`Controller::send_quantum`]: dumbbell_control::controller::Controller::send_quantum

use dumbbell_control::units::{Bytes, Duration, Instant, Rate, Segments};

/// Segments that an event releases at once under sender adaptation.
pub const BURST: u32 = 4;

/// Segments at the beginning of a connection after which, with credit, none waits.
const FREE: u8 = 10;

/// The deadline when nothing is due.
pub(crate) const NEVER: Instant = Instant::from_nanos(u64::MAX);

/// When a sender may send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// Whether sender adaptation is in use.
    pub(crate) enabled: bool,
    /// Segments that may be sent at once under sender adaptation.
    room: u32,
    /// When the first of the waiting segments may be sent; `NEVER` if none waits.
    at: Instant,
    /// Under a controller's rate: the next segment is due `counted` spacings after `since`.
    since: Instant,
    counted: u32,
    /// Segments that may leave at once beside the first, whether they are due or not.
    burst: u32,
    /// With credit: when a segment left last that was due.
    left: Instant,
    /// With credit: segments until the first that makes others wait. `since` is then when the next segment is due, and
    /// `counted` by how many nanoseconds the last one was late, as far as no wait has been shortened by it.
    free: Option<u8>,
}

impl Pacing {
    pub(crate) const fn new(enabled: bool, credit: bool) -> Self {
        Self {
            enabled,
            room: BURST,
            at: NEVER,
            since: Instant::ZERO,
            counted: 0,
            burst: 0,
            left: Instant::ZERO,
            free: if credit { Some(FREE) } else { None },
        }
    }

    /// Whether a controller's rate allows the next segment to be sent now, with up to `quantum` at once. If
    /// not, the segment waits until it is due.
    pub(crate) fn is_due(&mut self, now: Instant, spacing: Duration, quantum: u32) -> bool {
        let due = self.due(spacing);
        let began = match self.free {
            None => self.since,
            Some(_) => self.left,
        };
        if now >= due {
            self.burst = quantum.saturating_sub(1);
            self.left = now;
        } else if self.burst > 0 && began == now {
            self.burst -= 1;
        } else {
            self.at = due;
            return false;
        }
        if !self.enabled {
            self.at = NEVER;
        }
        true
    }

    /// Counts a segment that is sent now under a controller's rate, whether it was due or not.
    pub(crate) fn count(&mut self, now: Instant, spacing: Duration) {
        if let Some(free) = self.free {
            self.free = Some(free.saturating_sub(1));
            self.count_with_credit(now, spacing, free > 1);
        } else if now < self.due(spacing) {
            self.counted = self.counted.saturating_add(1);
        } else {
            self.since = now;
            self.counted = 1;
        }
    }

    /// The same with credit. The segment does not make the next wait if it is `free`.
    #[cold]
    fn count_with_credit(&mut self, now: Instant, spacing: Duration, free: bool) {
        if now >= self.since {
            let late = now.since(self.since).as_nanos();
            self.counted = u32::try_from(late).unwrap_or(u32::MAX);
            self.since = now;
        }
        if !free {
            let half = u32::try_from(spacing.as_nanos() / 2).unwrap_or(u32::MAX);
            let used = self.counted.min(half);
            self.counted -= used;
            let wait = spacing.as_nanos() - u64::from(used);
            self.since = self.since + Duration::from_nanos(wait);
        }
    }

    /// When the next segment is due at a controller's rate.
    pub(crate) fn due(&self, spacing: Duration) -> Instant {
        if self.free.is_some() {
            return self.since;
        }
        let wait = spacing.as_nanos().saturating_mul(self.counted.into());
        self.since + Duration::from_nanos(wait)
    }

    /// When the next segment is due.
    #[inline]
    pub(crate) fn deadline(&self) -> Instant {
        self.at
    }

    /// Sees at this time at the latest whether the waiting segment is due.
    pub(crate) fn look_again(&mut self, at: Instant) {
        self.at = self.at.min(at);
    }

    /// An event begins that may release segments.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.room = if self.at == NEVER { BURST } else { 0 };
    }

    /// Nothing more leaves at once with what has left.
    pub(crate) fn end_burst(&mut self) {
        self.burst = 0;
    }

    /// A timeout has reset the connection: forgets what waits.
    pub(crate) fn forget(&mut self) {
        self.at = NEVER;
        self.room = BURST;
    }

    /// Releases the next segment if it is due; returns whether it is.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        if now < self.at {
            return false;
        }
        self.at = NEVER;
        self.room = 1;
        true
    }

    /// Whether sender adaptation allows a segment to be sent now. `interval` is the time between paced
    /// segments. It is `None` while no round-trip time is known, and then nothing waits.
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

/// The time between segments of `mss` bytes at a rate: `floor(mss * 10^9 / rate)` nanoseconds, or
/// [`Duration::MAX`] at a rate of zero.
pub(crate) fn spacing(mss: Bytes, rate: Rate) -> Duration {
    let bytes = (u128::from(mss.0) * 1_000_000_000) << 16;
    let nanos = bytes.checked_div(rate.raw().into());
    nanos.map_or(Duration::MAX, |ns| {
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    })
}

/// The time between segments that spreads a window over a round trip.
pub(crate) fn interval(srtt: Duration, cwnd: Segments) -> Duration {
    Duration::from_nanos(srtt.as_nanos() / cwnd.floor().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 bytes at 1 Mb/s take 8 ms.
    #[test]
    fn a_rate_spaces_segments_and_counts_those_that_did_not_wait() {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let spacing = spacing(Bytes(1000), Rate::from_raw(125_000 << 16));
        assert_eq!(spacing, Duration::from_millis(8));
        let mut pacing = Pacing::new(false, false);
        assert!(
            pacing.is_due(ms(100), spacing, 1),
            "the first is sent at once"
        );
        pacing.count(ms(100), spacing);
        assert!(!pacing.is_due(ms(107), spacing, 1));
        assert_eq!(pacing.deadline(), ms(108));
        // A retransmission that does not wait delays the next segment.
        pacing.count(ms(107), spacing);
        assert!(!pacing.is_due(ms(108), spacing, 1));
        assert!(pacing.is_due(ms(116), spacing, 1));
        assert_eq!(pacing.deadline(), NEVER);
        // A higher rate makes the waiting segment due earlier.
        pacing.count(ms(116), spacing);
        assert!(pacing.is_due(ms(120), Duration::from_millis(4), 1));
    }

    /// Three at once, and the next when three spacings have passed; a segment that comes later does not belong to
    /// the burst.
    #[test]
    fn a_quantum_leaves_at_once_and_the_next_waits_for_all_of_it() {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let spacing = Duration::from_millis(8);
        let mut pacing = Pacing::new(false, false);
        let mut send = |at, quantum| {
            let due = pacing.is_due(ms(at), spacing, quantum);
            if due {
                pacing.count(ms(at), spacing);
            }
            due
        };
        assert_eq!([0; 4].map(|_| send(100, 3)), [true, true, true, false]);
        assert_eq!(
            [send(123, 3), send(124, 3), send(125, 3)],
            [false, true, false]
        );
        assert_eq!([send(132, 3), send(132, 3)], [true, true]);
        assert_eq!([send(147, 3), send(148, 3)], [false, true]);
    }

    /// Ten segments leave at once. Then they are 8 ms apart; one that leaves 2 ms late shortens the next wait to 6 ms,
    /// and one that leaves 20 ms late to 4 ms.
    #[test]
    fn what_is_late_shortens_the_next_wait_by_up_to_a_half() {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let spacing = Duration::from_millis(8);
        let mut pacing = Pacing::new(false, true);
        let mut send = |at: u64| {
            let due = pacing.is_due(ms(at), spacing, 1);
            if due {
                pacing.count(ms(at), spacing);
            }
            due
        };
        assert_eq!(
            [0; 11]
                .map(|_| send(100))
                .iter()
                .filter(|due| **due)
                .count(),
            10
        );
        assert_eq!([send(107), send(108)], [false, true]);
        assert_eq!([send(118), send(123), send(124)], [true, false, true]);
        assert_eq!([send(152), send(155), send(156)], [true, false, true]);
    }

    /// Two leave at once, 2 ms late: the wait for both is 16 ms, less 2.
    #[test]
    fn the_credit_is_that_of_all_that_leaves_at_once() {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let spacing = Duration::from_millis(8);
        let mut pacing = Pacing::new(false, true);
        let mut send = |at: u64| {
            let due = pacing.is_due(ms(at), spacing, 2);
            if due {
                pacing.count(ms(at), spacing);
            }
            due
        };
        for _ in 0..10 {
            assert!(send(100));
        }
        // The tenth makes the next wait until 108.
        assert_eq!([send(110), send(110), send(110)], [true, true, false]);
        assert_eq!([send(123), send(124)], [false, true]);
    }

    #[test]
    fn at_a_rate_of_zero_nothing_more_is_sent() {
        let mut pacing = Pacing::new(false, false);
        let spacing = spacing(Bytes(1000), Rate::ZERO);
        pacing.count(Instant::ZERO, spacing);
        assert!(!pacing.is_due(Instant::from_nanos(1 << 62), spacing, 1));
        assert_eq!(pacing.deadline(), NEVER);
    }

    #[test]
    fn four_segments_are_sent_at_once_and_the_rest_in_turn() {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let apart = || Some(interval(Duration::from_millis(100), Segments::whole(20)));
        let mut pacing = Pacing::new(true, false);
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
        let mut pacing = Pacing::new(true, false);
        pacing.begin();
        assert!((0..9).all(|_| pacing.take(Instant::ZERO, || None)));
        assert_eq!(pacing.deadline(), NEVER);
    }
}
