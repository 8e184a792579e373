//! ProbeBW: the cycle of DOWN, CRUISE, REFILL and UP.

use super::sample::{UNLIMITED, is_too_high, part};
use super::state::{self, State};
use super::{Bbr, Inputs, LEAST};
use crate::rule::Rule;
use crate::units::{Duration, Instant, Ratio};

/// The largest number of rounds between two probes, for coexistence with Reno (T_reno_bound).
const RENO_ROUNDS: u64 = 63;
/// BBR.bw_probe_up_rounds is at most this.
const MOST_UP_ROUNDS: u32 = 30;

/// BBR.ack_phase: what the ACKs say about probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// The state of the cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    ack_phase: AckPhase,
    /// BBR.is_bw_probe_sample.
    pub is_sample: bool,
    /// BBR.prev_probe_too_high.
    pub was_too_high: bool,
    /// BBR.prev_probe_precautionary.
    was_precautionary: bool,
    /// BBR.bw_probe_up_rounds.
    up_rounds: u32,
    /// BBR.bw_probe_up_acked.
    up_acked: u64,
    /// BBR.probe_up_acked_per_inc.
    acked_per_inc: u64,
    /// BBR.rounds_since_probe_up.
    pub rounds: u64,
    /// BBR.bw_probe_wait.
    wait: Duration,
    /// BBR.cycle_stamp.
    began: Instant,
}

impl Cycle {
    pub fn new() -> Self {
        Self {
            ack_phase: AckPhase::Init,
            is_sample: false,
            was_too_high: false,
            was_precautionary: false,
            up_rounds: 0,
            up_acked: 0,
            acked_per_inc: UNLIMITED,
            rounds: 0,
            wait: Duration::ZERO,
            began: Instant::ZERO,
        }
    }

    /// Probing is over; what it has sent is still to be acknowledged.
    pub fn stop(&mut self) {
        self.ack_phase = AckPhase::Stopping;
    }

    /// PickProbeWait(): by the time in microseconds, Fibonacci hashing of which gives 32 digits. The first of
    /// them, as a fraction, is the part of a second, and the last is the round.
    fn pick_wait(&mut self, now: Instant, least: Duration) {
        let digits = (now.as_nanos() / 1_000).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        self.rounds = digits & 1;
        self.wait = least + Duration::from_nanos((digits * 1_000_000_000) >> 32);
    }

    /// RaiseInflightLongtermSlope().
    fn raise_slope(&mut self, cwnd: u64) {
        let growth = 1_u64 << self.up_rounds;
        self.up_rounds = (self.up_rounds + 1).min(MOST_UP_ROUNDS);
        self.acked_per_inc = (cwnd / growth).max(1);
    }
}

impl Bbr {
    /// StartProbeBW_DOWN(), for this reason.
    pub(super) fn start_down(&mut self, now: Instant, why: &'static Rule) {
        self.model.reset_signals();
        self.cycle.acked_per_inc = UNLIMITED;
        self.cycle.pick_wait(now, self.config.probe_wait);
        self.cycle.began = now;
        self.cycle.ack_phase = AckPhase::Stopping;
        self.rounds.start(self.delivered);
        self.enter(State::Down, why);
    }

    /// StartProbeBW_REFILL(), for this reason.
    pub(super) fn start_refill(&mut self, why: &'static Rule) {
        self.forget_short_term();
        self.cycle.up_rounds = 0;
        self.cycle.up_acked = 0;
        self.cycle.was_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.rounds.start(self.delivered);
        self.enter(State::Refill, why);
    }

    /// StartProbeBW_UP().
    fn start_up(&mut self, inputs: &Inputs) {
        self.cycle.ack_phase = AckPhase::Starting;
        self.rounds.start(self.delivered);
        self.full.reset(inputs.sample.rate);
        self.enter(State::Up, &state::REFILLED);
        self.cycle.raise_slope(self.cwnd);
    }

    /// UpdateProbeBWCyclePhase().
    pub(super) fn update_cycle(&mut self, inputs: &Inputs) {
        if !self.full.reached || self.adapt_long_term(inputs) {
            return;
        }
        let cruises = matches!(self.state, State::Down | State::Cruise);
        if let Some(why) = cruises.then(|| self.time_to_probe(inputs.now)).flatten() {
            return self.start_refill(why);
        }
        match self.state {
            State::Down if self.is_time_to_cruise(inputs) => {
                self.enter(State::Cruise, &state::QUEUE_GONE);
            }
            State::Refill if self.rounds.began => {
                self.cycle.is_sample = true;
                self.start_up(inputs);
            }
            State::Up => self.check_up(inputs),
            _ => {}
        }
    }

