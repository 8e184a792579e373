//! Agreement of the integers with RFC 9438's formulas in floating point, in seconds and segments, on
//! the same events.

use super::*;

const C: f64 = 0.4;
const BETA: f64 = 0.7;

/// The variables of RFC 9438, section 4.1.2.
#[derive(Debug)]
struct Model {
    rtt: Option<f64>,
    cwnd: f64,
    ssthresh: f64,
    cwnd_prior: Option<f64>,
    w_max: Option<f64>,
    k: f64,
    t_epoch: Option<f64>,
    w_est: f64,
    /// The time of the last ACK that updated cwnd, and whether an ACK since was application-limited.
    last: f64,
    limited: bool,
}

impl Model {
    fn new(cwnd: f64) -> Self {
        Self {
            rtt: None,
            cwnd,
            ssthresh: f64::INFINITY,
            cwnd_prior: None,
            w_max: None,
            k: 0.0,
            t_epoch: None,
            w_est: 0.0,
            last: 0.0,
            limited: false,
        }
    }

    fn on_rtt(&mut self, r: f64) {
        self.rtt = Some(self.rtt.map_or(r, |srtt| 7.0 / 8.0 * srtt + 1.0 / 8.0 * r));
    }

    fn on_ack(&mut self, now: f64, segments_acked: f64, app_limited: bool) {
        if app_limited {
            self.limited = true;
            return;
        }
        if self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
            self.t_epoch = None;
            return;
        }
        let t_epoch = match self.t_epoch {
            None => self.begin(now),
            Some(t) if self.limited => t + now - self.last,
            Some(t) => t,
        };
        self.t_epoch = Some(t_epoch);
        (self.last, self.limited) = (now, false);
        let t = now - t_epoch;
        let alpha = if self.cwnd_prior.is_none_or(|prior| self.w_est >= prior) {
            1.0
        } else {
            3.0 * (1.0 - BETA) / (1.0 + BETA)
        };
        self.w_est += alpha * segments_acked / self.cwnd;
        if self.w_cubic(t) < self.w_est {
            self.cwnd = self.cwnd.max(self.w_est);
            return;
        }
        let target = self.w_cubic(t + self.rtt.unwrap_or(0.0));
        let target = target.max(self.cwnd).min(1.5 * self.cwnd);
        self.cwnd += (target - self.cwnd) / self.cwnd;
    }

    fn begin(&mut self, now: f64) -> f64 {
        let w_max = self.w_max.unwrap_or(self.cwnd).max(self.cwnd);
        self.k = ((w_max - self.cwnd) / C).powf(1.0 / 3.0);
        self.w_max = Some(w_max);
        self.w_est = self.cwnd;
        now
    }

    fn w_cubic(&self, t: f64) -> f64 {
        C * (t - self.k).powi(3) + self.w_max.unwrap_or(f64::NAN)
    }

    fn on_loss(&mut self) {
        self.w_max = Some(match self.w_max {
            Some(w_max) if self.cwnd < w_max => self.cwnd * (1.0 + BETA) / 2.0,
            _ => self.cwnd,
        });
        self.reduce();
        self.cwnd = self.ssthresh;
    }

    fn on_timeout(&mut self) {
        self.reduce();
        self.w_max = None;
        self.cwnd = 1.0;
    }

    fn reduce(&mut self) {
        self.cwnd_prior = Some(self.cwnd);
        self.ssthresh = (self.cwnd * BETA).max(2.0);
        self.t_epoch = None;
    }
}

/// The control, the model, and the greatest relative difference of their windows.
struct Pair {
    control: Cubic,
    model: Model,
    worst: f64,
}

impl Pair {
    fn new(cwnd: f64) -> Self {
        Self {
            control: Cubic::new(&Config::default(), &path(cwnd, 1e9)),
            model: Model::new(cwnd),
            worst: 0.0,
        }
    }

    fn ack(&mut self, ms: f64, rtt_ms: f64, acked: f64, limited: bool) {
        self.control.on_sample(&sample(ms, rtt_ms));
        self.model.on_rtt(rtt_ms / 1000.0);
        self.control.on_ack(&Ack {
            now: at(ms),
            app_limited: limited,
            ..ack(acked)
        });
        self.model.on_ack(ms / 1000.0, acked, limited);
        self.compare();
    }

    fn compare(&mut self) {
        let apart = self.control.window().cwnd.as_f64() / self.model.cwnd - 1.0;
        self.worst = self.worst.max(apart.abs());
    }
}

/// The greatest difference on a path with RTTs of `rtt` to 1.5 `rtt` ms, a loss about every `period`
/// ACKs and rare timeouts. The flow sends as fast as its window allows.
fn worst_of(rtt: f64, period: u64, acks: u64) -> f64 {
    let mut pair = Pair::new(10.0);
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    let mut now = 1000.0;
    for i in 0..acks {
        noise = noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let (dice, queue) = (noise >> 40, f64::from((noise >> 32) as u8) / 512.0);
        now += rtt / pair.model.cwnd;
        if dice % period == 0 {
            pair.control.on_loss(&loss(now));
            pair.model.on_loss();
            now += rtt;
        } else if dice % (period * 20) == 1 {
            pair.control.on_timeout(&timeout(now, 1));
            pair.model.on_timeout();
            now += 300.0;
        } else {
            let limited = i % 1000 > 980;
            let acked = if i % 7 == 0 { 2.0 } else { 1.0 };
            pair.ack(now, rtt * (1.0 + queue), acked, limited);
        }
    }
    pair.worst
}

#[test]
fn the_integers_agree_with_the_formulas() {
    for (rtt, period, acks) in [
        (100.0, 300, 100_000),
        (10.0, 300, 100_000),
        (40.0, 3_000, 200_000),
        (200.0, 30_000, 400_000),
        (600.0, 100_000, 800_000),
    ] {
        let worst = worst_of(rtt, period, acks);
        assert!(worst < 1e-6, "{worst} apart at an RTT of {rtt} ms");
    }
}
