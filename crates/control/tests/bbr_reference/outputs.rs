//! The section "Updating Control Parameters": pacing rate, send quantum and window.

use crate::arithmetic::{CWND_CAP, INFINITY, rate, times, volume};
use crate::reference::{Gain, MIN_PIPE_CWND, Reference, STARTUP_PACING_GAIN, State};

/// Hundredths that `PacingMarginPercent` leaves.
const MARGIN_LEAVES: u64 = 99;
const MS: u64 = 1_000_000;

impl Reference {
    /// Section "Pacing Rate".
    pub fn init_pacing_rate(&mut self) {
        let nominal_bandwidth = rate(self.c.initial_cwnd, self.c.smss, self.c.srtt.unwrap_or(MS));
        self.c.pacing_rate = times(nominal_bandwidth, STARTUP_PACING_GAIN);
    }

    /// Section "Pacing Rate".
    pub fn set_pacing_rate_with_gain(&mut self, pacing_gain: Gain) {
        let gain = Gain(pacing_gain.0 * MARGIN_LEAVES, pacing_gain.1 * 100);
        let rate = times(self.bw, gain);
        if self.full_bw_reached || rate > self.c.pacing_rate {
            self.c.pacing_rate = rate;
        }
    }

    /// Section "Pacing Rate".
    pub fn set_pacing_rate(&mut self) {
        self.set_pacing_rate_with_gain(self.pacing_gain);
    }

    /// Section "Send Quantum". Whole segments, rounded down.
    pub fn set_send_quantum(&mut self) {
        let bytes = (u128::from(self.c.pacing_rate) * u128::from(MS) / 1_000_000_000) >> 16;
        let quantum = bytes.min(64 * 1024) as u64 / self.c.smss;
        self.c.send_quantum = quantum.max(2);
    }

    /// Section "Computing BBR.max_inflight", with the bandwidth that two of its callers pass.
    pub fn bdp_multiple(&self, bw: u64, gain: Gain) -> u64 {
        if self.min_rtt == INFINITY {
            return self.c.initial_cwnd;
        }
        volume(bw, self.min_rtt, gain, self.c.smss)
    }

    /// Section "Computing BBR.max_inflight". The offload budget is that of TCP.
    fn quantization_budget(&self, inflight_cap: u64) -> u64 {
        let offload_budget = 3 * self.c.send_quantum;
        let inflight_cap = inflight_cap.max(offload_budget).max(MIN_PIPE_CWND);
        let probing = self.state == State::ProbeBwUp;
        inflight_cap + if probing { 2 } else { 0 }
    }

    /// Section "Computing BBR.max_inflight".
    pub fn inflight(&self, bw: u64, gain: Gain) -> u64 {
        let inflight_cap = self.bdp_multiple(bw, gain);
        self.quantization_budget(inflight_cap)
    }

    /// Section "Computing BBR.max_inflight". It also stores `BBR.bdp`, which the draft's `BDPMultiple` does.
    fn update_max_inflight(&mut self) {
        if self.min_rtt != INFINITY {
            self.bdp = self.bdp_multiple(self.bw, Gain(1, 1));
        }
        let inflight_cap = self.bdp_multiple(self.bw, self.cwnd_gain) + self.extra_acked;
        self.max_inflight = self.quantization_budget(inflight_cap);
    }

    /// Section "Modulating cwnd in Loss Recovery".
    pub fn save_cwnd(&mut self) {
        self.prior_cwnd = if !self.in_loss_recovery() && self.state != State::ProbeRtt {
            self.c.cwnd
        } else {
            self.prior_cwnd.max(self.c.cwnd)
        };
    }

    /// Section "Modulating cwnd in Loss Recovery".
    pub fn restore_cwnd(&mut self) {
        self.c.cwnd = self.c.cwnd.max(self.prior_cwnd);
    }

    /// Section "Modulating cwnd in ProbeRTT".
    fn bound_cwnd_for_probe_rtt(&mut self) {
        if self.state == State::ProbeRtt {
            self.c.cwnd = self.c.cwnd.min(self.probe_rtt_cwnd());
        }
    }

    /// Section "cwnd Adjustment Mechanism". The window is at most the largest of the crate.
    pub fn set_cwnd(&mut self) {
        self.update_max_inflight();
        if self.full_bw_reached {
            self.c.cwnd = (self.c.cwnd + self.rs.newly_acked).min(self.max_inflight);
        } else if self.c.cwnd < self.max_inflight || self.c.delivered < self.c.initial_cwnd {
            self.c.cwnd += self.rs.newly_acked;
        }
        self.c.cwnd = self.c.cwnd.max(MIN_PIPE_CWND);
        self.bound_cwnd_for_probe_rtt();
        self.bound_cwnd_for_model();
        self.c.cwnd = self.c.cwnd.min(CWND_CAP);
    }

    /// Section "Bounding cwnd Based on Recent Congestion".
    fn bound_cwnd_for_model(&mut self) {
        let mut cap = INFINITY;
        if self.is_in_a_probe_bw_state() && self.state != State::ProbeBwCruise {
            cap = self.inflight_longterm;
        } else if self.state == State::ProbeRtt || self.state == State::ProbeBwCruise {
            cap = self.inflight_with_headroom();
        }
        cap = cap.min(self.inflight_shortterm);
        cap = cap.max(MIN_PIPE_CWND);
        self.c.cwnd = self.c.cwnd.min(cap);
    }
}
