//! How ns-2.35, with its defaults, sets the rate after feedback and after missing feedback.
//!
//! | event | rule |
//! |---|---|
//! | start | X = 300 B/s; nofeedback timer 2 s/X |
//! | feedbacks 1 and 2 | X = at least W_init/R |
//! | p = 0 | once per round-trip time, while X < 2 X_recv: X = min(2 X, 2 X_recv), spread over the packets of a round-trip time; if X is above: X = X_recv; a packet is sent at once |
//! | first p > 0 | X = X_calc |
//! | later, X_calc > X | X + s/R for each round-trip time since the last change, at most two; limited to min(X_calc, max(2 X_recv, s/R)) |
//! | later, otherwise | X = min(X_calc, max(2 X_recv, s/R)) |
//! | no feedback for 2 max(R, s/X) | X/2; a packet is sent at once and requests feedback; the round ends |
//!
//! The timer of the next packet is not changed when the rate changes. Only the receive rate of the
//! latest report counts. Oscillation prevention is off while a doubling is being spread.
//!
//! *Deviation.* The smallest rate is zero in ns-2; here it is a packet in 64 s.

use dumbbell_control::units::Instant;

use crate::seconds::seconds;

use super::basis::{Basis, Report};

/// The initial rate, in bytes per second.
const FIRST_RATE: f64 = 300.0;
/// The largest rate of the equation, in bytes per second.
const LARGEST: f64 = 25e6;

/// The state in addition to the rate.
#[derive(Clone, Debug)]
pub(crate) struct Ns2 {
    slow_start: bool,
    /// The rate while it rises to X, and the increase per packet.
    rising: f64,
    step: f64,
    changed: Instant,
    /// Whether the last feedback found that the sender had too little to send.
    limited: bool,
}

impl Ns2 {
    /// Returns the initial state, the initial rate, and the time to wait for feedback in seconds.
    pub(crate) fn new(now: Instant, basis: &Basis) -> (Self, f64, f64) {
        let rules = Self {
            slow_start: true,
            rising: FIRST_RATE,
            step: 0.0,
            changed: now,
            limited: false,
        };
        (rules, FIRST_RATE, 2.0 * basis.segment() / FIRST_RATE)
    }

    /// Sets the rate; returns the time to wait for the next feedback in seconds, and whether a packet is
    /// sent at once.
    pub(crate) fn on_feedback(
        &mut self,
        basis: &mut Basis,
        report: &Report,
        rtt: f64,
    ) -> (f64, bool) {
        basis.round = basis.round.wrapping_add(1);
        basis.urgent = false;
        self.limited = report.data_limited;
        let limit = if basis.round > 1 {
            2.0 * report.x_recv
        } else {
            0.0
        };
        let wait = wait(basis, Some(rtt));
        let equation = basis.x_calc.min(LARGEST);
        if self.slow_start && (report.first || basis.p <= 0.0) {
            self.double(basis, report.now, limit, rtt);
            return (wait, true);
        }
        if self.slow_start {
            self.slow_start = false;
            basis.x = equation;
        } else {
            let least = basis.segment() / rtt;
            let mut cap = limit.max(least);
            if equation > basis.x {
                if report.data_limited {
                    cap = cap.max(initial_rate(basis, rtt));
                }
                let rounds = (seconds(report.now.since(self.changed)) / rtt).min(2.0);
                basis.x = (basis.x + least * rounds).min(cap.min(equation));
            } else {
                basis.x = equation.min(cap);
            }
            self.changed = report.now;
        }
        (wait, false)
    }

    /// Handles the expiry of the nofeedback timer; returns the next time to wait, in seconds.
    pub(crate) fn on_expiry(&mut self, basis: &mut Basis, idle: bool) -> f64 {
        let rtt = basis.rtt.mean();
        let half = basis.x / 2.0;
        basis.x = match rtt {
            Some(rtt) if idle => half.max(initial_rate(basis, rtt)).min(basis.x),
            _ => half,
        };
        self.rising = self.rising.min(basis.x);
        basis.urgent = true;
        basis.round = basis.round.wrapping_add(1);
        wait(basis, rtt)
    }

    /// Increases a rising rate by one step when a packet is sent.
    pub(crate) fn on_sent(&mut self, basis: &Basis) {
        if self.is_rising(basis) {
            self.rising += self.step;
        }
    }

    /// Returns the actual sending rate.
    pub(crate) fn x_inst(&self, basis: &Basis) -> f64 {
        if self.is_rising(basis) {
            self.rising
        } else {
            basis.damped()
        }
    }

    fn is_rising(&self, basis: &Basis) -> bool {
        self.slow_start && basis.round > 2 && self.rising < basis.x
    }

    fn double(&mut self, basis: &mut Basis, now: Instant, limit: f64, rtt: f64) {
        let before = basis.x;
        let initial = initial_rate(basis, rtt);
        if basis.round <= 2 || (self.limited && limit > 0.0 && limit < initial) {
            self.rise_to(basis, before.max(initial), now, rtt);
        } else if limit <= 0.0 {
            self.jump_to(basis, basis.segment() / rtt, now);
        } else if before > limit {
            self.jump_to(basis, limit / 2.0, now);
        } else if before < limit && seconds(now.since(self.changed)) > rtt {
            let doubled = (2.0 * before).min(limit);
            self.rise_to(basis, doubled.max(basis.segment() / rtt), now, rtt);
        }
    }

    fn rise_to(&mut self, basis: &mut Basis, x: f64, now: Instant, rtt: f64) {
        self.rising = basis.x;
        self.step = (x - basis.x) / (x * rtt / basis.segment());
        self.changed = now;
        basis.x = x;
    }

    fn jump_to(&mut self, basis: &mut Basis, x: f64, now: Instant) {
        self.rising = x;
        self.step = 0.0;
        self.changed = now;
        basis.x = x;
    }
}

fn initial_rate(basis: &Basis, rtt: f64) -> f64 {
    basis.config.initial_window_bytes() / rtt
}

/// Returns the seconds until the nofeedback timer expires.
fn wait(basis: &Basis, rtt: Option<f64>) -> f64 {
    2.0 * rtt.unwrap_or(0.0).max(basis.segment() / basis.x)
}
