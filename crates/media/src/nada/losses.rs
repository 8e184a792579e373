//! The average loss interval (RFC 8698, section 4.2, by RFC 5348, section 5.4), in packets.

use dumbbell_control::units::{Duration, Instant};

/// The weights of the last eight intervals (RFC 5348, section 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// The intervals between loss events. Losses within a round-trip time of the first one are one event (RFC 5348, section
/// 5.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    /// The closed intervals, the newest first.
    closed: [f64; 8],
    count: usize,
    /// The packets since the last loss event began.
    open: f64,
    /// When the packet was sent whose loss began the last event.
    event: Option<Instant>,
    /// The packets since the last loss.
    since: f64,
}

impl Losses {
    /// Adds the next packet.
    pub(super) fn add(&mut self, sent_at: Instant, lost: bool, rtt: Duration) {
        self.open += 1.0;
        self.since += 1.0;
        if !lost {
            return;
        }
        self.since = 0.0;
        if self.event.is_some_and(|event| sent_at.since(event) <= rtt) {
            return;
        }
        self.closed.rotate_right(1);
        self.closed[0] = self.open;
        self.count = (self.count + 1).min(8);
        self.open = 0.0;
        self.event = Some(sent_at);
    }

    /// Returns the average interval, `with_open` one if that makes it longer; `None` before the first loss.
    pub(super) fn interval(&self, with_open: bool) -> Option<f64> {
        let n = self.count;
        if n == 0 {
            return None;
        }
        let mean = |intervals: &mut dyn Iterator<Item = f64>, n: usize| {
            let sum: f64 = intervals
                .zip(WEIGHTS)
                .map(|(interval, w)| interval * w)
                .sum();
            sum / WEIGHTS[..n].iter().sum::<f64>()
        };
        let closed = mean(&mut self.closed[..n].iter().copied(), n);
        if !with_open {
            return Some(closed);
        }
        let open = [self.open]
            .into_iter()
            .chain(self.closed[..n - 1].iter().copied());
        Some(closed.max(mean(&mut { open }, n)))
    }

    /// Returns the packets since the last loss; `None` before the first one.
    pub(super) fn since(&self) -> Option<f64> {
        (self.count > 0).then_some(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(losses: &mut Losses, ms: u64, lost: bool) {
        losses.add(
            Instant::from_nanos(ms * 1_000_000),
            lost,
            Duration::from_millis(100),
        );
    }

    /// By hand: intervals of 10 and 30 packets have the mean 20; with the open one of 50 and the last closed one it is
    /// (50 + 30)/2 = 40, which is longer.
    #[test]
    fn the_average_interval() {
        let mut losses = Losses::default();
        assert_eq!((losses.interval(true), losses.since()), (None, None));
        for number in 1..=40 {
            add(&mut losses, 1000 * number, number == 10 || number == 40);
        }
        assert_eq!(
            (losses.interval(true), losses.since()),
            (Some(20.0), Some(0.0))
        );
        for number in 41..=90 {
            add(&mut losses, 1000 * number, false);
        }
        assert_eq!(
            (losses.interval(true), losses.since()),
            (Some(40.0), Some(50.0))
        );
        assert_eq!(losses.interval(false), Some(20.0));
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        let mut losses = Losses::default();
        for number in 1..=20 {
            add(&mut losses, 10 * number, number >= 10);
        }
        // Packet 10 began an event; up to 20 they were sent within 100 ms.
        assert_eq!(losses.interval(false), Some(10.0));
        add(&mut losses, 210, true);
        assert_eq!(losses.interval(false), Some(10.5));
    }
}
