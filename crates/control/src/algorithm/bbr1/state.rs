//! The states, and when one follows another.

use super::rules::*;
use super::{Bbr1, CWND_GAIN, DRAIN_GAIN, FULL_ROUNDS, HIGH_GAIN, LEAST};
use crate::estimate::path::{UNIT, scaled};
use crate::event::Delivery;
use crate::rule::Rule;
use crate::units::{Instant, Rate, Segments};

/// The states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::Drain => "Drain",
            Self::ProbeBandwidth => "ProbeBW",
            Self::ProbeRtt => "ProbeRTT",
        }
    }
}

impl Bbr1 {
    pub(super) fn check_full(&mut self, delivery: &Delivery) {
        let limited = delivery.rate.is_some_and(|rate| rate.app_limited);
        if self.full || !self.round_began || limited {
            return;
        }
        let most = Rate::from_raw(self.max_bw.get());
        if most >= scaled(self.full_bw, UNIT * 5 / 4) {
            self.full_bw = most;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.full = self.full_rounds >= FULL_ROUNDS;
    }

    pub(super) fn check_drain(&mut self, delivery: &Delivery) {
        let most = Rate::from_raw(self.max_bw.get());
        if self.state == State::Startup && self.full {
            self.state = State::Drain;
            self.transition = &FULL;
            self.ssthresh = Segments::saturating_whole(self.target(most, UNIT)).min(Segments::CAP);
        }
        if self.state == State::Drain
            && self.in_flight_then(delivery, delivery.in_flight) <= self.target(most, UNIT)
        {
            self.transition = &DRAINED;
            self.probe_bandwidth(delivery.now);
        }
    }

    pub(super) fn probe_bandwidth(&mut self, now: Instant) {
        self.state = State::ProbeBandwidth;
        self.probing.begin(now);
    }

    /// The state after ProbeRTT.
    pub(super) fn go_back(&mut self, now: Instant) {
        if self.full {
            self.probe_bandwidth(now);
        } else {
            self.state = State::Startup;
        }
    }

    pub(super) fn update_rtt(&mut self, delivery: &Delivery) {
        let now = delivery.now;
        let expired = self.rtt.update(delivery, self.config.rtprop_window);
        if expired && !self.idle && self.state != State::ProbeRtt {
            self.save();
            self.state = State::ProbeRtt;
            self.transition = &RTT_OLD;
            self.rtt.leave_at = None;
        }
        if self.state == State::ProbeRtt {
            if self.rtt.leave_at.is_none() && delivery.in_flight <= LEAST {
                self.rtt.leave_at = Some(now + self.config.probe_rtt_time);
                self.rtt.round_over = false;
                self.round_ends = delivery.delivered;
            } else if self.rtt.leave_at.is_some() {
                self.rtt.round_over |= self.round_began;
                if self.rtt.round_over {
                    self.check_probe_rtt(now);
                }
            }
        }
        if delivery.rate.is_some_and(|rate| rate.delivered > 0) {
            self.idle = false;
        }
    }

    pub(super) fn check_probe_rtt(&mut self, now: Instant) {
        if self.rtt.leave_at.is_some_and(|at| now > at) {
            self.rtt.measured_at = now;
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.transition = &RTT_PROBED;
            self.go_back(now);
        }
    }

    pub(super) fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.state {
            State::Startup => (HIGH_GAIN, HIGH_GAIN),
            State::Drain => (DRAIN_GAIN, HIGH_GAIN),
            State::ProbeBandwidth if self.policer.bandwidth().is_some() => (UNIT, CWND_GAIN),
            State::ProbeBandwidth => (self.probing.gain(), CWND_GAIN),
            State::ProbeRtt => (UNIT, UNIT),
        };
    }

    pub(super) fn update_cycle(&mut self, delivery: &Delivery) {
        if self.state != State::ProbeBandwidth {
            return;
        }
        let most = Rate::from_raw(self.max_bw.get());
        let is_long = self
            .rtt
            .least
            .is_some_and(|rtt| self.probing.is_older(delivery.now, rtt));
        let in_flight = self.in_flight_then(delivery, delivery.prior_in_flight);
        let is_over = if self.pacing_gain == UNIT {
            is_long
        } else if self.pacing_gain > UNIT {
            let full = in_flight >= self.target(most, self.pacing_gain);
            is_long && (delivery.newly_lost > 0 || full)
        } else {
            is_long || in_flight <= self.target(most, UNIT)
        };
        if is_over {
            self.probing.advance(delivery.now);
        }
    }

    pub(super) fn rule_now(&self) -> &'static Rule {
        match self.state {
            _ if self.conserving => &CONSERVE,
            State::Startup => &STARTUP,
            State::Drain => &DRAIN,
            State::ProbeBandwidth if self.policer.bandwidth().is_some() => &POLICED,
            State::ProbeBandwidth if self.pacing_gain > UNIT => &PROBE_UP,
            State::ProbeBandwidth if self.pacing_gain < UNIT => &PROBE_DOWN,
            State::ProbeBandwidth => &CRUISE,
            State::ProbeRtt => &PROBE_RTT,
        }
    }
}
