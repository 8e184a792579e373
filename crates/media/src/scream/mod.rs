//! SCReAM: self-clocked rate adaptation for multimedia (RFC 8298). A congestion window that follows a target of the
//! queueing delay, as LEDBAT's does, and a rate for the encoder that keeps the packets that wait few.
//!
//! | event | rule | section |
//! |---|---|---|
//! | every 50 ms | trend = R(1)/R(0) of the last 20 qdelay/target, times their average, 0 to 1; a peak-hold of it | 4.1.2 |
//! | loss event, at most one in s_rtt | cwnd = max(MIN_CWND, BETA_LOSS cwnd); fast increase ends | 4.1.2.1, 4.1.2.2 |
//! | ECN event, at most one in s_rtt | the same with BETA_ECN | 4.1.2.1, 4.1.2.2 |
//! | other report, fast increase | trend of QDELAY_TREND_TH: it ends; else cwnd += acked, if 1.5 in flight + acked > cwnd | 4.1.2.2 |
//! | other report | cwnd += GAIN (1 - qdelay/target) acked MSS/cwnd; no increase unless 1.25 in flight + acked > cwnd; at most 1.1 of the bytes in flight of the last 5 s | 4.1.2.2 |
//! | report | the target follows the mean and deviation of qdelay, 1.5 of it with losses, QDELAY_TARGET_LO to _HI | 4.1.2.3 |
//! | packet missing for the reordering window | lost; one that arrives later sets the window | 4.1.2.4 |
//! | sending | while in flight < cwnd, + MSS if qdelay <= target | 4.1.2.5 |
//! | sending | paced at max(RATE_PACE_MIN, 8 cwnd/s_rtt) | 4.1.2.6 |
//! | trend < QDELAY_TREND_LO for T_RESUME_FAST_INCREASE | fast increase again | 4.1.2.7 |
//! | loss, ECN event | target rate times BETA_R, BETA_ECN | 4.1.3 |
//! | every 200 ms, fast increase | rate += RAMP_UP_SPEED 0.2 s scale | 4.1.3 |
//! | every 200 ms, else | rate += current (1 - guard trend) - waiting bits, scaled and bounded by RAMP_UP_SPEED; times 0.95 if packets wait for 20 ms | 4.1.3 |
//! | every 200 ms | at most max(current, media, median) (2 - remembered trend) | 4.1.3 |
//!
//! *Readings.* `update_variables` is called at each sample of 50 ms as a whole. The history of normalized delays has 200
//! entries, as the pseudocode uses, not 100, as the list of state says, and takes one at each report. The loss event
//! rate gives each round-trip time a weight of 1/100. `target_bitrate_last_max` becomes the target rate at loss and ECN
//! events and where fast increase ends. `rtp_rate_median` is `rate_media_median`. The target rate starts at
//! TARGET_BITRATE_MIN, not at 0, at which it would stay. The 5 s of T_RESUME_FAST_INCREASE also count from the end of
//! fast increase. The reordering window is at most s_rtt. Sizes are of payload.
//!
//! "The minimum send rate maintained by SCReAM when no feedback is received" (section 8) has no rule: when the window is
//! closed and no report came for 2 s_rtt and 400 ms, the longest interval of reports, a packet may leave at
//! RATE_PACE_MIN.
//!
//! *Deviations.* Feedback is by RFC 8888 instead of RFC 3611. One stream. Packets that wait too long are discarded by
//! the supply, not here.
//!
//! *Signals*: delays, losses, ECN marks, bytes that wait at the sender. *Hosts*: the simulator, and live streams.

mod config;
mod delay;
mod losses;
mod rates;
mod rules;
#[cfg(test)]
mod tests;

use dumbbell_control::controller::Value;
use dumbbell_control::rule::Rule;
use dumbbell_control::units::{Duration, Instant};

pub use config::Config;
use delay::Delay;
use losses::Losses;
use rates::{Flight, Rates};

use crate::control::{BaseDelay, Control, Report, Sent};

/// The interval between samples of the queueing delay.
const SAMPLE: Duration = Duration::from_millis(50);
/// The weight of a new round-trip time (RFC 6298, section 2).
const RTT_WEIGHT: f64 = 0.125;
/// The longest interval of reports (section 4.2.2), in seconds.
const LONGEST: f64 = 0.4;

/// A SCReAM sender.
#[derive(Clone, Debug)]
pub struct Scream {
    config: Config,
    base: BaseDelay,
    delay: Delay,
    losses: Losses,
    rates: Rates,
    flight: Flight,
    cwnd: f64,
    in_flight: u64,
    fast: bool,
    /// Since when the trend is low, outside fast increase.
    low_since: Option<Instant>,
    /// The target rate in bit/s, and the last one at which there was congestion.
    target: f64,
    last_max: f64,
    /// The rule by which the target rate was handled last.
    rule: &'static Rule,
    srtt: Option<f64>,
    /// Until when losses and marks are ignored.
    no_loss: Instant,
    no_mark: Instant,
    next_sample: Option<Instant>,
    next_adjustment: Instant,
    waiting: u64,
    last_sent: (Instant, u32),
    last_report: Instant,
    /// Whether a packet may leave although the window is closed.
    permit: bool,
}

