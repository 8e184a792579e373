//! The send time of the next packet (RFC 5348, section 4.6).
//!
//! A packet is due s/X after the previous one, in nanoseconds. Each due time is computed from the due
//! time of the last packet and rounded to the nearest nanosecond. A host that handles its timer on time
//! therefore sends at X with an error of at most half a nanosecond per packet: 0.05 % at a packet per
//! microsecond, and much less at lower rates. When the rate changes, the next due time is computed again
//! from the last one (except with the rules of ns-2, whose timer keeps running). If there is nothing to
//! send at a due time, it is lost, or can be made up for while the credit lasts.

use dumbbell_control::units::{Duration, Instant};

use crate::seconds::span;

/// The due times of packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// The due time of the last packet.
    last: Option<Instant>,
    next: Instant,
    gap: Duration,
}

impl Pacing {
    /// Starts pacing; the first packet is due now.
    pub(crate) const fn new(now: Instant) -> Self {
        Self {
            last: None,
            next: now,
            gap: Duration::ZERO,
        }
    }

    /// Returns the due time of the next packet.
    #[inline]
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// Sets the time between packets, in seconds; `again` says whether the next due time changes too.
    pub(crate) fn set_gap(&mut self, gap: f64, again: bool) {
        self.gap = span(gap).max(Duration::from_nanos(1));
        if again && let Some(last) = self.last {
            self.next = last + self.gap;
        }
    }

    /// Advances to the next due time when a packet is sent; due times older than the credit are lost.
    #[inline]
    pub(crate) fn take(&mut self, now: Instant, credit: Duration) {
        let turn = self.next.max(now - credit);
        self.last = Some(turn);
        self.next = turn + self.gap;
    }

    /// Makes the next packet due now.
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
    fn a_new_rate_changes_the_next_due_time() {
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
    fn due_times_without_data_are_lost_except_for_the_credit() {
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
