//! The rules that BBR version 1 names when it explains itself.

use crate::rule::Rule;

macro_rules! rules {
    ($( $name:ident: $branch:literal, $condition:literal, $action:literal, $source:literal; )+) => { $(
        pub(super) static $name: Rule = Rule {
            branch: $branch,
            condition: $condition,
            action: $action,
            source: $source,
        };
    )+ };
}

// The rules of changes of state, in which `{phase}` is the state before.
rules! {
    FULL: "pipe full", "{phase} -> {after.phase}: BtlBw = {after.bwe} has not grown by 25 % for 3 rounds",
        "rate = {after.pacing_gain} x BtlBw", "Cardwell et al. 2016, section \"Single BBR flow startup behavior\"";
    DRAINED: "drained", "{phase} -> {after.phase}: in flight = {after.in_flight}, BtlBw x RTprop = {after.path_window}",
        "rate = 1.25, 0.75 and 1 x BtlBw by turns", "Cardwell et al. 2016, section \"Single BBR flow startup behavior\"";
    RTT_OLD: "old RTprop", "{phase} -> {after.phase}: RTprop has not been met for {rtprop_window}; now it is {after.base_rtt}",
        "at most 4 segments in the network", "Cardwell et al. 2016, section \"Measuring path characteristics\"";
    RTT_PROBED: "RTprop probed", "{phase} -> {after.phase}: {probe_rtt_time} and a round with at most 4 segments in the network",
        "rate = {after.pacing_gain} x BtlBw, the window from before", "Cardwell et al. 2016, section \"Measuring path characteristics\"";
    POLICER: "policer found", "two spans of losses at one bandwidth",
        "rate = {after.policer_rate} for 48 rounds", "Linux, tcp_bbr.c: bbr_lt_bw_sampling";
    POLICER_OVER: "policer over", "48 rounds at a policer's bandwidth, or the losses were none",
        "no longer rate = {policer_rate}", "Linux, tcp_bbr.c: bbr_lt_bw_sampling";
}

rules! {
    STARTUP: "startup", "the bandwidth still grows: BtlBw = {after.bwe}",
        "rate = 2.89 x BtlBw, cwnd + what is delivered", "Cardwell et al. 2016, section \"Single BBR flow startup behavior\"";
    DRAIN: "drain", "BtlBw = {after.bwe} has not grown for 3 rounds",
        "rate = 0.35 x BtlBw, until only what fills the path is in the network", "Cardwell et al. 2016, section \"Single BBR flow startup behavior\"";
    PROBE_UP: "probe bandwidth", "BtlBw = {after.bwe}, RTprop = {after.base_rtt}",
        "rate = 1.25 x BtlBw for an RTprop", "Cardwell et al. 2016, fig. 4";
    PROBE_DOWN: "drain the probe", "BtlBw = {after.bwe}, RTprop = {after.base_rtt}",
        "rate = 0.75 x BtlBw until its queue is gone", "Cardwell et al. 2016, fig. 4";
    CRUISE: "cruise", "BtlBw = {after.bwe}, RTprop = {after.base_rtt}",
        "rate = BtlBw, cwnd = 2 x BtlBw x RTprop + extra", "Cardwell et al. 2016, fig. 4";
    PROBE_RTT: "probe rtt", "RTprop = {base_rtt} is too old",
        "at most 4 segments in the network", "Cardwell et al. 2016, section \"Measuring path characteristics\"";
    POLICED: "policer", "losses at one bandwidth, twice: {after.bwe}",
        "rate = that bandwidth for 48 rounds", "Linux, tcp_bbr.c: bbr_lt_bw_sampling";
    CONSERVE: "packet conservation", "a loss episode began less than a round ago",
        "cwnd = what is in the network + what is delivered", "Linux, tcp_bbr.c: bbr_set_cwnd_to_recover_or_restore";
    LOSS: "loss", "in flight = {in_flight}", "the window is kept for the end of the episode", "Linux, tcp_bbr.c: bbr_ssthresh";
    TIMEOUT: "timeout", "timeout {consecutive} of the segment", "cwnd = 1, then as in startup until the path is full again", "Linux, tcp_bbr.c: bbr_set_state";
}
