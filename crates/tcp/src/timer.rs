//! The retransmission timeout (RFC 6298), in nanoseconds or in ns-2's ticks.
//!
//! ```
//! use dumbbell_control::units::{Duration, Instant};
//! use dumbbell_tcp::config::TimerConfig;
//! use dumbbell_tcp::timer::RetransmissionTimer;
//!
//! let config = TimerConfig::default();
//! let mut timer = RetransmissionTimer::new(&config);
//! assert_eq!(timer.timeout(), Duration::from_secs(1));
//! // SRTT = R and RTTVAR = R/2, so the timeout is R + 4 R/2.
//! timer.sample(&config, Duration::from_millis(100), Instant::ZERO);
//! assert_eq!(timer.timeout(), Duration::from_millis(300));
//! timer.back_off(&config);
//! assert_eq!(timer.timeout(), Duration::from_millis(600));
//! ```

use dumbbell_control::units::{Duration, Instant};

use crate::config::TimerConfig;
use crate::ticks;

/// Estimates the timeout from round-trip times.
///
/// Without ticks, it stores 8 SRTT and 4 RTTVAR in nanoseconds, so that the gains of 1/8 and 1/4 are
/// shifts. With ticks, the two numbers are in ticks, as in ns-2.
///
/// Many timers share a configuration, so each call that needs it gets it: always the same one.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct RetransmissionTimer {
    /// The timeout in force, backoff included. Every ACK reads it, so it comes first.
    timeout: Duration,
    srtt8: u64,
    rttvar4: u64,
    backoff: u32,
    /// The deviations of the current round; `None` before the first sample that an ACK gives, and if not every
    /// ACK gives one.
    round: Option<Box<Round>>,
}

/// The deviations of a round: 4 times the smoothed one, 4 times the largest, and the segment whose ACK ends the
/// round.
#[derive(Clone, Copy, Debug)]
struct Round {
    deviation4: u64,
    most4: u64,
    until: u64,
}

impl RetransmissionTimer {
    /// A timer without samples.
    pub fn new(config: &TimerConfig) -> Self {
        Self {
            timeout: config.initial,
            srtt8: 0,
            rttvar4: 0,
            backoff: 1,
            round: None,
        }
    }

    /// Takes the round-trip time of a segment sent at `sent_at`, and ends the backoff.
    #[inline]
    pub fn sample(&mut self, config: &TimerConfig, rtt: Duration, sent_at: Instant) {
        self.backoff = 1;
        match config.tick {
            None => self.sample_nanos(config, rtt.as_nanos().max(1)),
            Some(tick) => self.sample_ticks(config, rtt, sent_at, tick),
        }
    }

    /// The timeout in force, backoff included.
    #[inline]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The timer fired: the next timeout is twice as long, up to the maximum.
    pub fn back_off(&mut self, config: &TimerConfig) {
        if self.timeout < config.max {
            self.backoff = self.backoff.saturating_mul(2);
            let doubled = self.timeout.as_nanos().saturating_mul(2);
            self.timeout = Duration::from_nanos(doubled).min(config.max);
        }
        if config.tick.is_some() && self.backoff > 8 {
            // ns-2 gives up on its estimate after three doublings and starts again.
            self.rttvar4 += self.srtt8 >> 3;
            self.srtt8 = 0;
        }
    }

    /// The smoothed round-trip time; `None` before the first sample.
    #[inline]
    pub fn srtt(&self, config: &TimerConfig) -> Option<Duration> {
        let unit = config.tick.map_or(1, |tick| tick.as_nanos().max(1));
        (self.srtt8 > 0).then(|| Duration::from_nanos((self.srtt8 >> 3) * unit))
    }

    fn sample_nanos(&mut self, config: &TimerConfig, rtt: u64) {
        if self.srtt8 == 0 {
            self.srtt8 = rtt << 3;
            self.rttvar4 = rtt << 1;
        } else {
            let srtt = self.srtt8 >> 3;
            self.rttvar4 = self.rttvar4 - (self.rttvar4 >> 2) + srtt.abs_diff(rtt);
            self.srtt8 = self.srtt8 - srtt + rtt;
        }
        self.set_timeout(config);
    }

