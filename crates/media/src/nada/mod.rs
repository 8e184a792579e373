//! NADA: network-assisted dynamic adaptation (RFC 8698). The congestion signal is a delay: that of the queue, plus
//! penalties for losses and marks; the rate goes to where the signal is PRIO XREF RMAX / rate.
//!
//! | event | rule | section |
//! |---|---|---|
//! | packet arrived | d_queue = smallest of 15 of d_fwd - d_base; d_base is the smallest d_fwd of 10 min | 4.2, 5.1.1 |
//! | packet arrived | p_loss, p_mark += ALPHA (ratio over LOGWIN - p) (10) | 5.1.2 |
//! | report, losses known | d_tilde = QTH exp(-LAMBDA (d_queue - QTH)/QTH) above QTH (1), until MULTILOSS loss intervals passed | 4.2 |
//! | report | x = d_tilde + DMARK (p_mark/PMRREF)^2 + DLOSS (p_loss/PLRREF)^2 (2) | 4.2 |
//! | report, no loss and no delay of QEPS in LOGWIN | gamma = min(GAMMA_MAX, QBOUND/(rtt + DELTA + DFILT)) (3); r = max(r, (1 + gamma) r_recv) (4) | 4.2, 4.3 |
//! | other report | r -= KAPPA (delta/TAU) (x - PRIO XREF RMAX/r)/TAU r + KAPPA ETA (x - x_prev)/TAU r (5, 6, 7) | 4.3 |
//! | always | RMIN <= r <= RMAX (8, 9) | 4.3 |
//! | packets wait | encoder: r - min(0.05 r, BETA_V 8 waiting FPS); sending: r + min(0.05 r, BETA_S 8 waiting FPS) (11 to 14) | 5.2.2 |
//! | no report for 5 DELTA + 2 rtt while packets are in flight | r = r/2, and again after each such time | RFC 8888, 5 |
//!
//! *Readings.* "Delay samples" in the condition of the ramp-up are filtered ones, as section 5.1.1 filters "the
//! individual sample values". Equation 10 is applied at each packet that is received, as the outline of section 4.2
//! says. The average loss interval is that of closed intervals: with the open one, whose weight RFC 5348 puts at a sixth
//! or more, MULTILOSS = 7 average intervals never pass after a loss, so that no loss would ever expire. The loss interval before the first loss has the packets since the start. x is at most 3.2767 s, the largest
//! value that section 5.3 can express; the authors' simulator (ns3-rmcat) stops at 500 ms, which tames equation 7: when x
//! falls by 3 s because losses end, r rises by KAPPA ETA 3/0.5 = 6 times itself. The mean round-trip time gives a new sample a weight of 1/8. delta counts as at
//! most LOGWIN, so that the report after a long silence does not move the rate without bounds.
//!
//! *Deviations.* All is computed at the sender from reports by RFC 8888, which section 5.3 allows. The RFC says nothing
//! about silence of the receiver; RFC 8888 requires a rule, which the last row is.
//!
//! *Signals*: delays, losses, ECN marks, bytes that wait at the sender. *Hosts*: the simulator, and live streams.

mod config;
mod losses;
mod rules;
mod signal;
#[cfg(test)]
mod tests;

use dumbbell_control::controller::Value;
use dumbbell_control::rule::Rule;
use dumbbell_control::units::{Duration, Instant};

pub use config::Config;
use signal::{Observer, Signal};

use crate::control::{Control, Report, Sent};

/// The weight of a new round-trip time.
const RTT_WEIGHT: f64 = 0.125;
/// The largest part of the rate by which waiting bytes change it (section 5.2.2).
const MOST_SHIFT: f64 = 0.05;

/// A NADA sender.
#[derive(Clone, Debug)]
pub struct Nada {
    config: Config,
    observer: Observer,
    /// r_ref in bit/s.
    rate: f64,
    /// The round-trip time in seconds; 0 before the first report.
    rtt: f64,
    /// x_prev in seconds.
    x: f64,
    accelerated: bool,
    /// What the last report said, and the rule by which the rate was handled last.
    signal: Signal,
    rule: &'static Rule,
    /// When the last report arrived, or the first packet was sent.
    last: Option<Instant>,
    silence: Option<Instant>,
    waiting: u64,
}

