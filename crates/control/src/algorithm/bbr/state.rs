//! The states, and the gains of each (the table of section "Summary of Control Behavior in the State Machine").

use super::Config;
use crate::rule::Rule;
use crate::units::Ratio;

/// The states of the draft's diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::Drain => "Drain",
            Self::Down => "ProbeBW_DOWN",
            Self::Cruise => "ProbeBW_CRUISE",
            Self::Refill => "ProbeBW_REFILL",
            Self::Up => "ProbeBW_UP",
            Self::ProbeRtt => "ProbeRTT",
        }
    }

    /// IsInAProbeBWState().
    pub fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// IsProbingBW().
    pub fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    /// BBR.pacing_gain.
    pub fn pacing_gain(self, config: &Config) -> Ratio {
        match self {
            Self::Startup => config.startup_gain,
            Self::Drain => config.drain_gain,
            Self::Down => config.down_gain,
            Self::Up => config.up_gain,
            Self::Cruise | Self::Refill | Self::ProbeRtt => Ratio::ONE,
        }
    }

    /// BBR.cwnd_gain.
    pub fn cwnd_gain(self, config: &Config) -> Ratio {
        match self {
            Self::Up => config.up_cwnd_gain,
            Self::ProbeRtt => config.probe_rtt_gain,
            _ => config.cwnd_gain,
        }
    }

    /// The rule of an ACK that reports nothing special.
    pub fn rule(self) -> &'static Rule {
        match self {
            Self::Startup => &STARTUP,
            Self::Drain => &DRAIN,
            Self::Down => &DOWN,
            Self::Cruise => &CRUISE,
            Self::Refill => &REFILL,
            Self::Up => &UP,
            Self::ProbeRtt => &PROBE_RTT,
        }
    }
}

macro_rules! rules {
    ($( $name:ident: $branch:literal, $condition:literal, $action:literal, $section:literal; )+) => { $(
        pub(super) static $name: Rule = Rule {
            branch: $branch,
            condition: $condition,
            action: $action,
            source: concat!("draft-ietf-ccwg-bbr, section ", $section),
        };
    )+ };
}

// The rules of changes of state, in which `{phase}` is the state before. The host names the states.
rules! {
    PLATEAU: "plateau", "{phase} -> {after.phase}: max_bw = {after.max_bw} has not grown by 25 % for 3 rounds",
        "rate = {drain_gain} x bw", "\"Exiting Acceleration Based on Bandwidth Plateau\"";
    LOSSY_STARTUP: "losses in startup", "{phase} -> {after.phase}: a round lost more than {loss_threshold}, in {startup_losses} gaps or more",
        "rate = {drain_gain} x bw, inflight_longterm = {after.inflight_longterm}", "\"Exiting Startup Based on Packet Loss\"";
    DRAINED: "drained", "{phase} -> {after.phase}: in flight = {after.in_flight}, and bw x min_rtt = {after.path_window}",
        "rate = {down_gain} x bw", "\"Drain\"";
    DRAINED_LONG: "drain too long", "{phase} -> {after.phase}: 3 rounds are over, in flight = {after.in_flight}, and bw x min_rtt = {after.path_window}",
        "rate = {down_gain} x bw", "\"Drain\"";
    QUEUE_GONE: "queue gone", "{phase} -> {after.phase}: in flight = {after.in_flight} is within bw x min_rtt = {after.path_window} and the headroom",
        "rate = bw", "\"ProbeBW_DOWN\"";
    PROBE_TIME: "time to probe", "{phase} -> {after.phase}: {probe_wait} and up to a second more since the last probe",
        "rate = bw for a round", "\"A Dual-Time-Scale Approach for Coexistence\"";
    PROBE_ROUNDS: "rounds to probe", "{phase} -> {after.phase}: as many rounds as segments fill the path = {after.path_window}, at most 63, since the last probe",
        "rate = bw for a round", "\"A Dual-Time-Scale Approach for Coexistence\"";
    REFILLED: "refilled", "{phase} -> {after.phase}: a round is over, and the path is full",
        "rate = {up_gain} x bw", "\"ProbeBW_REFILL\"";
    PROBED: "probed", "{phase} -> {after.phase}: max_bw = {after.max_bw}, of which the probe found no 25 % more in 3 rounds",
        "rate = {down_gain} x bw", "\"Exit Conditions for Bandwidth Probing\"";
    CAUTIOUS: "cautious probe", "{phase} -> {after.phase}: in flight = {after.in_flight} has reached inflight_longterm, which the last probe exceeded",
        "rate = {down_gain} x bw", "\"Precautionary Bandwidth Probing\"";
    AGAIN: "probe again", "{phase} -> {after.phase}: the cautious probe has lost nothing",
        "rate = bw for a round", "\"Precautionary Bandwidth Probing\"";
    PROBE_LOST: "probe lost", "{phase} -> {after.phase}: more than {loss_threshold} of what the probe sent are lost",
        "rate = {down_gain} x bw, inflight_longterm = {after.inflight_longterm}", "\"Probing for Bandwidth In ProbeBW\"";
    RTT_OLD: "old rtt", "{phase} -> {after.phase}: min_rtt = {after.base_rtt} has not been met for {probe_rtt_interval}",
        "cwnd = {probe_rtt_gain} x bw x min_rtt", "\"ProbeRTT Logic\"";
    RTT_PROBED: "rtt probed", "{phase} -> {after.phase}: {probe_rtt_time} and a round with little in the network; min_rtt = {after.base_rtt}",
        "rate = {after.pacing_gain} x bw, the window from before", "\"Exiting ProbeRTT\"";
    STATE_UNDONE: "state undone", "{phase} -> {after.phase}: the losses that ended a probe were none",
        "rate = {after.pacing_gain} x bw", "\"Handling a Spurious Loss Recovery\"";
}