    fn set_timeout(&mut self, config: &TimerConfig) {
        let timeout = (self.srtt8 >> 3).saturating_add(self.rttvar4.max(floor(config)));
        self.timeout = Duration::from_nanos(timeout)
            .max(config.min)
            .min(config.max);
    }

    /// Takes the round-trip time that an ACK gives, one of many in a round, and ends the backoff. The ACK leaves
    /// `una` the oldest segment without one, and the segments below `high` have been sent. RTTVAR rises to the
    /// largest smoothed deviation at once, and sinks by a quarter of the difference to that of a round at its end.
    /// A shrinking round-trip time raises the deviation by an eighth only.
    ///
    /// Source: Linux, `tcp_rtt_estimator`.
    pub(crate) fn sample_of_round(
        &mut self,
        config: &TimerConfig,
        rtt: Duration,
        una: u64,
        high: u64,
    ) {
        self.backoff = 1;
        let rtt = rtt.as_nanos().max(1);
        let floor = floor(config);
        if self.srtt8 == 0 {
            self.srtt8 = rtt << 3;
            self.rttvar4 = rtt << 1;
        } else {
            let round = self.round.get_or_insert_with(|| {
                Box::new(Round {
                    deviation4: self.rttvar4,
                    most4: self.rttvar4.max(floor),
                    until: high,
                })
            });
            self.rttvar4 = self.rttvar4.max(round.most4);
            let srtt = self.srtt8 >> 3;
            self.srtt8 = self.srtt8 - srtt + rtt;
            let (error, quarter) = (srtt.abs_diff(rtt), round.deviation4 >> 2);
            match error.checked_sub(quarter) {
                Some(more) if rtt < srtt => round.deviation4 += more >> 3,
                _ => round.deviation4 = round.deviation4 - quarter + error,
            }
            round.most4 = round.most4.max(round.deviation4);
            self.rttvar4 = self.rttvar4.max(round.most4);
            if una > round.until {
                self.rttvar4 -= (self.rttvar4 - round.most4) >> 2;
                round.until = high;
                round.most4 = floor;
            }
        }
        self.set_timeout(config);
    }

    fn sample_ticks(
        &mut self,
        config: &TimerConfig,
        rtt: Duration,
        sent_at: Instant,
        tick: Duration,
    ) {
        let tick = tick.as_nanos().max(1);
        let phase = sent_at.as_nanos() % tick;
        let ticks = ((rtt.as_nanos() + phase) / tick).max(1);
        if self.srtt8 == 0 {
            self.srtt8 = ticks << 3;
            self.rttvar4 = ticks << 1;
        } else {
            let srtt = self.srtt8 >> 3;
            self.srtt8 = (self.srtt8 - srtt + ticks).max(1);
            self.rttvar4 = (self.rttvar4 - (self.rttvar4 >> 2) + srtt.abs_diff(ticks)).max(1);
        }
        // (8 SRTT + 8 x 4 RTTVAR) / 8, truncated to whole ticks.
        let timeout = ((self.rttvar4 << 3) + self.srtt8) >> 3;
        let floor = config.min.as_nanos().max(2 * tick);
        let timeout = (timeout * tick).max(floor).min(config.max.as_nanos());
        self.timeout = Duration::from_nanos(timeout);
    }
}

impl TimerConfig {
    /// When a timer fires that is set now for this wait.
    #[inline]
    pub(crate) fn firing(&self, now: Instant, wait: Duration) -> Instant {
        match self.firing {
            None => now + wait,
            Some(tick) => ticks::firing(now, wait, tick),
        }
    }

    /// When a timer of loss detection fires that is set now for this wait.
    pub(crate) fn firing_of_detection(&self, now: Instant, wait: Duration) -> Instant {
        match self.firing {
            None => now + wait,
            Some(tick) => ticks::firing(now, wait + ticks::LEAST, tick),
        }
    }
}