    /// The step of ProbeBW_UP.
    fn check_up(&mut self, inputs: &Inputs) {
        if self.is_time_to_go_down(inputs) {
            self.cycle.was_too_high = false;
            let why = match self.cycle.was_precautionary {
                true => &state::CAUTIOUS,
                false => &state::PROBED,
            };
            self.start_down(inputs.now, why);
        }
    }

    /// The condition of IsTimeToProbeBW(), if it holds.
    fn time_to_probe(&self, now: Instant) -> Option<&'static Rule> {
        let reno = self.target_inflight().min(RENO_ROUNDS);
        if now > self.cycle.began + self.cycle.wait {
            return Some(&state::PROBE_TIME);
        }
        (self.cycle.rounds >= reno).then_some(&state::PROBE_ROUNDS)
    }

    /// TargetInflight().
    pub(super) fn target_inflight(&self) -> u64 {
        self.bdp(Ratio::ONE).min(self.cwnd)
    }

    fn is_time_to_cruise(&self, inputs: &Inputs) -> bool {
        inputs.in_flight <= self.inflight_with_headroom()
            && inputs.in_flight <= self.inflight(self.model.max_bw, Ratio::ONE)
    }

    fn is_time_to_go_down(&mut self, inputs: &Inputs) -> bool {
        let limit = self.model.inflight_longterm;
        if self.cycle.was_too_high && inputs.in_flight >= limit {
            self.cycle.was_precautionary = true;
            return true;
        }
        if inputs.cwnd_limited && self.cwnd >= limit {
            self.full.reset(inputs.sample.rate);
            return false;
        }
        self.full.now
    }

    /// InflightWithHeadroom().
    pub(super) fn inflight_with_headroom(&self) -> u64 {
        let limit = self.model.inflight_longterm;
        if limit == UNLIMITED {
            return UNLIMITED;
        }
        let headroom = part(limit, self.config.headroom).max(1);
        limit.saturating_sub(headroom).max(LEAST)
    }

    /// ProbeInflightLongtermUpward().
    fn probe_upward(&mut self, inputs: &Inputs) {
        if !inputs.cwnd_limited || self.cwnd < self.model.inflight_longterm {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.up_acked = cycle.up_acked.saturating_add(inputs.newly_acked);
        if cycle.up_acked >= cycle.acked_per_inc {
            let delta = cycle.up_acked / cycle.acked_per_inc;
            cycle.up_acked %= cycle.acked_per_inc;
            self.model.inflight_longterm = self.model.inflight_longterm.saturating_add(delta);
        }
        if self.rounds.began {
            cycle.raise_slope(self.cwnd);
        }
    }

    /// AdaptLongTermModel().
    fn adapt_long_term(&mut self, inputs: &Inputs) -> bool {
        let (phase, sample) = (self.cycle.ack_phase, &inputs.sample);
        if phase == AckPhase::Starting && self.rounds.began {
            self.cycle.ack_phase = AckPhase::Feedback;
        }
        if phase == AckPhase::Stopping && self.rounds.began {
            self.cycle.is_sample = false;
            self.cycle.ack_phase = AckPhase::Init;
            let cycles = self.state.is_probe_bw();
            if cycles && !sample.app_limited {
                self.model.advance_filter();
            }
            if cycles && self.cycle.was_precautionary && !self.cycle.was_too_high {
                self.start_refill(&state::AGAIN);
                return true;
            }
        }
        let too_high = is_too_high(sample.lost, sample.tx_in_flight, self.config.loss_threshold);
        if !too_high && self.model.inflight_longterm != UNLIMITED {
            self.bounds = &state::RAISED;
            let limit = &mut self.model.inflight_longterm;
            *limit = sample.tx_in_flight.max(*limit);
            if self.state == State::Up {
                self.probe_upward(inputs);
            }
        }
        false
    }
}

#[cfg(test)]
impl Cycle {
    /// Picks a wait of two seconds and more.
    pub fn pick(&mut self, now: Instant) {
        self.pick_wait(now, Duration::from_secs(2));
    }

    /// The wait in seconds.
    pub fn waits(&self) -> f64 {
        self.wait.as_secs_f64()
    }
}
