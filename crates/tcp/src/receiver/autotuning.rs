//! The window of Linux' receiver grows with what arrives, and while it grows, ACKs are not delayed: slow start is
//! acknowledged segment by segment.
//!
//! | event | rule |
//! |---|---|
//! | a segment arrives in order or above a hole while `window < buffer` | `window += 2`, and its ACK is not delayed |
//! | a round trip is over in which more arrived than in any before | `buffer = twice + 2 twice (arrived - before) / before`, `twice = 2 arrived` |
//!
//! Both begin at 45 segments, a buffer of 128 KiB; what arrived, at 10. A buffer has at most 11586, those of 32 MiB.
//!
//! Source: Linux 6.18, `tcp_rcv_space_adjust`, `tcp_rcvbuf_grow` and `tcp_grow_window`; `tcp_rmem`. Readings: segments have
//! 1448 bytes, half of a buffer holds data, and the application reads at once. The window does not limit the sender here:
//! `receiver_window` does. The round-trip time is the time that the segment was under way, and that of an ACK: the least
//! of these times, without what the slowest link takes for a segment, which is the least time between two. (A round that is
//! longer than the sender's by only that ends after the first segment of the next train, whose ACKs are then too far
//! apart for [HyStart](crate::hystart).)

use dumbbell_control::units::{Duration, Instant};

/// What is known of a growing window, in segments.
#[derive(Clone, Debug)]
pub(super) struct Autotuning {
    /// The least time that a segment was under way, and between two.
    least: Duration,
    apart: Duration,
    /// When the last segment arrived.
    last: Option<Instant>,
    /// When the present round trip began, and the segment that was missing then.
    since: Option<Instant>,
    from: u64,
    /// The most that arrived in a round trip.
    arrived: u64,
    buffer: u64,
    window: u64,
}

const INITIAL_ARRIVED: u64 = 10;
const INITIAL: u64 = 45;
const MOST: u64 = 11_586;
/// What the window of a segment grows by.
const STEP: u64 = 2;

impl Default for Autotuning {
    fn default() -> Self {
        Self {
            least: Duration::MAX,
            apart: Duration::MAX,
            last: None,
            since: None,
            from: 0,
            arrived: INITIAL_ARRIVED,
            buffer: INITIAL,
            window: INITIAL,
        }
    }
}

impl Autotuning {
    /// A segment arrives above all that arrived in order, `next` if it is the next of these. Returns whether the window grows.
    pub fn on_segment(&mut self, now: Instant, sent_at: Instant, next: Option<u64>) -> bool {
        let transit = now.since(sent_at);
        self.least = self.least.min(transit);
        if let Some(last) = self.last.replace(now) {
            self.apart = self.apart.min(now.since(last));
        }
        let grows = self.window < self.buffer;
        if grows {
            self.window = (self.window + STEP).min(self.buffer);
        }
        if let Some(next) = next {
            self.read(now, transit + self.least.saturating_sub(self.apart), next);
        }
        grows
    }

    /// The application reads segment `next`.
    fn read(&mut self, now: Instant, round_trip: Duration, next: u64) {
        let since = *self.since.get_or_insert(now);
        if now.since(since) >= round_trip {
            self.end_round(next - self.from);
            self.since = Some(now);
            self.from = next;
        }
    }

    fn end_round(&mut self, arrived: u64) {
        if arrived <= self.arrived {
            return;
        }
        let twice = arrived.saturating_mul(2);
        let more = twice.saturating_mul(arrived - self.arrived) / self.arrived;
        let buffer = more.saturating_mul(2).saturating_add(twice);
        self.buffer = self.buffer.max(buffer.min(MOST));
        self.arrived = arrived;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments from `first` on arrive 1 ms apart after 20.5 ms under way: a round trip is 40 ms. Returns how many of them find
    /// that the window grows.
    fn grown(tuning: &mut Autotuning, first: u64, count: u64, from_ms: u64) -> usize {
        let at = |us| Instant::ZERO + Duration::from_micros(us);
        let mut grows = |i: u64| {
            let now = 1_000 * (from_ms + i);
            tuning.on_segment(at(now), at(now - 20_500), Some(first + i))
        };
        (0..count).filter(|&i| grows(i)).count()
    }

    /// 10 in the first 40 ms are as many as assumed. 20 in the next are twice as many: 40, and 2 * 40 more, 120: 75 more
    /// than 45, which takes 38 segments. The first of a round is read, and makes the buffer larger, after it was acknowledged.
    #[test]
    fn a_window_grows_after_each_round_with_more_than_any_before() {
        let mut tuning = Autotuning::default();
        assert_eq!(grown(&mut tuning, 0, 10, 100), 0);
        assert_eq!(grown(&mut tuning, 10, 20, 140), 0);
        assert_eq!(tuning.buffer, 45);
        assert_eq!(grown(&mut tuning, 30, 40, 180), 38);
        assert_eq!((tuning.buffer, tuning.window), (120, 120));
        // 40 in the third: 80, and 2 * 80 more, 240.
        assert_eq!(grown(&mut tuning, 70, 40, 220), 39);
        assert_eq!((tuning.buffer, tuning.window), (240, 198));
    }

    /// Once every round brings as much as the last, the window arrives at the buffer, and ACKs are delayed again.
    #[test]
    fn a_steady_rate_ends_the_growth() {
        let mut tuning = Autotuning::default();
        let first = grown(&mut tuning, 0, 400, 100);
        // 40 in a round, the first time after 40 ms: 80 and 2 * 240 more, 560: 515 more take 258 segments.
        assert_eq!((tuning.buffer, tuning.window, first), (560, 560, 258));
        assert_eq!(grown(&mut tuning, 400, 100, 500), 0);
    }

    /// Above a hole the window grows as well, but nothing is read.
    #[test]
    fn a_window_grows_above_a_hole() {
        let mut tuning = Autotuning::default();
        tuning.end_round(20);
        let now = Instant::ZERO + Duration::from_millis(100);
        let grows = (0..40).filter(|_| tuning.on_segment(now, now, None));
        assert_eq!(grows.count(), 38);
        assert_eq!((tuning.window, tuning.since), (120, None));
    }

    #[test]
    fn a_buffer_has_its_end() {
        let mut tuning = Autotuning::default();
        tuning.end_round(u64::from(u32::MAX));
        assert_eq!(tuning.buffer, MOST);
    }
}
