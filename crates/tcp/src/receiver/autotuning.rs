//! The window of Linux' receiver grows with what arrives, and while it grows, ACKs are not delayed: slow start is
//! acknowledged segment by segment.
//!
//! | event | rule |
//! |---|---|
//! | a round trip is over in which more arrived than in any before | `buffer = steady + 2 steady (arrived - before) / before`, `steady = 2 arrived + 16` |
//! | a segment in order arrives while `window < buffer` | `window += 2`, and its ACK is not delayed |
//!
//! Both begin at 45 segments, a buffer of 128 KiB; what arrived, at 10. A buffer has at most 2172, those of 6 MiB.
//!
//! Source: Linux, `tcp_rcv_space_adjust` and `tcp_grow_window`; `tcp_rmem`. Readings: segments have 1448 bytes, half of
//! a buffer holds data, and the application reads at once. The window does not limit the sender here:
//! `receiver_window` does. The round-trip time is the sum of the time that the segment was under way, and the least of
//! these times.

use dumbbell_control::units::{Duration, Instant};

/// What is known of a growing window, in segments.
#[derive(Clone, Debug)]
pub(super) struct Autotuning {
    /// The least time that a segment was under way.
    least: Duration,
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
const MOST: u64 = 2172;
/// What the window of a segment grows by, and the cushion of the buffer.
const STEP: u64 = 2;
const CUSHION: u64 = 16;

impl Default for Autotuning {
    fn default() -> Self {
        Self {
            least: Duration::MAX,
            since: None,
            from: 0,
            arrived: INITIAL_ARRIVED,
            buffer: INITIAL,
            window: INITIAL,
        }
    }
}

impl Autotuning {
    /// Segment `next` arrives in order. Returns whether the window grows.
    pub fn on_segment(&mut self, now: Instant, sent_at: Instant, next: u64) -> bool {
        let transit = now.since(sent_at);
        self.least = self.least.min(transit);
        let since = *self.since.get_or_insert(now);
        if now.since(since) >= transit + self.least {
            self.end_round(next - self.from);
            self.since = Some(now);
            self.from = next;
        }
        let grows = self.window < self.buffer;
        if grows {
            self.window = (self.window + STEP).min(self.buffer);
        }
        grows
    }

    fn end_round(&mut self, arrived: u64) {
        if arrived <= self.arrived {
            return;
        }
        let steady = arrived.saturating_mul(2).saturating_add(CUSHION);
        let more = steady.saturating_mul(arrived - self.arrived) / self.arrived;
        let buffer = more.saturating_mul(2).saturating_add(steady);
        self.buffer = self.buffer.max(buffer.min(MOST));
        self.arrived = arrived;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments from `first` on arrive 1 ms apart after 20 ms under way. Returns how many of them find that the window grows.
    fn grown(tuning: &mut Autotuning, first: u64, count: u64, from_ms: u64) -> usize {
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        let mut grows =
            |i: u64| tuning.on_segment(at(from_ms + i), at(from_ms + i - 20), first + i);
        (0..count).filter(|&i| grows(i)).count()
    }

    /// 10 in the first 40 ms are as many as assumed. 20 in the next are twice as many: 2 * 20 + 16 = 56, and 2 * 56 more, 168:
    /// 123 more than 45, which takes 62 segments.
    #[test]
    fn a_window_grows_after_each_round_with_more_than_any_before() {
        let mut tuning = Autotuning::default();
        assert_eq!(grown(&mut tuning, 0, 10, 100), 0);
        assert_eq!(grown(&mut tuning, 10, 20, 140), 0);
        assert_eq!(tuning.buffer, 45);
        assert_eq!(grown(&mut tuning, 30, 40, 180), 40);
        assert_eq!((tuning.buffer, tuning.window), (168, 125));
        // 40 in the third: 96, and 2 * 96 more, 288.
        assert_eq!(grown(&mut tuning, 70, 40, 220), 40);
        assert_eq!((tuning.buffer, tuning.window), (288, 205));
    }

    /// Once every round brings as much as the last, the window arrives at the buffer, and ACKs are delayed again.
    #[test]
    fn a_steady_rate_ends_the_growth() {
        let mut tuning = Autotuning::default();
        let first = grown(&mut tuning, 0, 400, 100);
        // 40 in a round, the first time after 40 ms: 96 and 2 * 288 more, 672: 627 more take 314 segments.
        assert_eq!((tuning.buffer, tuning.window, first), (672, 672, 314));
        assert_eq!(grown(&mut tuning, 400, 100, 500), 0);
    }

    #[test]
    fn a_buffer_has_its_end() {
        let mut tuning = Autotuning::default();
        tuning.end_round(u64::from(u32::MAX));
        assert_eq!(tuning.buffer, MOST);
    }
}
