//! The sections "ProbeBW Algorithm Details" and "Design Considerations for Choosing Constant Parameters".

use crate::arithmetic::{INFINITY, times};
use crate::reference::{AckPhase, DEFAULT_CWND_GAIN, Gain, MIN_PIPE_CWND, Reference, State};

const HEADROOM: Gain = Gain(15, 100);
const SECOND: u64 = 1_000_000_000;

impl Reference {
    /// `random_int_between(0, 1)` of a random number of 64 bits.
    fn random_int(random: u64) -> u64 {
        (random >> 32) & 1
    }

    /// `random_float_between(0.0, 1.0)` seconds of a random number of 64 bits.
    fn random_second(random: u64) -> u64 {
        ((random >> 32) * SECOND) >> 32
    }

    /// The columns "Pacing Gain" and "Cwnd Gain" of section "Summary of Control Behavior in the State Machine": the
    /// pseudo-code of ProbeBW sets neither.
    fn set_state(&mut self, state: State, pacing_gain: Gain, cwnd_gain: Gain) {
        self.state = state;
        self.pacing_gain = pacing_gain;
        self.cwnd_gain = cwnd_gain;
    }

    pub fn enter_probe_bw(&mut self) {
        self.cwnd_gain = DEFAULT_CWND_GAIN;
        self.start_probe_bw_down();
    }

    pub fn start_probe_bw_down(&mut self) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = INFINITY;
        self.pick_probe_wait();
        self.cycle_stamp = self.now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.set_state(State::ProbeBwDown, Gain(90, 100), DEFAULT_CWND_GAIN);
    }

    pub fn start_probe_bw_cruise(&mut self) {
        self.set_state(State::ProbeBwCruise, Gain(1, 1), DEFAULT_CWND_GAIN);
    }

    pub fn start_probe_bw_refill(&mut self) {
        self.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.set_state(State::ProbeBwRefill, Gain(1, 1), DEFAULT_CWND_GAIN);
    }

    fn start_probe_bw_up(&mut self) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = self.rs.delivery_rate;
        self.set_state(State::ProbeBwUp, Gain(125, 100), Gain(225, 100));
        self.raise_inflight_longterm_slope();
    }

    pub fn update_probe_bw_cycle_phase(&mut self) {
        if !self.full_bw_reached {
            return;
        }
        if self.adapt_long_term_model() {
            return;
        }
        if !self.is_in_a_probe_bw_state() {
            return;
        }
        match self.state {
            State::ProbeBwDown => {
                if self.is_time_to_probe_bw() {
                    return;
                }
                if self.is_time_to_cruise() {
                    self.start_probe_bw_cruise();
                }
            }
            State::ProbeBwCruise => {
                self.is_time_to_probe_bw();
            }
            State::ProbeBwRefill => {
                if self.round_start {
                    self.is_bw_probe_sample = true;
                    self.start_probe_bw_up();
                }
            }
            State::ProbeBwUp => {
                if self.is_time_to_go_down() {
                    self.prev_probe_too_high = false;
                    self.start_probe_bw_down();
                }
            }
            State::Startup | State::Drain | State::ProbeRtt => {}
        }
    }

    pub fn is_in_a_probe_bw_state(&self) -> bool {
        matches!(
            self.state,
            State::ProbeBwDown | State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeBwUp
        )
    }

    fn is_time_to_cruise(&self) -> bool {
        if self.c.inflight > self.inflight_with_headroom() {
            return false;
        }
        self.c.inflight <= self.inflight(self.max_bw, Gain(1, 1))
    }

    fn is_time_to_go_down(&mut self) -> bool {
        if self.prev_probe_too_high && self.c.inflight >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.c.is_cwnd_limited && self.c.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.full_bw = self.rs.delivery_rate;
        } else if self.full_bw_now {
            return true;
        }
        false
    }

    pub fn is_probing_bw(&self) -> bool {
        matches!(
            self.state,
            State::Startup | State::ProbeBwRefill | State::ProbeBwUp
        )
    }

    fn has_elapsed_in_phase(&self, interval: u64) -> bool {
        self.now > self.cycle_stamp + interval
    }

    pub fn inflight_with_headroom(&self) -> u64 {
        if self.inflight_longterm == INFINITY {
            return INFINITY;
        }
        let headroom = times(self.inflight_longterm, HEADROOM).max(1);
        self.inflight_longterm
            .saturating_sub(headroom)
            .max(MIN_PIPE_CWND)
    }

    fn raise_inflight_longterm_slope(&mut self) {
        let growth_this_round = 1 << self.bw_probe_up_rounds;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (self.c.cwnd / growth_this_round).max(1);
    }

    fn probe_inflight_longterm_upward(&mut self) {
        if !self.c.is_cwnd_limited || self.c.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += self.rs.newly_acked;
        if self.bw_probe_up_acked >= self.probe_up_acked_per_inc {
            let delta = self.bw_probe_up_acked / self.probe_up_acked_per_inc;
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc;
            self.inflight_longterm += delta;
        }
        if self.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    fn adapt_long_term_model(&mut self) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.is_in_a_probe_bw_state() && !self.rs.is_app_limited {
                self.advance_max_bw_filter();
            }
            if self.is_in_a_probe_bw_state()
                && self.prev_probe_precautionary
                && !self.prev_probe_too_high
            {
                self.start_probe_bw_refill();
                return true;
            }
        }
        if !self.is_inflight_too_high() {
            if self.inflight_longterm == INFINITY {
                return false;
            }
            if self.rs.tx_in_flight > self.inflight_longterm {
                self.inflight_longterm = self.rs.tx_in_flight;
            }
            if self.state == State::ProbeBwUp {
                self.probe_inflight_longterm_upward();
            }
        }
        false
    }

    fn is_time_to_probe_bw(&mut self) -> bool {
        if self.has_elapsed_in_phase(self.bw_probe_wait) || self.is_reno_coexistence_probe_time() {
            self.start_probe_bw_refill();
            return true;
        }
        false
    }

    fn pick_probe_wait(&mut self) {
        let random = (self.random)(self.now);
        self.rounds_since_probe_up = Self::random_int(random);
        self.bw_probe_wait = 2 * SECOND + Self::random_second(random);
    }

    fn is_reno_coexistence_probe_time(&self) -> bool {
        let reno_rounds = self.target_inflight();
        let rounds = reno_rounds.min(63);
        self.rounds_since_probe_up >= rounds
    }

    pub fn target_inflight(&self) -> u64 {
        self.bdp.min(self.c.cwnd)
    }
}
