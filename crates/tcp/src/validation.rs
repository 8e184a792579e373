//! Validation of the window as in Linux (RFC 2861): a window that is not used does not grow, and shrinks.
//!
//! | the sender | window and threshold |
//! |---|---|
//! | has filled its window since the last round began, or in slow start has sent more than half of it | the window grows |
//! | has sent less for a retransmission timeout | cwnd = (cwnd + used) / 2, where used is at least the initial window |
//! | sends again after more than a timeout with nothing outstanding | cwnd is halved per timeout, down to the initial window |
//!
//! In the last two cases the threshold becomes at least three quarters of the window before.
//! Sources: RFC 2861, section 3; Linux, `tcp_cwnd_validate`, `tcp_cwnd_application_limited` and `tcp_cwnd_restart`.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::units::{Instant, Segments};

use crate::connection::{Connection, Phase};

/// How much of the window was used.
#[derive(Clone, Debug)]
pub(crate) struct Validation {
    /// Whether the window was full in the current round, and the most segments outstanding in it.
    full: bool,
    most: u64,
    /// The segment whose ACK ends the round.
    until: u64,
    /// The most segments outstanding since the window was last used, and when that was.
    used: u64,
    since: Instant,
    /// The segment after the highest sent, and when that was.
    high: u64,
    sent_at: Instant,
    initial: Segments,
}

impl Validation {
    pub(crate) fn new(initial: Segments) -> Self {
        Self {
            full: false,
            most: 0,
            until: 0,
            used: 0,
            since: Instant::ZERO,
            high: 0,
            sent_at: Instant::ZERO,
            initial,
        }
    }

    /// Whether the window limits the sender, so that it may grow.
    pub(crate) fn is_limited_by(&self, window: &Window) -> bool {
        self.full || window.cwnd < window.ssthresh && window.cwnd.floor() < 2 * self.most
    }
}

impl<C: Controller> Connection<C> {
    /// Everything that may be sent now has been sent. `in_flight` segments are in the network.
    #[cold]
    pub(crate) fn validate(&mut self, in_flight: u64, now: Instant) {
        let window = self.control.window();
        let Some(it) = &mut self.validation else {
            return;
        };
        let sent = self.high > it.high;
        if sent {
            it.sent_at = now;
            it.high = self.high;
        }
        let full = in_flight >= window.cwnd.floor();
        if !sent && !full {
            return;
        }
        let outstanding = self.high - self.una;
        if self.una >= it.until || full || !it.full && outstanding > it.most {
            it.full = full;
            it.most = outstanding;
            it.until = self.high;
        }
        if it.is_limited_by(&window) {
            it.used = 0;
            it.since = now;
            return;
        }
        it.used = it.used.max(outstanding);
        if now.since(it.since) < self.timer.timeout() {
            return;
        }
        it.since = now;
        if self.phase == Phase::Open {
            let used = Segments::saturating_whole(it.used).max(it.initial);
            it.used = 0;
            if used < window.cwnd {
                let middle = Segments::from_raw(used.raw().midpoint(window.cwnd.raw()));
                self.shrink(window.cwnd, middle);
            }
        }
    }

    /// There is more to send. If nothing has been outstanding for longer than a timeout, the window shrinks.
    #[cold]
    pub(crate) fn restart_after_idle(&mut self, now: Instant) {
        let Some(it) = &mut self.validation else {
            return;
        };
        let timeout = self.timer.timeout().as_nanos().max(1);
        let idle = now.since(it.sent_at).as_nanos();
        if self.una < self.high || self.high == 0 || idle <= timeout {
            return;
        }
        it.used = 0;
        it.since = now;
        let before = self.control.window().cwnd;
        let least = it.initial.min(before);
        // One halving for each timeout that has passed in full.
        let mut cwnd = before;
        for _ in 0..(idle - 1) / timeout {
            if cwnd <= least {
                break;
            }
            cwnd = Segments::from_raw(cwnd.raw() / 2);
        }
        self.shrink(before, cwnd.max(least));
    }

    fn shrink(&mut self, before: Segments, cwnd: Segments) {
        let ssthresh = Segments::from_raw(before.raw() / 4 * 3);
        self.control.on_unused(&Window { cwnd, ssthresh });
    }
}
