//! When the next packet leaves (RFC 5348, section 4.6).
//!
//! A packet leaves s/X after the one before it, in nanoseconds. Turns are counted from the turn of the
//! last packet, rounded to the nearest nanosecond each, so that a host that serves its timer on time
//! sends at X within half a nanosecond a packet: within 0.05 % at a packet each microsecond, and far
//! better below. When the rate changes, the next turn is worked out again from the last one (unless the
//! rules are those of ns-2, whose timer runs on). A turn for which there was nothing to send is lost,
//! or can be made up for as long as the credit lasts.

use dumbbell_control::units::{Duration, Instant};

use crate::seconds::span;

/// Turns to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// The turn of the last packet.
    last: Option<Instant>,
    next: Instant,
    gap: Duration,
}

impl Pacing {
    /// The first packet may leave now.
    pub(crate) const fn new(now: Instant) -> Self {
        Self {
            last: None,
            next: now,
            gap: Duration::ZERO,
        }
    }

    /// The next turn.
    #[inline]
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// The time between packets is so many seconds from now on; `again` if the turn that is waited for
    /// changes, too.
    pub(crate) fn set_gap(&mut self, gap: f64, again: bool) {
        self.gap = span(gap).max(Duration::from_nanos(1));
        if again && let Some(last) = self.last {
            self.next = last + self.gap;
        }
    }

    /// A packet leaves; turns older than the credit are lost.
    #[inline]
    pub(crate) fn take(&mut self, now: Instant, credit: Duration) {
        let turn = self.next.max(now - credit);
        self.last = Some(turn);
        self.next = turn + self.gap;
    }

    /// The next packet need not wait.
    pub(crate) fn hurry(&mut self, now: Instant) {
        self.next = self.next.min(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn a_new_rate_moves_the_turn_that_is_waited_for() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.1, true);
        pacing.take(ms(0), Duration::ZERO);
        assert_eq!(pacing.next(), ms(100));
        pacing.set_gap(0.05, true);
        assert_eq!(pacing.next(), ms(50));
        pacing.set_gap(0.2, false);
        assert_eq!(pacing.next(), ms(50));
        pacing.take(ms(50), Duration::ZERO);
        assert_eq!(pacing.next(), ms(250));
    }

    #[test]
    fn turns_without_data_are_lost_but_for_the_credit() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.1, true);
        pacing.take(ms(0), Duration::ZERO);
        pacing.take(ms(1_000), Duration::ZERO);
        assert_eq!(pacing.next(), ms(1_100));
        pacing.take(ms(2_000), Duration::from_millis(150));
        assert_eq!(pacing.next(), ms(1_950));
    }

    #[test]
    fn there_is_always_a_gap() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.0, true);
        pacing.take(ms(0), Duration::ZERO);
        assert_eq!(pacing.next(), Instant::from_nanos(1));
    }
}
