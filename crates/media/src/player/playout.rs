//! When frames are due.

use dumbbell_control::units::{Duration, Instant};

/// How long after it was made a frame is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Always the same time.
    Fixed(Duration),
    /// As the delays of frames need it: their mean and four times their mean deviation (Ramjee, Kurose, Towsley and
    /// Schulzrinne 1994, algorithm 1), with the weight of 1/32 for a new frame. It concerns frames that are heard of
    /// later.
    Adaptive {
        /// The shortest delay, and the first.
        least: Duration,
        /// The longest.
        most: Duration,
    },
}

/// What is known of the sender's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// It is the player's.
    Shared,
    /// Nothing: times are measured from that of the fastest packet so far, as if its transit took no time.
    Unknown,
}

impl Delay {
    /// Returns the longest delay.
    pub fn longest(self) -> Duration {
        match self {
            Self::Fixed(delay) | Self::Adaptive { most: delay, .. } => delay,
        }
    }
}

/// The delay and the clock of a player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Playout {
    rule: Delay,
    clock: Clock,
    delay: Duration,
    /// The mean delay of frames and its mean deviation, in nanoseconds; `None` before the first.
    mean: Option<(f64, f64)>,
    /// The least difference of the two clocks so far, in nanoseconds.
    fastest: Option<i64>,
}

const WEIGHT: f64 = 1.0 / 32.0;
/// The longest transit that is believed.
const LONGEST: Duration = Duration::from_secs(3600);

impl Playout {
    pub(super) fn new(rule: Delay, clock: Clock) -> Self {
        let delay = match rule {
            Delay::Fixed(delay) => delay,
            Delay::Adaptive { least, .. } => least,
        };
        Self {
            rule,
            clock,
            delay,
            mean: None,
            fastest: None,
        }
    }

    pub(super) fn delay(&self) -> Duration {
        self.delay
    }

    /// Returns when a frame was made, by the player's clock, and when it is due.
    pub(super) fn schedule(&mut self, now: Instant, made_at: Instant) -> (Instant, Instant) {
        let transit = now.as_nanos().wrapping_sub(made_at.as_nanos()) as i64;
        let base = match self.clock {
            Clock::Shared => 0,
            Clock::Unknown => {
                let fastest = self.fastest.map_or(transit, |fastest| fastest.min(transit));
                self.fastest = Some(fastest);
                fastest
            }
        };
        let beyond = u64::try_from(transit.saturating_sub(base)).unwrap_or(0);
        let made = now - Duration::from_nanos(beyond).min(LONGEST);
        (made, made + self.delay)
    }

    /// Called when a frame is complete, this long after it was made.
    pub(super) fn on_complete(&mut self, took: Duration) {
        let Delay::Adaptive { least, most } = self.rule else {
            return;
        };
        let took = took.as_nanos() as f64;
        let (mean, deviation) = self.mean.unwrap_or((took, 0.0));
        let mean = mean + WEIGHT * (took - mean);
        let deviation = deviation + WEIGHT * ((took - mean).abs() - deviation);
        self.mean = Some((mean, deviation));
        let wanted = Duration::from_nanos((mean + 4.0 * deviation) as u64);
        self.delay = wanted.clamp(least, most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// By hand: frames take 100 ms, then one takes 164 ms: the mean becomes 102 ms and the mean deviation
    /// (164 - 102) / 32 = 1.9375 ms, so the delay is 109.75 ms.
    #[test]
    fn an_adaptive_delay_follows_mean_and_deviation() {
        let rule = Delay::Adaptive {
            least: ms(20),
            most: ms(300),
        };
        let mut playout = Playout::new(rule, Clock::Shared);
        assert_eq!(playout.delay(), ms(20));
        playout.on_complete(ms(100));
        assert_eq!(playout.delay(), ms(100));
        playout.on_complete(ms(164));
        assert_eq!(playout.delay(), Duration::from_micros(109_750));
        playout.on_complete(Duration::from_secs(100));
        assert_eq!(playout.delay(), ms(300));
    }

    #[test]
    fn an_unknown_clock_is_measured_from_the_fastest_packet() {
        let at = |ms: u64| Instant::ZERO + Duration::from_millis(ms);
        let mut playout = Playout::new(Delay::Fixed(ms(50)), Clock::Unknown);
        // The sender's clock is 10 s ahead. Transits of 30, 20 and 45 ms.
        assert_eq!(playout.schedule(at(30), at(10_000)), (at(30), at(80)));
        assert_eq!(playout.schedule(at(53), at(10_033)), (at(53), at(103)));
        assert_eq!(playout.schedule(at(111), at(10_066)), (at(86), at(136)));
        let mut shared = Playout::new(Delay::Fixed(ms(50)), Clock::Shared);
        assert_eq!(shared.schedule(at(30), at(10)), (at(10), at(60)));
        // Absurd clocks break nothing.
        playout.schedule(at(30), Instant::from_nanos(u64::MAX));
        shared.schedule(at(30), Instant::from_nanos(u64::MAX / 2 + 7));
    }
}
