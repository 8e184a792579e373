//! How long Linux' receiver delays an ACK: the wait follows the time between segments (`icsk_ack.ato`).
//!
//! | event | wait |
//! |---|---|
//! | the first segment; a segment that had already arrived; the last ACK without delay | the least, 40 ms |
//! | a segment in order, at most half of the least after the last one | half of it, and half of the least |
//! | later, but sooner than the wait | half of it, and the time since the last one; at most RTO |
//! | later than RTO | the same, and ACKs are not delayed, as at the beginning |
//! | a delayed ACK leaves because nothing came | twice as long, at most RTO |
//!
//! An ACK is delayed by the wait or, if that is longer than the least, by a round-trip time, but not by less than the least;
//! and by 200 ms at most. So paths with a round-trip time of less than 40 ms have 40 ms in any case.
//!
//! Source: Linux 6.18, `tcp_event_data_recv`, `tcp_send_delayed_ack`, `tcp_delack_timer_handler`, `tcp_dec_quickack_mode`.
//! Readings: times are counted in ticks, if timers have them. The receiver takes twice the least time that a segment was
//! under way for the round-trip time, where Linux has that of the handshake (as here with `handshake_rtt`); its RTO is that after one sample. It sends no
//! data, so that it never waits for an answer that could carry the ACK (pingpong). All segments have the same size.

use dumbbell_control::units::{Duration, Instant};

use crate::config::{ReceiverConfig, Tick};

/// `TCP_DELACK_MAX`.
const MOST: Duration = Duration::from_millis(200);
/// The least of 4 RTTVAR in RTO.
const LEAST_VARIANCE: Duration = Duration::from_millis(200);

/// The wait, and when the last segment in order arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Delay {
    wait: Duration,
    last: Option<Instant>,
}

impl Delay {
    /// A segment arrives in order. `round_trip` is the round-trip time. Returns whether ACKs are not to be delayed, as at the
    /// beginning.
    pub fn on_segment(
        &mut self,
        now: Instant,
        round_trip: Duration,
        config: &ReceiverConfig,
    ) -> bool {
        let least = config.delayed_ack.unwrap_or(MOST);
        let Some(last) = self.last.replace(now) else {
            self.wait = least;
            return false;
        };
        let half = whole(nanos(self.wait) / 2, config.firing);
        let gap = ticked(now, config.firing).saturating_sub(ticked(last, config.firing));
        let timeout = nanos(timeout(round_trip));
        if gap <= nanos(least) / 2 {
            self.wait = Duration::from_nanos(half + nanos(least) / 2);
        } else if gap < nanos(self.wait) {
            self.wait = Duration::from_nanos((half + gap).min(timeout));
        } else if gap > timeout {
            return true;
        }
        false
    }

    /// The wait is the least again.
    pub fn deflate(&mut self, config: &ReceiverConfig) {
        self.wait = config.delayed_ack.unwrap_or(MOST);
    }

    /// An ACK was delayed until now, and nothing came.
    pub fn inflate(&mut self, round_trip: Duration) {
        self.wait = (self.wait + self.wait).min(timeout(round_trip));
    }

    /// How long an ACK is delayed now, if the least is `least`.
    pub fn delay(&self, least: Duration, round_trip: Duration) -> Duration {
        if self.wait <= least {
            return self.wait;
        }
        self.wait.min(round_trip.max(least)).min(MOST.max(least))
    }
}

/// RTO after one sample: RTTVAR is half of it.
fn timeout(round_trip: Duration) -> Duration {
    round_trip + (round_trip + round_trip).max(LEAST_VARIANCE)
}

fn nanos(time: Duration) -> u64 {
    time.as_nanos()
}

/// The last tick up to now, in nanoseconds.
fn ticked(now: Instant, tick: Option<Tick>) -> u64 {
    whole(now.as_nanos(), tick)
}

fn whole(nanos: u64, tick: Option<Tick>) -> u64 {
    match tick {
        None => nanos,
        Some(tick) => nanos - nanos % tick.length().as_nanos(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn config(tick: Option<Tick>) -> ReceiverConfig {
        ReceiverConfig {
            delayed_ack: Some(ms(40)),
            firing: tick,
            ..ReceiverConfig::default()
        }
    }

    /// Segments that arrive at these times, with a round-trip time of 100 ms.
    fn after(times: &[u64], tick: Option<Tick>) -> Delay {
        let mut delay = Delay::default();
        for time in times {
            assert!(!delay.on_segment(Instant::ZERO + ms(*time), ms(100), &config(tick)));
        }
        delay
    }

    /// 40 / 2 + 30 = 50, 25 + 30 = 55, 27.5 + 30 = 57.5 ms.
    #[test]
    fn segments_far_apart_are_waited_for() {
        let wait = |times: &[u64]| after(times, None).wait.as_nanos() / 1_000;
        assert_eq!(wait(&[0]), 40_000);
        assert_eq!(wait(&[0, 30]), 50_000);
        assert_eq!(wait(&[0, 30, 60]), 55_000);
        assert_eq!(wait(&[0, 30, 60, 90]), 57_500);
        // 20 ms are half of the least.
        assert_eq!(wait(&[0, 30, 50]), 45_000);
        // 40 ms are no less than the wait.
        assert_eq!(wait(&[0, 40]), 40_000);
        // The timer's ticks are 4 ms: from 0 to 24.
        assert_eq!(wait(&[3, 24]), 41_000);
        assert_eq!(after(&[3, 24], Some(Tick::new(ms(4)))).wait, ms(44));
    }

    /// The wait of 57.5 ms counts on a path of 100 ms, but not on one of 30 ms.
    #[test]
    fn no_ack_waits_for_longer_than_a_round_trip() {
        let delay = after(&[0, 30, 60, 90], None);
        let on = |round_trip| delay.delay(ms(40), ms(round_trip)).as_nanos() / 1_000;
        assert_eq!([on(30), on(50), on(100)], [40_000, 50_000, 57_500]);
    }

    /// 40, 80, 160, 320 ms, where RTO is 300 + 600 ms; and 210 ms, where it is 10 + 200.
    #[test]
    fn a_delay_in_vain_doubles_the_wait() {
        let mut delay = after(&[0], None);
        for expected in [80, 160, 320] {
            delay.inflate(ms(300));
            assert_eq!(delay.wait, ms(expected));
        }
        assert_eq!(delay.delay(ms(40), ms(300)), ms(200));
        delay.inflate(ms(10));
        assert_eq!(delay.wait, ms(210));
        delay.deflate(&config(None));
        assert_eq!(delay.wait, ms(40));
    }

    #[test]
    fn a_long_silence_makes_acks_quick() {
        let quick = |gap| {
            let mut delay = after(&[0], None);
            let quick = delay.on_segment(Instant::ZERO + ms(gap), ms(10), &config(None));
            assert_eq!(delay.wait, ms(40));
            quick
        };
        assert_eq!([quick(210), quick(211)], [false, true]);
    }
}
