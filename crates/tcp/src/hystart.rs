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

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW_START: Window = Window {
        cwnd: Segments::whole(20),
        ssthresh: Segments::CAP,
    };

    fn micros(us: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(us)
    }

    /// ACKs in one round, at these times and with these round-trip times, in microseconds. Returns which of
    /// them ends slow start.
    fn ended(acks: impl IntoIterator<Item = (u64, u64)>) -> Option<usize> {
        let mut hystart = HyStart::new();
        acks.into_iter().position(|(at, rtt)| {
            hystart.watch(micros(at), 1, 100, &SLOW_START, Duration::from_micros(rtt))
        })
    }

    /// Half of 39 + 1 ms are 20 ms: a train of 20 ms is not longer, one of 20.001 ms is. ACKs 2 ms apart
    /// belong to a train, those 2.001 ms apart do not.
    #[test]
    fn a_train_is_longer_than_half_of_the_least_time() {
        let train = |last: u64| (0..10).map(|k| (2_000 * k, 39_000)).chain([(last, 39_000)]);
        assert_eq!(ended(train(20_000)), None);
        assert_eq!(ended(train(19_999).chain([(20_001, 39_000)])), Some(11));
        assert_eq!(ended((0..40).map(|k| (2_001 * k, 39_000))), None);
    }

    /// The first round-trip time is 80 ms, and a round after it has none below 90 ms, its eighth more: that is
    /// not enough. With 90.001 ms, the ninth sample ends slow start.
    #[test]
    fn a_delay_exceeds_an_eighth_of_the_least_time() {
        let round = |rtt: u64| {
            let mut hystart = HyStart::new();
            let mut watch = |at, ack, rtt| {
                let rtt = Duration::from_micros(rtt);
                hystart.watch(micros(at), ack, 100 + ack, &SLOW_START, rtt)
            };
            assert!(!watch(0, 1, 80_000));
            (0..20).position(|k| watch(200_000 + 5_000 * k, 102, rtt))
        };
        assert_eq!(round(90_000), None);
        assert_eq!(round(90_001), Some(8));
    }
}
