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

use dumbbell_control::controller::Window;
use dumbbell_control::units::{Duration, Instant, Segments};

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

    /// Everything that may be sent now has been sent. Returns the window that takes the place of one that is
    /// not used, if there is one.
    #[cold]
    pub(crate) fn update(&mut self, now: Instant, usage: &Usage) -> Option<Window> {
        let &Usage {
            window,
            in_flight,
            una,
            high,
            timeout,
            open,
            waits,
        } = usage;
        let sent = high > self.high;
        if sent {
            self.sent_at = now;
            self.high = high;
        }
        let full = waits || in_flight >= window.cwnd.floor();
        if !sent && !full {
            return None;
        }
        let outstanding = high - una;
        if una >= self.until || full || !self.full && outstanding > self.most {
            self.full = full;
            self.most = outstanding;
            self.until = high;
        }
        if self.is_limited_by(&window) {
            self.used = 0;
            self.since = now;
            return None;
        }
        self.used = self.used.max(outstanding);
        if now.since(self.since) < timeout {
            return None;
        }
        self.since = now;
        if !open {
            return None;
        }
        let used = Segments::saturating_whole(self.used).max(self.initial);
        self.used = 0;
        (used < window.cwnd).then(|| {
            let middle = used.raw().midpoint(window.cwnd.raw());
            shrunk(window.cwnd, Segments::from_raw(middle))
        })
    }

    /// There is more to send. Returns the window that takes the place of the present one, if nothing has been
    /// outstanding for longer than a timeout.
    #[cold]
    pub(crate) fn restart(&mut self, now: Instant, usage: &Usage) -> Option<Window> {
        let timeout = usage.timeout.as_nanos().max(1);
        let idle = now.since(self.sent_at).as_nanos();
        if usage.una < usage.high || usage.high == 0 || idle <= timeout {
            return None;
        }
        self.used = 0;
        self.since = now;
        let before = usage.window.cwnd;
        let least = self.initial.min(before);
        // One halving for each timeout that has passed in full.
        let mut cwnd = before;
        for _ in 0..(idle - 1) / timeout {
            if cwnd <= least {
                break;
            }
            cwnd = Segments::from_raw(cwnd.raw() / 2);
        }
        Some(shrunk(before, cwnd.max(least)))
    }
}

/// What a sender has sent and may send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub window: Window,
    /// Segments in the network.
    pub in_flight: u64,
    pub una: u64,
    pub high: u64,
    /// The retransmission timeout.
    pub timeout: Duration,
    /// Whether no loss episode is going on.
    pub open: bool,
    /// Whether the window has room that waits for more.
    pub waits: bool,
}

fn shrunk(before: Segments, cwnd: Segments) -> Window {
    let ssthresh = Segments::from_raw(before.raw() / 4 * 3);
    Window { cwnd, ssthresh }
}