/// What limits a flow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Loss,
    Mark,
}

impl Scream {
    /// Makes a sender with the least window and rate.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            base: BaseDelay::default(),
            delay: Delay::new(&config),
            losses: Losses::new(),
            rates: Rates::new(),
            flight: Flight::default(),
            cwnd: config.min_cwnd,
            in_flight: 0,
            fast: true,
            low_since: None,
            target: config.target_bitrate_min,
            last_max: 1.0,
            rule: &rules::START,
            srtt: None,
            no_loss: Instant::ZERO,
            no_mark: Instant::ZERO,
            next_sample: None,
            next_adjustment: Instant::ZERO,
            waiting: 0,
            last_sent: (Instant::ZERO, 0),
            last_report: Instant::ZERO,
            permit: false,
        }
    }

    /// Returns the congestion window in bytes.
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// on congestion event(qdelay), with the rate's reaction of section 4.1.3.
    fn on_event(&mut self, now: Instant, event: Event) {
        let c = &self.config;
        let (window, rate, rule) = match event {
            Event::Loss => (c.beta_loss, c.beta_r, &rules::LOSS),
            Event::Mark => (c.beta_ecn, c.beta_ecn, &rules::MARK),
        };
        self.rule = rule;
        self.cwnd = (self.cwnd * window).max(c.min_cwnd);
        self.last_max = self.target;
        self.target = (self.target * rate).max(c.target_bitrate_min);
        self.slow_down(now);
    }

    fn slow_down(&mut self, now: Instant) {
        self.fast = false;
        self.low_since = Some(now);
    }

    /// update_cwnd(bytes_newly_acked).
    fn grow(&mut self, now: Instant, acked: f64) {
        let c = self.config;
        let in_flight = self.in_flight as f64;
        if self.fast {
            if self.delay.trend < c.qdelay_trend_th {
                if in_flight * 1.5 + acked > self.cwnd {
                    self.cwnd += acked;
                }
                return;
            }
            self.last_max = self.target;
            self.slow_down(now);
        }
        let off_target = (self.delay.target - self.delay.now) / self.delay.target;
        if off_target <= 0.0 || in_flight * 1.25 + acked > self.cwnd {
            self.cwnd += c.gain * off_target * acked * c.mss / self.cwnd;
        }
        let most = self.flight.largest(now) as f64 * c.head_room;
        self.cwnd = self.cwnd.min(most).max(c.min_cwnd);
    }

    /// check_to_resume_fast_increase().
    fn resume(&mut self, now: Instant) {
        if self.fast {
            return;
        }
        if self.delay.trend >= self.config.qdelay_trend_lo {
            self.low_since = None;
            return;
        }
        let since = *self.low_since.get_or_insert(now);
        self.fast = now.since(since).as_secs_f64() >= self.config.t_resume_fast_increase;
    }

    /// The media rate control, every RATE_ADJUST_INTERVAL.
    fn adjust(&mut self, now: Instant) {
        let c = self.config;
        self.rates.measure(now, self.waiting);
        let current = self.rates.current();
        let waiting = self.waiting as f64 * 8.0;
        let ramp_up = c.ramp_up_speed.min(self.target / 2.0) * c.rate_adjust_interval;
        let distance = (self.target - self.last_max) / self.last_max * 4.0;
        let scale = (distance * distance).clamp(0.2, 1.0);
        if self.fast {
            self.target += ramp_up * scale;
            self.rule = &rules::FAST;
        } else {
            let mut delta = current * (1.0 - c.pre_congestion_guard * self.delay.trend)
                - c.tx_queue_size_factor * waiting;
            if delta > 0.0 {
                delta = (delta * scale).min(ramp_up);
            }
            self.target += delta;
            self.rule = match delta < 0.0 {
                true => &rules::BACKLOG,
                false => &rules::INCREASE,
            };
            if waiting > c.rtp_qdelay_th * current {
                self.target *= c.target_rate_scale;
                self.rule = &rules::WAIT;
            }
        }
        let limit = current.max(self.rates.media).max(self.rates.median());
        let most = limit * (2.0 - self.delay.remembered);
        if self.target > most {
            self.target = most;
            self.rule = &rules::LIMIT;
        }
        self.target = self
            .target
            .max(c.target_bitrate_min)
            .min(c.target_bitrate_max);
    }

    /// Lets a packet go when the other end is silent.
    fn check_silence(&mut self, now: Instant) {
        let silent = now.since(self.last_report).as_secs_f64();
        let (at, bytes) = self.last_sent;
        let gap = f64::from(bytes) * 8.0 / self.config.rate_pace_min;
        self.permit =
            silent > 2.0 * self.srtt.unwrap_or(0.0) + LONGEST && now.since(at).as_secs_f64() >= gap;
    }
}

