//! The outputs: rate, quantum and window (section "Updating Control Parameters").

use super::sample::UNLIMITED;
use super::state::State;
use super::{Bbr, Inputs, LEAST};
use crate::estimate::path::{UNIT, rate, times, window};
use crate::units::{Duration, Rate, Ratio, Segments};

/// What is left of the bandwidth after BBR.PacingMarginPercent.
const MARGIN: Ratio = Ratio::from_millionths(990_000);
/// The round-trip time before the first measurement, for the first rate.
const FIRST_RTT: Duration = Duration::from_millis(1);
/// The time of a quantum at the rate, and its bounds in bytes and segments.
const QUANTUM_TIME: u128 = 1_000_000;
const MOST_QUANTUM: u64 = 65_536;
const LEAST_QUANTUM: u64 = 2;
/// BBR.offload_budget in quanta, for TCP.
const BUDGET: u64 = 3;

impl Bbr {
    /// BDPMultiple(), at a bandwidth.
    fn bdp_at(&self, bandwidth: Rate, gain: Ratio) -> u64 {
        match self.rtt.min {
            Some(rtt) => window(times(bandwidth, gain), rtt, UNIT, self.mss),
            None => self.initial_window,
        }
    }

    /// BDPMultiple().
    pub(super) fn bdp(&self, gain: Ratio) -> u64 {
        self.bdp_at(self.model.bw, gain)
    }

    /// Inflight(), at a bandwidth.
    pub(super) fn inflight(&self, bandwidth: Rate, gain: Ratio) -> u64 {
        self.budgeted(self.bdp_at(bandwidth, gain))
    }

    /// QuantizationBudget().
    fn budgeted(&self, cap: u64) -> u64 {
        let cap = cap.max(BUDGET * u64::from(self.send_quantum)).max(LEAST);
        let probes = if self.state == State::Up { 2 } else { 0 };
        cap.saturating_add(probes)
    }

    /// InitPacingRate().
    pub(super) fn init_rate(&mut self, srtt: Option<Duration>) {
        let bandwidth = rate(self.initial_window, self.mss, srtt.unwrap_or(FIRST_RTT));
        self.pacing_rate = times(bandwidth, self.config.startup_gain);
    }

    /// SetPacingRateWithGain().
    pub(super) fn set_rate(&mut self, gain: Ratio) {
        let rate = times(times(self.model.bw, gain), MARGIN);
        if self.full.reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// SetSendQuantum().
    pub(super) fn set_quantum(&mut self) {
        let bytes = (u128::from(self.pacing_rate.raw()) * QUANTUM_TIME / 1_000_000_000) >> 16;
        let bytes = u64::try_from(bytes).unwrap_or(UNLIMITED).min(MOST_QUANTUM);
        let segments = (bytes / u64::from(self.mss.max(1))).max(LEAST_QUANTUM);
        self.send_quantum = u32::try_from(segments).unwrap_or(u32::MAX);
    }

    /// SetCwnd().
    pub(super) fn set_cwnd(&mut self, inputs: &Inputs) {
        let cap = self.bdp(self.state.cwnd_gain(&self.config));
        let most = self.budgeted(cap.saturating_add(self.aggregation.most()));
        let grown = self.cwnd.saturating_add(inputs.newly_acked);
        if self.full.reached {
            self.cwnd = grown.min(most);
        } else if self.cwnd < most || self.delivered < self.initial_window {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(LEAST);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.cwnd = self.cwnd.min(self.model_cap()).min(Segments::CAP.floor());
    }

    /// ProbeRTTCwnd().
    pub(super) fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp(self.config.probe_rtt_gain).max(LEAST)
    }

    /// The bound of BoundCwndForModel().
    fn model_cap(&self) -> u64 {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.model.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => UNLIMITED,
        };
        cap.min(self.model.inflight_shortterm).max(LEAST)
    }
}
