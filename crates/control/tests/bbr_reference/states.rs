//! The sections "Startup", "Drain", "ProbeRTT" and "Restarting From Idle".

use dumbbell_control::event::Repair;

use crate::reference::{
    AckPhase, DEFAULT_CWND_GAIN, DRAIN_PACING_GAIN, Gain, MIN_PIPE_CWND, Reference,
    STARTUP_PACING_GAIN, State,
};

const PROBE_RTT_CWND_GAIN: Gain = Gain(1, 2);
const PROBE_RTT_DURATION: u64 = 200_000_000;
const PROBE_RTT_INTERVAL: u64 = 5_000_000_000;
const MIN_RTT_FILTER_LEN: u64 = 10_000_000_000;
const STARTUP_FULL_LOSS_CNT: u64 = 6;

impl Reference {
    /// Section "Startup Dynamics".
    pub fn enter_startup(&mut self) {
        self.state = State::Startup;
        self.pacing_gain = STARTUP_PACING_GAIN;
        self.cwnd_gain = DEFAULT_CWND_GAIN;
    }

    /// Section "Startup Dynamics".
    pub fn check_startup_done(&mut self) {
        self.check_startup_high_loss();
        if self.state == State::Startup && self.full_bw_reached {
            self.enter_drain();
        }
    }

    /// Section "Exiting Acceleration Based on Bandwidth Plateau".
    pub fn reset_full_bw(&mut self) {
        self.full_bw = 0;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }

    /// Section "Exiting Acceleration Based on Bandwidth Plateau".
    pub fn check_full_bw_reached(&mut self) {
        if self.full_bw_now || !self.round_start || self.rs.is_app_limited {
            return;
        }
        if u128::from(self.rs.delivery_rate) * 4 >= u128::from(self.full_bw) * 5 {
            self.reset_full_bw();
            self.full_bw = self.rs.delivery_rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= 3;
        if self.full_bw_now {
            self.full_bw_reached = true;
        }
    }

    /// Section "Exiting Startup Based on Packet Loss", which gives no pseudo-code.
    fn check_startup_high_loss(&mut self) {
        if self.rs.newly_lost > 0 {
            self.loss_ranges_in_round += 1;
        }
        let in_fast_recovery = self.c.repair == Repair::Episode;
        if self.state == State::Startup
            && self.loss_round_start
            && in_fast_recovery
            && self.loss_ranges_in_round >= STARTUP_FULL_LOSS_CNT
            && self.is_inflight_too_high()
        {
            self.undo_state = Some(State::Startup);
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp.max(self.inflight_latest);
        }
        if self.loss_round_start {
            self.loss_ranges_in_round = 0;
        }
    }

    /// Section "Drain".
    fn enter_drain(&mut self) {
        self.state = State::Drain;
        self.pacing_gain = DRAIN_PACING_GAIN;
        self.cwnd_gain = DEFAULT_CWND_GAIN;
        self.drain_start_round = self.round_count;
    }

    /// Section "Drain".
    pub fn check_drain_done(&mut self) {
        if self.state == State::Drain
            && (self.c.inflight <= self.inflight(self.bw, Gain(1, 1))
                || self.round_count > self.drain_start_round + 3)
        {
            self.enter_probe_bw();
        }
    }

    /// Section "ProbeRTT Logic".
    pub fn update_min_rtt(&mut self) {
        self.probe_rtt_expired = self.now > self.probe_rtt_min_stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt) = self.rs.rtt
            && (rtt < self.probe_rtt_min_delay || self.probe_rtt_expired)
        {
            self.probe_rtt_min_delay = rtt;
            self.probe_rtt_min_stamp = self.now;
        }
        let min_rtt_expired = self.now > self.min_rtt_stamp + MIN_RTT_FILTER_LEN;
        if self.probe_rtt_min_delay < self.min_rtt || min_rtt_expired {
            self.min_rtt = self.probe_rtt_min_delay;
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }

    /// Section "ProbeRTT Logic".
    pub fn check_probe_rtt(&mut self) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.enter_probe_rtt();
            self.save_cwnd();
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt();
        }
        if self.rs.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// Section "ProbeRTT Logic".
    fn enter_probe_rtt(&mut self) {
        self.state = State::ProbeRtt;
        self.pacing_gain = Gain(1, 1);
        self.cwnd_gain = PROBE_RTT_CWND_GAIN;
    }

    /// Section "ProbeRTT Logic".
    fn handle_probe_rtt(&mut self) {
        if self.probe_rtt_done_stamp.is_none() && self.c.inflight <= self.probe_rtt_cwnd() {
            self.probe_rtt_done_stamp = Some(self.now + PROBE_RTT_DURATION);
            self.probe_rtt_round_done = false;
            self.start_round();
        } else if self.probe_rtt_done_stamp.is_some() {
            if self.round_start {
                self.probe_rtt_round_done = true;
            }
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done();
            }
        }
    }

    /// Section "ProbeRTT Logic".
    fn check_probe_rtt_done(&mut self) {
        if self
            .probe_rtt_done_stamp
            .is_some_and(|stamp| self.now > stamp)
        {
            self.probe_rtt_min_stamp = self.now;
            self.restore_cwnd();
            self.exit_probe_rtt();
        }
    }

    /// Section "Exiting ProbeRTT".
    fn exit_probe_rtt(&mut self) {
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_probe_bw_down();
            self.start_probe_bw_cruise();
        } else {
            self.enter_startup();
        }
    }

    /// Section "Modulating cwnd in ProbeRTT".
    pub fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp_multiple(self.bw, PROBE_RTT_CWND_GAIN)
            .max(MIN_PIPE_CWND)
    }

    /// Section "Actions when Restarting from Idle".
    pub fn handle_restart_from_idle(&mut self) {
        if self.c.inflight == 0 && self.c.is_app_limited {
            self.idle_restart = true;
            self.extra_acked_interval_start = self.now;
            if self.is_in_a_probe_bw_state() {
                self.set_pacing_rate_with_gain(Gain(1, 1));
            } else if self.state == State::ProbeRtt {
                self.check_probe_rtt_done();
            }
        }
    }
}
