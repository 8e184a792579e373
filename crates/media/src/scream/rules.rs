//! The rules of SCReAM's target rate as data, from which a host explains why the rate changed.

use dumbbell_control::rule::Rule;

/// A loss event.
pub(super) static LOSS: Rule = Rule {
    branch: "loss event",
    condition: "a packet was missing for the reordering window, the first in s_rtt = {rtt}",
    action: "rate x {beta_r}, window x {beta_loss}",
    source: "RFC 8298, sections 4.1.2.2 and 4.1.3",
};

/// An ECN event.
pub(super) static MARK: Rule = Rule {
    branch: "ECN event",
    condition: "a packet was marked, the first in s_rtt = {rtt}",
    action: "rate and window x {beta_ecn}",
    source: "RFC 8298, sections 4.1.2.2 and 4.1.3",
};

/// Packets wait at the sender for too long.
pub(super) static WAIT: Rule = Rule {
    branch: "packets wait",
    condition: "what waits takes {after.waiting} > {rtp_qdelay_th} at the current rate of {after.current_rate}",
    action: "rate += current rate (1 - {pre_congestion_guard} x trend) - waiting bits, then x {target_rate_scale}",
    source: "RFC 8298, section 4.1.3",
};

/// More waits than the current rate sends until the next adjustment.
pub(super) static BACKLOG: Rule = Rule {
    branch: "backlog",
    condition: "more waits ({after.waiting}) than the current rate of {after.current_rate} allows at a trend of {after.trend}",
    action: "rate += current rate (1 - {pre_congestion_guard} x trend) - waiting bits",
    source: "RFC 8298, section 4.1.3",
};

/// The rate is far above what is sent.
pub(super) static LIMIT: Rule = Rule {
    branch: "rate of the media",
    condition: "the rate exceeds what was sent, {after.media_rate}, at a remembered trend of {after.remembered_trend}",
    action: "rate at most max(current, media, median) x (2 - remembered trend)",
    source: "RFC 8298, section 4.1.3",
};

/// Fast increase.
pub(super) static FAST: Rule = Rule {
    branch: "fast increase",
    condition: "no congestion since the start, or for {t_resume_fast_increase}",
    action: "rate += {ramp_up_speed} a second, scaled near the last maximum",
    source: "RFC 8298, section 4.1.3",
};

/// The ordinary increase.
pub(super) static INCREASE: Rule = Rule {
    branch: "increase",
    condition: "what waits takes {after.waiting} at the current rate of {after.current_rate}, at a trend of {after.trend}",
    action: "rate += current rate (1 - {pre_congestion_guard} x trend) - waiting bits, at most {ramp_up_speed} a second",
    source: "RFC 8298, section 4.1.3",
};

/// Nothing has been reported yet.
pub(super) static START: Rule = Rule {
    branch: "none",
    condition: "nothing has been reported yet",
    action: "rate = TARGET_BITRATE_MIN",
    source: "RFC 8298, section 4.1.3",
};
