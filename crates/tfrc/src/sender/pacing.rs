//! The send time of the next packet (RFC 5348, section 4.6).
//!
//! A packet is due s/X after the previous one, in nanoseconds. Each due time is computed from the due
//! time of the last packet and rounded to the nearest nanosecond. A host that handles its timer on time
//! therefore sends at X with an error of at most half a nanosecond per packet: 0.05 % at a packet per
//! microsecond, and much less at lower rates. When the rate changes, the next due time is computed again
//! from the last one (except with the rules of ns-2, whose timer keeps running). If there is nothing to
//! send at a due time, it is lost, or can be made up for while the credit lasts.
//!
//! A host may handle its timer late, as all do that have other work. A packet that waited for its due time
//! keeps it then: the next one is due s/X after that nominal time, and not after the late moment, or the
//! sender would send less than X. What is made up for in this way is bounded by [`LATE`] and by a round-trip
//! time, which no burst may exceed.

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};

use crate::seconds::span;

/// How late a timer may be before the rate falls short.
pub(crate) const LATE: Duration = Duration::from_millis(50);
/// When no packet waits.
const NEVER: Instant = Instant::from_nanos(u64::MAX);

/// The due times of packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    /// The due time of the last packet.
    last: Option<Instant>,
    next: Instant,
    gap: Duration,
    /// When the packet that waits could leave at first, as the host was told last; [`NEVER`] if none waited.
    held: Instant,
}

impl Pacing {
    /// Starts pacing; the first packet is due now.
    pub(crate) const fn new(now: Instant) -> Self {
        Self {
            last: None,
            next: now,
            gap: Duration::ZERO,
            held: NEVER,
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

    /// A packet waits, and cannot leave before its due time: a host that comes later is late.
    #[inline]
    pub(crate) fn hold(&mut self) {
        self.held = self.next;
    }

    /// Packets wait that were not there before `since`: a due time before that was lost.
    pub(crate) fn begin(&mut self, since: Instant) {
        self.held = self.next.max(since);
    }

    /// Advances to the next due time when a packet is sent. Due times older than the credit are lost, but for those
    /// that a packet waited for and that the host has missed by at most `late`.
    #[inline]
    pub(crate) fn take(&mut self, now: Instant, credit: Duration, late: Duration) {
        // A host on time: nothing is to be made up for.
        let turn = match self.next >= now {
            true => self.next,
            false => {
                cold_path();
                let least = self.held.max(now - late).min(now - credit);
                self.next.max(least)
            }
        };
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
        pacing.take(ms(0), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(100));
        pacing.set_gap(0.05, true);
        assert_eq!(pacing.next(), ms(50));
        pacing.set_gap(0.2, false);
        assert_eq!(pacing.next(), ms(50));
        pacing.take(ms(50), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(250));
    }

    #[test]
    fn due_times_without_data_are_lost_except_for_the_credit() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.1, true);
        pacing.take(ms(0), Duration::ZERO, LATE);
        pacing.take(ms(1_000), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(1_100));
        pacing.take(ms(2_000), Duration::from_millis(150), LATE);
        assert_eq!(pacing.next(), ms(1_950));
    }

    #[test]
    fn a_late_host_does_not_move_the_due_times_of_packets_that_waited() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.1, true);
        pacing.take(ms(0), Duration::ZERO, LATE);
        pacing.hold();
        pacing.take(ms(130), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(200));
        // 70 ms late, of which 50 are made up for, or as many as the path allows.
        pacing.hold();
        pacing.take(ms(270), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(320));
        pacing.hold();
        pacing.take(ms(350), Duration::ZERO, Duration::from_millis(10));
        assert_eq!(pacing.next(), ms(440));
    }

    #[test]
    fn a_packet_that_came_after_its_due_time_keeps_the_time_at_which_it_came() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.1, true);
        pacing.take(ms(0), Duration::ZERO, LATE);
        // It came at 150 ms, and the host handles it at 160 ms.
        pacing.begin(ms(150));
        pacing.take(ms(160), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(250));
        // It came before it was due.
        pacing.begin(ms(200));
        pacing.take(ms(260), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(350));
    }

    /// The rate rises at 60 ms so much that the packet, which was due at 100 ms, should have left at 50 ms. No host was
    /// late.
    #[test]
    fn a_rate_that_rises_leaves_nothing_to_make_up_for() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.1, true);
        pacing.take(ms(0), Duration::ZERO, LATE);
        pacing.hold();
        pacing.set_gap(0.05, true);
        pacing.take(ms(60), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), ms(110));
    }

    #[test]
    fn there_is_always_a_gap() {
        let mut pacing = Pacing::new(ms(0));
        pacing.set_gap(0.0, true);
        pacing.take(ms(0), Duration::ZERO, LATE);
        assert_eq!(pacing.next(), Instant::from_nanos(1));
    }
}