// The rules of changes of bounds.
rules! {
    BOUNDED: "lossy cycle", "a round with losses, while no bandwidth was probed for",
        "bw_shortterm = {after.bw_shortterm}, inflight_shortterm = {after.inflight_shortterm}, at least {beta} of before", "\"When not Probing for Bandwidth\"";
    FORGOTTEN: "bounds forgotten", "{after.phase} begins",
        "no longer bw_shortterm = {bw_shortterm} and inflight_shortterm = {inflight_shortterm}", "\"When not Probing for Bandwidth\"";
    STARTUP_LIMIT: "startup volume", "a round of Startup lost more than {loss_threshold}",
        "inflight_longterm = {after.inflight_longterm}: what fills the path, or what was delivered in a round", "\"Exiting Startup Based on Packet Loss\"";
    LOWERED: "volume too high", "more than {loss_threshold} of a round are lost",
        "inflight_longterm = {after.inflight_longterm}, what was in flight then, at least {beta} of what fills the path", "\"Probing for Bandwidth In ProbeBW\"";
    RAISED: "volume raised", "what is in flight does not lose more than {loss_threshold}",
        "inflight_longterm = {after.inflight_longterm}", "\"Accelerating to Probe for Bandwidth\"";
    RETURNED: "bounds undone", "the losses were none",
        "as before: bw_shortterm = {after.bw_shortterm}, inflight_shortterm = {after.inflight_shortterm}, inflight_longterm = {after.inflight_longterm}",
        "\"Handling a Spurious Loss Recovery\"";
}

rules! {
    STARTUP: "startup", "the bandwidth still grows: bw = {after.bwe}",
        "rate = {startup_gain} x bw, cwnd + what is delivered", "\"Startup\"";
    DRAIN: "drain", "bw = {after.bwe} has stopped growing, or too much was lost",
        "rate = {drain_gain} x bw, until only what fills the path is in the network", "\"Drain\"";
    DOWN: "probe down", "bandwidth was probed for: bw = {after.bwe}",
        "rate = {down_gain} x bw, until the queue is gone and headroom is left", "\"ProbeBW_DOWN\"";
    CRUISE: "cruise", "bw = {after.bwe}, min_rtt = {after.base_rtt}",
        "rate = bw, cwnd = {cwnd_gain} x bw x min_rtt + {after.extra_acked}, with headroom", "\"ProbeBW_CRUISE\"";
    REFILL: "refill", "it is time to probe for bandwidth",
        "what losses of this cycle bounded is forgotten; rate = bw for a round", "\"ProbeBW_REFILL\"";
    UP: "probe up", "the path is full: bw = {after.bwe}",
        "rate = {up_gain} x bw, until the bandwidth stops growing", "\"ProbeBW_UP\"";
    PROBE_RTT: "probe rtt", "the least RTT of {probe_rtt_interval} has not been met again",
        "cwnd = {probe_rtt_gain} x bw x min_rtt", "\"ProbeRTT\"";
    TOO_HIGH: "too high", "the probe lost more than {loss_threshold} of a round",
        "inflight_longterm = {after.inflight_longterm}", "\"Probing for Bandwidth In ProbeBW\"";
    LOSSY: "lossy round", "a round with losses, while no bandwidth was probed for",
        "bw_shortterm = {after.bw_shortterm}, inflight_shortterm = {after.inflight_shortterm}", "\"When not Probing for Bandwidth\"";
    LOSS: "loss", "in flight = {in_flight}",
        "the window is kept; the model answers at the end of the round", "\"Modulating cwnd in Loss Recovery\"";
    TIMEOUT: "timeout", "timeout {consecutive} of the segment",
        "cwnd = 1, and the window from before at the end of the repair", "\"Modulating cwnd in Loss Recovery\"";
    UNDONE: "undone", "the losses were none", "window and bounds are at least those from before",
        "\"Handling a Spurious Loss Recovery\"";
}