impl Nada {
    /// Makes a sender at the rate RMIN.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            observer: Observer::new(),
            rate: config.rmin,
            rtt: 0.0,
            x: 0.0,
            accelerated: true,
            signal: Signal::default(),
            rule: &rules::START,
            last: None,
            silence: None,
            waiting: 0,
        }
    }

    /// Returns r_ref, the rate without the shift for waiting bytes, in bit/s.
    pub fn reference_rate(&self) -> f64 {
        self.rate
    }

    /// Returns the accelerated ramp-up's r_ref (equations 3 and 4).
    fn ramp_up(&self, received: f64) -> f64 {
        let config = &self.config;
        let gamma = config.qbound / (self.rtt + config.delta + config.dfilt);
        let gamma = gamma.min(config.gamma_max);
        self.rate.max((1.0 + gamma) * received)
    }

    /// Returns the gradual update's r_ref for a signal, `delta` seconds after the last one (equations 5 to 7).
    fn update(&self, x: f64, delta: f64) -> f64 {
        let c = &self.config;
        let offset = x - c.prio * c.xref * c.rmax / self.rate;
        let change = x - self.x;
        let (integral, proportional) = (delta / c.tau * offset / c.tau, c.eta * change / c.tau);
        self.rate - c.kappa * (integral + proportional) * self.rate
    }

    /// Returns the change of rate for the bytes that wait (equations 11 and 12).
    fn shift(&self, beta: f64) -> f64 {
        let wanted = beta * 8.0 * self.waiting as f64 * self.config.fps;
        wanted.min(MOST_SHIFT * self.rate)
    }

    fn expect_report(&mut self, now: Instant) {
        let wait = 5.0 * self.config.delta + 2.0 * self.rtt;
        self.silence = Some(now + Duration::from_nanos((wait * 1e9) as u64));
    }
}

impl Control for Nada {
    fn on_waiting(&mut self, _: Instant, bytes: u64) {
        self.waiting = bytes;
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.last.get_or_insert(sent.now);
        if self.silence.is_none() {
            self.expect_report(sent.now);
        }
    }

    fn on_report(&mut self, report: &Report<'_>) {
        if let Some(sample) = report.rtt.map(Duration::as_secs_f64) {
            let weight = if self.rtt == 0.0 { 1.0 } else { RTT_WEIGHT };
            self.rtt += weight * (sample - self.rtt);
        }
        let rtt = Duration::from_nanos((self.rtt * 1e9) as u64);
        for packet in report.packets {
            self.observer.add(report.now, packet, rtt, &self.config);
        }
        let signal = self.observer.signal(&self.config);
        let delta = self
            .last
            .map_or(0.0, |last| report.now.since(last).as_secs_f64());
        let rate = if signal.accelerated {
            self.ramp_up(signal.received)
        } else {
            self.update(signal.x, delta.min(self.config.logwin))
        };
        let rate = rate.min(self.config.rmax).max(self.config.rmin);
        self.accelerated = signal.accelerated;
        self.rule = match signal.accelerated {
            true => &rules::RAMP_UP,
            false if rate < self.rate => signal.cause(),
            false => &rules::ROOM,
        };
        self.signal = signal;
        self.rate = rate;
        self.x = signal.x;
        self.last = Some(report.now);
        self.silence = None;
        if report.in_flight > 0 {
            self.expect_report(report.now);
        }
    }

    fn on_timer(&mut self, now: Instant) {
        if self.silence.is_some_and(|deadline| deadline <= now) {
            self.rate = (self.rate / 2.0).max(self.config.rmin);
            self.rule = &rules::SILENCE;
            self.expect_report(now);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.silence
    }

    fn target_rate(&self) -> f64 {
        (self.rate - self.shift(self.config.beta_v)).max(self.config.rmin)
    }

    fn pacing_rate(&self) -> f64 {
        (self.rate + self.shift(self.config.beta_s)).min(self.config.rmax)
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let mode = if self.accelerated {
            "accelerated"
        } else {
            "gradual"
        };
        out("mode", Value::State(mode));
        out("reference_rate", Value::BitRate(self.rate));
        out("signal", Value::Seconds(self.x));
        out("queueing", Value::Seconds(self.observer.queueing));
        out("loss_ratio", Value::Number(self.observer.loss));
        out("mark_ratio", Value::Number(self.observer.mark));
        out("rtt", Value::Seconds(self.rtt));
        let c = &self.config;
        out("aim", Value::Seconds(c.prio * c.xref * c.rmax / self.rate));
        out("from_delay", Value::Seconds(self.signal.delay));
        out("from_loss", Value::Seconds(self.signal.loss));
        out("from_mark", Value::Seconds(self.signal.mark));
        out("received", Value::BitRate(self.signal.received));
        out("rule", Value::Rule(self.rule));
    }
}
