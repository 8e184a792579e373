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