/// The least of 4 RTTVAR.
fn floor(config: &TimerConfig) -> u64 {
    match config.min_variance {
        true => config.min.as_nanos(),
        false => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(x: f64) -> Duration {
        Duration::from_nanos((x * 1e6).round() as u64)
    }

    fn raw_timeouts(min: Duration, samples: &[f64]) -> Vec<f64> {
        let config = TimerConfig {
            min,
            ..TimerConfig::default()
        };
        let mut timer = RetransmissionTimer::new(&config);
        samples
            .iter()
            .map(|&sample| {
                timer.sample(&config, ms(sample), Instant::ZERO);
                timer.timeout().as_secs_f64()
            })
            .collect()
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!(
                (a - b).abs() <= 1e-6 * b,
                "{found:?} instead of {expected:?}"
            );
        }
    }

    /// RFC 6298, section 2: SRTT + 4 RTTVAR, and at least the minimum.
    #[test]
    fn the_timeout_follows_rfc_6298() {
        let samples = [100.0, 200.0, 100.0];
        assert_close(
            &raw_timeouts(Duration::ZERO, &samples),
            &[0.3, 0.3625, 0.310_937_5],
        );
        assert_close(
            &raw_timeouts(Duration::from_secs(1), &samples),
            &[1.0, 1.0, 1.0],
        );
    }

    #[test]
    fn a_timeout_is_at_least_its_minimum() {
        let config = TimerConfig::default();
        let mut timer = RetransmissionTimer::new(&config);
        let mut found = Vec::new();
        for sample in [66.0, 70.0, 68.0] {
            timer.sample(&config, ms(sample), Instant::ZERO);
            assert_eq!(timer.timeout(), ms(200.0));
            found.push((timer.srtt8 as f64 / 8e9, timer.rttvar4 as f64 / 4e9));
        }
        for (found, expected) in found.iter().zip([
            (0.066, 0.033),
            (0.0665, 0.025_75),
            (0.066_687_5, 0.019_687_5),
        ]) {
            assert!(
                (found.0 - expected.0).abs() < 1e-8 && (found.1 - expected.1).abs() < 1e-8,
                "{found:?}"
            );
        }
    }

    /// 66 + 4 * 33 = 198 ms, where 200 ms are the least of 4 RTTVAR: 66 + 200, then 266.5.
    #[test]
    fn the_least_variance_of_linux_counts_above_the_round_trip_time() {
        let config = TimerConfig {
            min_variance: true,
            ..TimerConfig::default()
        };
        let mut timer = RetransmissionTimer::new(&config);
        timer.sample(&config, ms(66.0), Instant::ZERO);
        assert_eq!(timer.timeout(), ms(266.0));
        timer.sample(&config, ms(70.0), Instant::ZERO);
        assert_eq!(timer.timeout(), ms(266.5));
        timer.sample(&config, ms(500.0), Instant::ZERO);
        // SRTT 66.5 + 433.5 / 8, RTTVAR 25.75 * 3 / 4 + 433.5 / 4.
        assert_eq!(timer.timeout(), ms(66.5 + 54.187_5 + 77.25 + 433.5));
    }

    fn ticked(tick: Duration, ticks: &[u64]) -> (Vec<(u64, u64)>, Vec<f64>) {
        let config = TimerConfig {
            tick: Some(tick),
            ..TimerConfig::default()
        };
        let mut timer = RetransmissionTimer::new(&config);
        let mut states = Vec::new();
        let mut timeouts = Vec::new();
        for &m in ticks {
            timer.sample(
                &config,
                Duration::from_nanos(m * tick.as_nanos()),
                Instant::ZERO,
            );
            states.push((timer.srtt8, timer.rttvar4));
            timeouts.push(timer.timeout().as_secs_f64());
        }
        (states, timeouts)
    }

    #[test]
    fn ticks_of_10_ms_count_as_in_ns2() {
        let (states, timeouts) = ticked(Duration::from_millis(10), &[6, 7, 7, 6]);
        assert_eq!(states, [(48, 12), (49, 10), (50, 9), (50, 7)]);
        assert_close(&timeouts, &[0.2; 4]);
    }

    #[test]
    fn ticks_of_100_ms_count_as_in_ns2() {
        let (states, timeouts) = ticked(Duration::from_millis(100), &[2, 2, 2]);
        assert_eq!(states, [(16, 4), (16, 3), (16, 3)]);
        assert_close(&timeouts, &[0.6, 0.5, 0.5]);
    }

    #[test]
    fn the_backoff_doubles_up_to_the_maximum_and_ends_with_a_sample() {
        let config = TimerConfig::default();
        let mut timer = RetransmissionTimer::new(&config);
        timer.sample(&config, ms(100.0), Instant::ZERO);
        let mut found = vec![timer.timeout().as_secs_f64()];
        for _ in 0..4 {
            timer.back_off(&config);
            found.push(timer.timeout().as_secs_f64());
        }
        assert_close(&found, &[0.3, 0.6, 1.2, 2.4, 4.8]);
        for _ in 0..100 {
            timer.back_off(&config);
        }
        assert_eq!(timer.timeout(), Duration::from_secs(60));
        timer.sample(&config, ms(100.0), Instant::ZERO);
        assert!(
            timer.timeout() < Duration::from_secs(1),
            "a valid sample ends the backoff"
        );
    }

    #[test]
    fn the_phase_of_the_send_time_counts_in_ticks() {
        let tick = Duration::from_millis(10);
        let config = TimerConfig {
            tick: Some(tick),
            ..TimerConfig::default()
        };
        let mut timer = RetransmissionTimer::new(&config);
        // 16 ms after a transmission 5 ms past a tick, the clock has advanced by two ticks.
        timer.sample(&config, ms(16.0), Instant::ZERO + ms(105.0));
        assert_eq!(timer.srtt8, 16);
    }

    /// In ms. The first sample, 100, gives a deviation of 50, four times of which are 200. Samples of 100 let it
    /// sink by a quarter each: 200, 150, 112.5; but RTTVAR is the largest of the round, 200, until segment 10 is
    /// acknowledged, and then a quarter nearer to that of the last round.
    #[test]
    fn rttvar_is_the_largest_deviation_of_a_round() {
        let config = TimerConfig {
            min: Duration::ZERO,
            each_ack: true,
            ..TimerConfig::default()
        };
        let mut timer = RetransmissionTimer::new(&config);
        let mut after = |una, high, sample| {
            timer.sample_of_round(&config, ms(sample), una, high);
            timer.timeout()
        };
        assert_eq!(after(1, 10, 100.0), ms(300.0));
        assert_eq!(after(2, 10, 100.0), ms(300.0));
        assert_eq!(after(3, 11, 100.0), ms(300.0));
        assert_eq!(after(11, 20, 100.0), ms(300.0), "the round had 200");
        // The next round has 63.28, from 200 * 0.75^4: 200 - (200 - 63.28) / 4 = 165.82.
        let last = after(21, 30, 100.0).as_secs_f64();
        assert!((last - 0.26582).abs() < 1e-5, "{last}");
    }

    /// A round-trip time of 180 after 100: SRTT is 110, and four times the deviation 200 - 50 + 80 = 230. One of 30
    /// after it: SRTT is 100; the error of 80 exceeds a quarter, 57.5, by 22.5, an eighth of which counts: 232.8.
    #[test]
    fn a_shrinking_time_raises_the_deviation_by_an_eighth() {
        let config = TimerConfig {
            min: Duration::ZERO,
            each_ack: true,
            ..TimerConfig::default()
        };
        let mut timer = RetransmissionTimer::new(&config);
        let mut after = |sample| {
            timer.sample_of_round(&config, ms(sample), 1, 10);
            timer.timeout().as_secs_f64()
        };
        assert!((after(100.0) - 0.3).abs() < 1e-9);
        assert!((after(180.0) - 0.34).abs() < 1e-9);
        assert!((after(30.0) - 0.332_812_5).abs() < 1e-9);
    }
}
