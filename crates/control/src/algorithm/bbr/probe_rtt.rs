//! The least round-trip time, and ProbeRTT, which measures it anew.

use super::state::{self, State};
use super::{Bbr, Inputs};
use crate::units::{Duration, Instant};

/// BBR.min_rtt, and the minimum by which ProbeRTT is scheduled. A minimum that is not known counts as infinite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundTrip {
    /// BBR.min_rtt and BBR.min_rtt_stamp.
    pub min: Option<Duration>,
    min_at: Instant,
    /// BBR.probe_rtt_min_delay and BBR.probe_rtt_min_stamp.
    probe_min: Option<Duration>,
    probe_min_at: Instant,
    /// BBR.probe_rtt_expired.
    expired: bool,
    /// BBR.probe_rtt_done_stamp.
    done_at: Option<Instant>,
    /// BBR.probe_rtt_round_done.
    round_done: bool,
}

impl RoundTrip {
    /// The connection begins.
    pub fn begin(&mut self, now: Instant) {
        self.min_at = now;
        self.probe_min_at = now;
    }

    /// UpdateMinRTT().
    pub fn update(
        &mut self,
        now: Instant,
        rtt: Option<Duration>,
        interval: Duration,
        window: Duration,
    ) {
        self.expired = now > self.probe_min_at + interval;
        if let Some(rtt) = rtt
            && (self.expired || self.probe_min.is_none_or(|least| rtt < least))
        {
            self.probe_min = Some(rtt);
            self.probe_min_at = now;
        }
        let is_less = match (self.probe_min, self.min) {
            (Some(found), Some(least)) => found < least,
            (found, None) => found.is_some(),
            (None, _) => false,
        };
        if is_less || now > self.min_at + window {
            self.min = self.probe_min;
            self.min_at = self.probe_min_at;
        }
    }
}

impl Bbr {
    /// CheckProbeRTT().
    pub(super) fn check_probe_rtt(&mut self, inputs: &Inputs) {
        if self.state != State::ProbeRtt && self.rtt.expired && !self.idle_restart {
            self.enter(State::ProbeRtt, &state::RTT_OLD);
            self.save_cwnd();
            self.rtt.done_at = None;
            self.cycle.stop();
            self.rounds.start(self.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(inputs);
        }
        if inputs.sample.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// HandleProbeRTT(), but for MarkConnectionAppLimited(), which the host does.
    fn handle_probe_rtt(&mut self, inputs: &Inputs) {
        if self.rtt.done_at.is_some() {
            self.rtt.round_done |= self.rounds.began;
            if self.rtt.round_done {
                self.check_probe_rtt_done(inputs.now);
            }
        } else if inputs.in_flight <= self.probe_rtt_cwnd() {
            self.rtt.done_at = Some(inputs.now + self.config.probe_rtt_time);
            self.rtt.round_done = false;
            self.rounds.start(self.delivered);
        }
    }

    /// CheckProbeRTTDone().
    pub(super) fn check_probe_rtt_done(&mut self, now: Instant) {
        if self.rtt.done_at.is_some_and(|at| now > at) {
            self.rtt.probe_min_at = now;
            self.restore_cwnd();
            self.exit_probe_rtt(now);
        }
    }

    /// ExitProbeRTT().
    fn exit_probe_rtt(&mut self, now: Instant) {
        self.forget_short_term();
        if self.full.reached {
            self.start_down(now, &state::RTT_PROBED);
            self.enter(State::Cruise, &state::RTT_PROBED);
        } else {
            self.enter_startup(&state::RTT_PROBED);
        }
    }
}
