//! What is seen: how long the picture moves, and how long it stands still.

use dumbbell_control::units::{Duration, Instant};

/// The screen of a player.
#[derive(Clone, Debug)]
pub(super) struct Screen {
    start: Instant,
    interval: Duration,
    startup: Option<Duration>,
    /// When the present picture was shown.
    last: Instant,
    played: Duration,
    frozen: Duration,
    freezes: u64,
    bytes: u64,
    /// The second since the start that has begun, and the bytes of frames shown in it.
    second: u64,
    in_second: u64,
    /// The sum of the bytes of earlier seconds, and of their squares.
    sum: f64,
    squares: f64,
}

/// What has been seen up to a moment.
pub(super) struct Seen {
    pub(super) startup: Option<Duration>,
    pub(super) played: Duration,
    pub(super) frozen: Duration,
    pub(super) freezes: u64,
    pub(super) rate: f64,
    pub(super) rate_variation: Option<f64>,
}

/// A freeze is noticed if it is longer than this (`freezeCount` of W3C's statistics for WebRTC), and than two intervals.
const NOTICED: Duration = Duration::from_millis(150);
const SECOND: u64 = 1_000_000_000;

impl Screen {
    pub(super) fn new(start: Instant, interval: Duration) -> Self {
        Self {
            start,
            interval,
            startup: None,
            last: start,
            played: Duration::ZERO,
            frozen: Duration::ZERO,
            freezes: 0,
            bytes: 0,
            second: 0,
            in_second: 0,
            sum: 0.0,
            squares: 0.0,
        }
    }

    /// Shows a frame of this size; returns when, which is not before the one before it.
    pub(super) fn show(&mut self, at: Instant, bytes: u32) -> Instant {
        let at = at.max(self.last);
        self.stand_until(at);
        self.startup.get_or_insert(at.since(self.start));
        self.last = at;
        self.turn_to(at);
        self.bytes += u64::from(bytes);
        self.in_second += u64::from(bytes);
        at
    }

    pub(super) fn report(&self, now: Instant) -> Seen {
        let mut last = self.clone();
        last.stand_until(now.max(self.last));
        last.turn_to(now);
        let elapsed = now.since(self.start).as_secs_f64();
        let seconds = last.second as f64;
        let mean = last.sum / seconds;
        let variance = (last.squares / seconds - mean * mean).max(0.0);
        Seen {
            startup: last.startup,
            played: last.played,
            frozen: last.frozen,
            freezes: last.freezes,
            rate: if elapsed > 0.0 {
                last.bytes as f64 * 8.0 / elapsed
            } else {
                0.0
            },
            rate_variation: (last.sum > 0.0).then(|| libm::sqrt(variance) / mean),
        }
    }

    /// The present picture, if there is one, stays until `at`.
    fn stand_until(&mut self, at: Instant) {
        if self.startup.is_none() {
            return;
        }
        let stood = at.since(self.last);
        let played = stood.min(self.interval);
        let frozen = stood.saturating_sub(self.interval);
        self.played = self.played + played;
        self.frozen = self.frozen + frozen;
        let two = self.interval + self.interval;
        self.freezes += u64::from(frozen > NOTICED.max(two));
    }

    /// Closes the seconds before `at`.
    fn turn_to(&mut self, at: Instant) {
        let second = at.since(self.start).as_nanos() / SECOND;
        if second > self.second {
            let bytes = self.in_second as f64;
            self.sum += bytes;
            self.squares += bytes * bytes;
            self.second = second;
            self.in_second = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// By hand, frames every 100 ms from 1 s on: shown at 1.2, 1.3, 1.65 and 1.65 s; looked at at 2.5 s. The second stands
    /// still for 250 ms beyond its interval, the fourth for 750 ms.
    #[test]
    fn a_picture_that_stays_longer_than_its_interval_is_frozen() {
        let mut screen = Screen::new(at(1000), Duration::from_millis(100));
        for when in [1200, 1300, 1650, 1650] {
            assert_eq!(screen.show(at(when), 1000), at(when));
        }
        assert_eq!(screen.show(at(1600), 1000), at(1650), "never back in time");
        let seen = screen.report(at(2500));
        assert_eq!(seen.startup, Some(Duration::from_millis(200)));
        assert_eq!(seen.played, Duration::from_millis(300));
        assert_eq!(seen.frozen, Duration::from_millis(1000));
        assert_eq!(seen.freezes, 2);
        assert_eq!(seen.rate, 5000.0 * 8.0 / 1.5);
    }

    /// By hand: 1000 B, 3000 B and nothing in three seconds: mean 4/3, squares (1 + 9)/3, variance 14/9, so the coefficient
    /// is sqrt(14) / 4 = 0.9354.
    #[test]
    fn the_variation_is_that_of_whole_seconds() {
        let mut screen = Screen::new(at(0), Duration::from_millis(100));
        for (when, bytes) in [(100, 1000), (1500, 3000), (3100, 50)] {
            screen.show(at(when), bytes);
        }
        let variation = screen.report(at(3900)).rate_variation.unwrap();
        assert!((variation - 0.935_414).abs() < 1e-6, "{variation}");
        assert!(
            Screen::new(at(0), Duration::from_millis(1))
                .report(at(9))
                .rate_variation
                .is_none()
        );
    }
}
