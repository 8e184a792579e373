//! The receive rate over a round-trip time (RFC 5348, section 6.2, step 2).

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};

use crate::seconds::seconds;

/// The number of points per round-trip time from which bytes are counted.
const GRAIN: u64 = 8;
/// The number of points that are stored: those of two round-trip times.
const POINTS: usize = 2 * GRAIN as usize + 4;

/// Counts bytes so that those of the last round-trip time, or up to an eighth more, are known at any
/// time. If less than one packet arrives per round-trip time, the result is the larger of two rates: the
/// rate since the previous packet, and the last packet divided by one round-trip time.
#[derive(Clone, Copy, Debug)]
pub struct ReceiveRate {
    bytes: u64,
    last: u32,
    points: [Point; POINTS],
    newest: usize,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    at: Instant,
    bytes: u64,
}

impl ReceiveRate {
    /// Starts to count now.
    pub const fn new(now: Instant) -> Self {
        Self {
            bytes: 0,
            last: 0,
            points: [Point { at: now, bytes: 0 }; POINTS],
            newest: 0,
        }
    }

    /// Counts arriving bytes.
    #[inline]
    pub fn on_arrival(&mut self, now: Instant, bytes: u32, rtt: Option<Duration>) {
        self.bytes = self.bytes.saturating_add(u64::from(bytes));
        self.last = bytes;
        let grain = rtt.map_or(0, |rtt| rtt.as_nanos() / GRAIN);
        if now.since(self.points[self.newest].at).as_nanos() > grain {
            cold_path();
            self.mark(now);
        }
    }

    /// Adds a point from which bytes can be counted, when feedback is sent.
    pub fn mark(&mut self, now: Instant) {
        if now > self.points[self.newest].at {
            self.newest = (self.newest + 1) % POINTS;
        }
        self.points[self.newest] = Point {
            at: now,
            bytes: self.bytes,
        };
    }

    /// Returns the rate over the last `rtt`, in bytes per second.
    pub fn rate(&self, now: Instant, rtt: Duration) -> f64 {
        let rtt = rtt.max(Duration::from_nanos(1));
        let from = self.point_before(now, rtt);
        let span = now.since(from.at).max(rtt);
        let counted = (self.bytes - from.bytes) as f64 / seconds(span);
        counted.max(f64::from(self.last) / seconds(rtt))
    }

    /// Returns the newest point that is at least `rtt` old, or the oldest point.
    fn point_before(&self, now: Instant, rtt: Duration) -> Point {
        let newest_first =
            (0..POINTS).map(|age| self.points[(self.newest + POINTS - age) % POINTS]);
        let mut oldest = self.points[self.newest];
        for point in newest_first {
            if point.at > oldest.at {
                break;
            }
            oldest = point;
            if now.since(point.at) >= rtt {
                break;
            }
        }
        oldest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(80);

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn a_steady_stream_has_its_rate() {
        let mut rate = ReceiveRate::new(ms(0));
        for at in 1..=1_000 {
            rate.on_arrival(ms(at), 100, Some(RTT));
        }
        // 100 bytes per millisecond.
        assert!((rate.rate(ms(1_000), RTT) - 100_000.0).abs() < 1e-6);
    }

    #[test]
    fn the_span_is_a_round_trip_or_an_eighth_more() {
        let mut rate = ReceiveRate::new(ms(0));
        for at in 1..=1_000 {
            rate.on_arrival(ms(at), 100, Some(RTT));
        }
        for at in 1_001..=1_080 {
            rate.on_arrival(ms(at), 300, Some(RTT));
        }
        // 80 ms at 300 bytes each, and at most 11 more at 100.
        let measured = rate.rate(ms(1_080), RTT);
        assert!(measured > 270_000.0 && measured <= 300_000.0, "{measured}");
    }

    #[test]
    fn between_two_reports_all_bytes_count() {
        let mut rate = ReceiveRate::new(ms(0));
        for at in 1..=100 {
            rate.on_arrival(ms(at), 100, Some(RTT));
        }
        rate.mark(ms(103));
        for at in [150, 160, 170, 183] {
            rate.on_arrival(ms(at), 1_000, Some(RTT));
        }
        assert_eq!(rate.rate(ms(183), RTT), 50_000.0);
    }

    #[test]
    fn a_packet_after_silence_counts_as_one_per_round_trip() {
        let mut rate = ReceiveRate::new(ms(0));
        rate.on_arrival(ms(1), 1_000, Some(RTT));
        rate.mark(ms(1));
        rate.on_arrival(ms(9_001), 1_000, Some(RTT));
        assert_eq!(rate.rate(ms(9_001), RTT), 12_500.0);
    }

    #[test]
    fn at_first_the_rate_is_measured_from_the_start() {
        let mut rate = ReceiveRate::new(ms(5));
        rate.on_arrival(ms(5), 500, None);
        rate.on_arrival(ms(15), 500, None);
        assert_eq!(rate.rate(ms(15), RTT), 12_500.0);
    }
}
