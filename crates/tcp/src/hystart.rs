//! HyStart: slow start ends before it overflows a queue (Ha and Rhee 2011), as in Linux' CUBIC, for any control.
//!
//! | sign, from a window of 16 segments on | slow start ends when |
//! |---|---|
//! | a train of ACKs, each at most 2 ms after the last | it is longer than half of (the least round-trip time + 1 ms) |
//! | delay: the least of more than 8 round-trip times of a round | it exceeds the least of all by an eighth of that, 4 ms at least and 16 ms at most |
//!
//! The threshold becomes the window. After a timeout, slow start is watched anew.
//!
//! Source: Linux, `hystart_update` and `cubictcp_acked` in `tcp_cubic.c`. Readings: the 1 ms stand for Linux'
//! allowance for bursts, which is shorter above 2 Gb/s; the sender does not pace. Deviation: Linux does not
//! take round-trip times within a second after a loss for the least one.

use dumbbell_control::controller::Window;
use dumbbell_control::units::{Duration, Instant, Segments};

/// `hystart_low_window`, in segments.
const LOW_WINDOW: Segments = Segments::whole(16);
/// `hystart_ack_delta_us`.
const ACK_DELTA: Duration = Duration::from_millis(2);
/// The largest value of `hystart_ack_delay`.
const BURST: Duration = Duration::from_millis(1);
/// `HYSTART_MIN_SAMPLES`.
const MIN_SAMPLES: u32 = 8;
/// `HYSTART_DELAY_MIN` and `HYSTART_DELAY_MAX`.
const LEAST_DELAY: Duration = Duration::from_millis(4);
const MOST_DELAY: Duration = Duration::from_millis(16);

/// What is known of the current round of slow start.
#[derive(Clone, Debug)]
pub(crate) struct HyStart {
    round_start: Instant,
    last_ack: Instant,
    /// The round ends when the segment after this one is acknowledged; `None` before the first.
    end: Option<u64>,
    /// The least round-trip time of the round, and of all.
    least: Duration,
    least_of_all: Duration,
    samples: u32,
    found: bool,
}

impl HyStart {
    pub(crate) fn new() -> Self {
        Self {
            round_start: Instant::ZERO,
            last_ack: Instant::ZERO,
            end: None,
            least: Duration::MAX,
            least_of_all: Duration::MAX,
            samples: 0,
            found: false,
        }
    }

    /// A timeout: slow start begins again.
    pub(crate) fn restart(&mut self) {
        self.end = None;
        self.found = false;
    }

    fn begin_round(&mut self, now: Instant, high: u64) {
        self.round_start = now;
        self.last_ack = now;
        self.end = Some(high);
        self.least = Duration::MAX;
        self.samples = 0;
    }

    /// Takes a round-trip time, on an ACK of new data up to `ack`; segments below `high` have been sent.
    /// Returns whether slow start ends now.
    #[cold]
    pub(crate) fn watch(
        &mut self,
        now: Instant,
        ack: u64,
        high: u64,
        window: &Window,
        rtt: Duration,
    ) -> bool {
        self.least_of_all = self.least_of_all.min(rtt.max(Duration::from_nanos(1)));
        let over = self.found || window.cwnd >= window.ssthresh;
        !over && self.update(now, ack, high, window.cwnd, rtt)
    }

    /// Takes a round-trip time in slow start. Returns whether slow start ends.
    fn update(&mut self, now: Instant, ack: u64, high: u64, cwnd: Segments, rtt: Duration) -> bool {
        if self.end.is_none_or(|end| ack > end) {
            self.begin_round(now, high);
        }
        if cwnd < LOW_WINDOW {
            return false;
        }
        if now.since(self.last_ack) <= ACK_DELTA {
            self.last_ack = now;
            let train = now.since(self.round_start).as_nanos();
            let half = (self.least_of_all + BURST).as_nanos() / 2;
            self.found |= train > half;
        }
        self.least = self.least.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
        } else {
            let eighth = Duration::from_nanos(self.least_of_all.as_nanos() / 8);
            let more = eighth.clamp(LEAST_DELAY, MOST_DELAY);
            self.found |= self.least > self.least_of_all + more;
        }
        self.found
    }
}
