//! How RFC 5348, sections 4.2 to 4.4, sets the rate after feedback and after missing feedback.
//!
//! | event | rule |
//! |---|---|
//! | start | X = s/1 s; nofeedback timer 2 s |
//! | first feedback | X = W_init/R |
//! | feedback, p > 0 | X = max(min(X_calc, recv_limit), s/64 s) |
//! | feedback, p = 0 | once per round-trip time: X = max(min(2 X, recv_limit), W_init/R) |
//! | recv_limit | twice the largest receive rate of two round-trip times; as in section 4.3 if there was too little to send |
//! | no feedback for max(4 R, 2 s/X) | the rate is halved, except when idle at a low rate |

use dumbbell_control::units::Instant;

use crate::seconds::span;

use super::basis::{Basis, Report};
use super::receive_set::ReceiveSet;

/// The first nofeedback timer, in seconds.
const FIRST_WAIT: f64 = 2.0;
/// The factor for a receive rate that is reported with a loss while there is too little to send.
const LIMITED_LOSS: f64 = 0.85;

/// The limit of the rate, and the last time that slow start doubled the rate.
#[derive(Clone, Debug)]
pub(crate) struct Rfc5348 {
    set: ReceiveSet,
    doubled: Instant,
}

impl Rfc5348 {
    /// Returns the initial state, the initial rate, and the time to wait for feedback in seconds.
    pub(crate) fn new(now: Instant, basis: &Basis) -> (Self, f64, f64) {
        let rules = Self {
            set: ReceiveSet::unlimited(now),
            doubled: now,
        };
        (rules, basis.segment(), FIRST_WAIT)
    }

    /// Sets the rate; returns the time to wait for the next feedback, in seconds.
    pub(crate) fn on_feedback(&mut self, basis: &mut Basis, report: &Report, rtt: f64) -> f64 {
        let wait = wait(basis, Some(rtt));
        if report.first {
            self.set = ReceiveSet::unlimited(report.now);
            self.doubled = report.now;
            basis.x = initial_rate(basis, rtt);
        } else {
            let limit = self.receive_limit(report, rtt);
            self.update_rate(basis, report.now, limit, rtt);
        }
        basis.round = basis.round.wrapping_add(1);
        wait
    }

    /// Handles the expiry of the nofeedback timer; returns the next time to wait, in seconds.
    pub(crate) fn on_expiry(&mut self, basis: &mut Basis, now: Instant, idle: bool) -> f64 {
        let rtt = basis.rtt.mean();
        self.cut(basis, now, idle, rtt);
        basis.round = basis.round.wrapping_add(1);
        wait(basis, rtt)
    }

    fn receive_limit(&mut self, report: &Report, rtt: f64) -> f64 {
        let Report { now, x_recv, .. } = *report;
        if !report.data_limited {
            self.set.update(x_recv, now, span(rtt));
            2.0 * self.set.max()
        } else if report.loss {
            self.set.halve();
            self.set.maximize(LIMITED_LOSS * x_recv, now);
            self.set.max()
        } else {
            self.set.maximize(x_recv, now);
            2.0 * self.set.max()
        }
    }

    fn update_rate(&mut self, basis: &mut Basis, now: Instant, limit: f64, rtt: f64) {
        if basis.p > 0.0 {
            basis.x = basis.x_calc.min(limit).max(basis.least());
        } else if now.since(self.doubled) >= span(rtt) {
            basis.x = (2.0 * basis.x).min(limit).max(initial_rate(basis, rtt));
            self.doubled = now;
        }
    }

    fn cut(&mut self, basis: &mut Basis, now: Instant, idle: bool, rtt: Option<f64>) {
        let x_recv = self.set.max();
        let Some(rtt) = rtt else {
            if !idle {
                basis.x = (basis.x / 2.0).max(basis.least());
            }
            return;
        };
        let recover = initial_rate(basis, rtt);
        let slow_start = basis.p <= 0.0;
        let low = if slow_start {
            basis.x < 2.0 * recover
        } else {
            x_recv < recover
        };
        if idle && low {
            return;
        }
        if slow_start {
            basis.x = (basis.x / 2.0).max(basis.least());
        } else if basis.x_calc > 2.0 * x_recv {
            self.limit(basis, now, x_recv);
        } else {
            self.limit(basis, now, basis.x_calc / 2.0);
        }
    }

    /// Limits the rate by the set of receive rates, so that slow start can undo the limit.
    fn limit(&mut self, basis: &mut Basis, now: Instant, limit: f64) {
        let limit = limit.max(basis.least());
        self.set.replace(limit / 2.0, now);
        basis.x = basis.x_calc.min(limit).max(basis.least());
    }
}

fn initial_rate(basis: &Basis, rtt: f64) -> f64 {
    basis.config.initial_window_bytes() / rtt
}

/// Returns the seconds until the nofeedback timer expires.
fn wait(basis: &Basis, rtt: Option<f64>) -> f64 {
    (4.0 * rtt.unwrap_or(0.0)).max(2.0 * basis.segment() / basis.x)
}
