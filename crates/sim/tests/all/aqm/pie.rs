//! PIE as RFC 8033 says, with its names.

use dumbbell_sim::Pie;
use dumbbell_sim::random::Random;

use super::Item;

pub struct State {
    draws: Random,
    active: bool,
    drop_prob: f64,
    accu_prob: f64,
    qdelay: f64,
    qdelay_old: f64,
    burst_allowance: u64,
    next_update: u64,
    /// Of the departure rate: the start of the measurement, and the bytes since.
    measurement: Option<(u64, u64)>,
    avg_dq_time: f64,
}

pub enum Verdict {
    Enqueue,
    Mark,
    Drop,
}

impl State {
    pub fn new(pie: &Pie, draws: Random) -> Self {
        Self {
            draws,
            active: !pie.activation,
            drop_prob: 0.0,
            accu_prob: 0.0,
            qdelay: 0.0,
            qdelay_old: 0.0,
            burst_allowance: pie.burst.as_nanos(),
            next_update: pie.update.as_nanos(),
            measurement: None,
            avg_dq_time: 0.0,
        }
    }

    /// Section 4.2 and appendix B, for each update until now; `waiting` bytes are in the queue.
    pub fn update(&mut self, pie: &Pie, now: u64, waiting: u64) {
        while self.active && self.next_update <= now {
            if pie.estimator {
                self.qdelay = waiting as f64 * self.avg_dq_time / 16_384.0;
            }
            let target = pie.target.as_nanos() as f64 / 1e9;
            let mut p =
                pie.alpha * (self.qdelay - target) + pie.beta * (self.qdelay - self.qdelay_old);
            p = match self.drop_prob {
                q if q < 0.000001 => p / 2048.0,
                q if q < 0.00001 => p / 512.0,
                q if q < 0.0001 => p / 128.0,
                q if q < 0.001 => p / 32.0,
                q if q < 0.01 => p / 8.0,
                q if q < 0.1 => p / 2.0,
                _ if p > 0.02 => 0.02,
                _ => p,
            };
            self.drop_prob += p;
            if self.qdelay == 0.0 && self.qdelay_old == 0.0 {
                self.drop_prob *= 0.98;
            }
            self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
            self.qdelay_old = self.qdelay;
            let each = pie.update.as_nanos();
            self.burst_allowance -= self.burst_allowance.min(each);
            self.next_update += each;
            if pie.activation && self.drop_prob == 0.0 && self.qdelay == 0.0 && waiting == 0 {
                self.active = false;
                self.measurement = None;
            }
        }
    }

    /// Section 4.4, for every arrival.
    pub fn arrive(&mut self, pie: &Pie) {
        let half = pie.target.as_nanos() as f64 / 2e9;
        if !pie.activation && self.drop_prob == 0.0 && self.qdelay < half && self.qdelay_old < half
        {
            self.burst_allowance = pie.burst.as_nanos();
        }
    }

    /// Section 4.1, for a packet for which there is room.
    pub fn enqueue(&mut self, pie: &Pie, ect: bool, waiting: u64) -> Verdict {
        if !self.active || !self.drop_early(pie, waiting) || self.burst_allowance > 0 {
            return Verdict::Enqueue;
        }
        self.accu_prob = 0.0;
        match pie.ecn && ect && self.drop_prob < 0.1 {
            true => Verdict::Mark,
            false => Verdict::Drop,
        }
    }

    fn drop_early(&mut self, pie: &Pie, waiting: u64) -> bool {
        let half = pie.target.as_nanos() as f64 / 2e9;
        if self.qdelay_old < half && self.drop_prob < 0.2 {
            return false;
        }
        if waiting <= 2 * u64::from(pie.mean_packet) {
            return false;
        }
        if !pie.derandomization {
            return self.draws.uniform() < self.drop_prob;
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        if self.accu_prob < 0.85 {
            return false;
        }
        if self.accu_prob >= 8.5 {
            return true;
        }
        let chosen = self.draws.uniform() < self.drop_prob;
        if chosen {
            self.accu_prob = 0.0;
        }
        chosen
    }

    pub fn tail_dropped(&mut self) {
        self.accu_prob = 0.0;
    }

    /// Section 5.3: PIE begins when a third of the queue is full.
    pub fn wake(&mut self, pie: &Pie, now: u64) {
        if !self.active {
            self.active = true;
            self.drop_prob = 0.0;
            self.accu_prob = 0.0;
            self.qdelay_old = 0.0;
            self.burst_allowance = pie.burst.as_nanos();
            self.measurement = Some((now, 0));
            self.avg_dq_time = 0.0;
            self.next_update = now + pie.update.as_nanos();
        }
    }

    /// A packet departs, and leaves so many bytes.
    pub fn dequeue<T>(&mut self, pie: &Pie, item: &Item<T>, now: u64, left: u64) {
        if !pie.estimator {
            self.qdelay = match left {
                0 => 0.0,
                _ => (now - item.arrived) as f64 / 1e9,
            };
            return;
        }
        if let Some((start, count)) = &mut self.measurement {
            *count += u64::from(item.bytes);
            if *count >= 16_384 {
                let took = (now - *start) as f64 / 1e9;
                let weight = 16_384.0 / 65_536.0;
                self.avg_dq_time = match self.avg_dq_time == 0.0 {
                    true => took,
                    false => took * weight + self.avg_dq_time * (1.0 - weight),
                };
                self.measurement = None;
            }
        }
        if left >= 16_384 && self.measurement.is_none() {
            self.measurement = Some((now, 0));
        }
    }
}