impl Control for Scream {
    fn on_waiting(&mut self, _: Instant, bytes: u64) {
        self.waiting = bytes;
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.rates.on_sent(sent.bytes);
        self.in_flight = sent.in_flight;
        self.flight.add(sent.now, sent.in_flight);
        self.last_sent = (sent.now, sent.bytes);
        self.permit = false;
        if self.next_sample.is_none() {
            self.last_report = sent.now;
            self.next_sample = Some(sent.now + SAMPLE);
            self.rates.measure(sent.now, self.waiting);
            self.rates.on_sent(sent.bytes);
            self.next_adjustment = sent.now + span(self.config.rate_adjust_interval);
        }
    }

    fn on_report(&mut self, report: &Report<'_>) {
        let now = report.now;
        self.last_report = now;
        self.in_flight = report.in_flight;
        if let Some(sample) = report.rtt.map(Duration::as_secs_f64) {
            let srtt = self.srtt.unwrap_or(sample);
            self.srtt = Some(srtt + RTT_WEIGHT * (sample - srtt));
        }
        // The packet with the highest number gives the delay.
        for packet in report.packets {
            if let Some(delay) = self.base.queueing(now, packet) {
                self.delay.now = delay;
            }
        }
        self.rates.on_acked(report.newly_acked);
        let rtt = span(self.srtt.unwrap_or(0.0));
        let lost = self.losses.on_report(report, rtt) && now >= self.no_loss;
        let marked = report.packets.iter().any(|packet| packet.is_marked()) && now >= self.no_mark;
        if lost {
            self.no_loss = now + rtt;
        }
        if marked {
            self.no_mark = now + rtt;
        }
        let event = match (lost, marked) {
            (true, _) => Some(Event::Loss),
            (false, true) => Some(Event::Mark),
            (false, false) => None,
        };
        match event {
            Some(event) => self.on_event(now, event),
            None => self.grow(now, report.newly_acked as f64),
        }
        self.delay.adjust(self.losses.event_rate, &self.config);
        if event.is_none() {
            self.resume(now);
        }
    }

    fn on_timer(&mut self, now: Instant) {
        while let Some(sample) = self.next_sample
            && sample <= now
        {
            self.delay.sample(&self.config);
            // After a long sleep, the samples that it missed are not made up for.
            self.next_sample = Some((sample + SAMPLE).max(now - SAMPLE));
        }
        if self.next_sample.is_some() && self.next_adjustment <= now {
            self.adjust(now);
            self.next_adjustment = now + span(self.config.rate_adjust_interval);
        }
        self.check_silence(now);
    }

    fn deadline(&self) -> Option<Instant> {
        self.next_sample
            .map(|sample| sample.min(self.next_adjustment))
    }

    fn target_rate(&self) -> f64 {
        self.target
    }

    fn pacing_rate(&self) -> f64 {
        let rate = self
            .srtt
            .map_or(f64::INFINITY, |srtt| self.cwnd * 8.0 / srtt.max(1e-4));
        let least = self.config.rate_pace_min;
        // Before the first report the rate of the encoder is all that is known.
        if rate.is_finite() {
            rate.max(least)
        } else {
            self.target.max(least)
        }
    }

    fn window(&self) -> Option<u64> {
        let relaxed = if self.delay.now <= self.delay.target {
            self.config.mss
        } else {
            0.0
        };
        let window = (self.cwnd + relaxed) as u64;
        Some(if self.permit {
            window.max(self.in_flight + 1)
        } else {
            window
        })
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let mode = if self.fast { "fast increase" } else { "delay" };
        out("mode", Value::State(mode));
        out("window", Value::Number(self.cwnd));
        out("queueing", Value::Seconds(self.delay.now));
        out("queueing_target", Value::Seconds(self.delay.target));
        out("trend", Value::Number(self.delay.trend));
        out("loss_event_rate", Value::Number(self.losses.event_rate));
        out("target_rate", Value::BitRate(self.target));
        out("rtt", Value::Seconds(self.srtt.unwrap_or(0.0)));
        let current = self.rates.current();
        out(
            "waiting",
            Value::Seconds(self.waiting as f64 * 8.0 / current.max(1.0)),
        );
        out("current_rate", Value::BitRate(current));
        out("media_rate", Value::BitRate(self.rates.media));
        out("remembered_trend", Value::Number(self.delay.remembered));
        out("rule", Value::Rule(self.rule));
    }
}

fn span(seconds: f64) -> Duration {
    Duration::from_nanos((seconds * 1e9 + 0.5) as u64)
}
