//! CUBIC's rules, for people.
//!
//! An ACK updates W_cubic and W_est before they decide, and it may set W_max, so the templates show
//! their values after the event.

use crate::growth::{Growth, Step};
use crate::rule::{self, Rule};

/// The branch that was taken last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    None,
    Limited,
    SlowStart,
    RenoFriendly,
    Concave,
    Convex,
    FirstLoss,
    Loss,
    LossBelow,
    Converge,
    Timeout,
}

impl Branch {
    pub(super) fn rule(self, growth: &Growth) -> &'static Rule {
        match self {
            Self::None => &rule::NONE,
            Self::Limited => &LIMITED,
            Self::SlowStart => growth.slow_start_rule(),
            Self::RenoFriendly => &RENO_FRIENDLY,
            Self::Concave => growth.by_counting(&CONCAVE, &CONCAVE_ABC),
            Self::Convex => growth.by_counting(&CONVEX, &CONVEX_ABC),
            Self::FirstLoss => &FIRST_LOSS,
            Self::Loss => &LOSS,
            Self::LossBelow => &LOSS_BELOW,
            Self::Converge => &CONVERGE,
            Self::Timeout if growth.step() == Step::RepeatedTimeout => &rule::REPEATED_TIMEOUT,
            Self::Timeout => &TIMEOUT,
        }
    }
}

static LIMITED: Rule = Rule {
    branch: "application-limited",
    condition: "the sender has less to send than its window allows",
    action: "cwnd and t stay",
    source: "RFC 9438, section 5.8",
};

static RENO_FRIENDLY: Rule = Rule {
    branch: "Reno-friendly",
    condition: "W_cubic = {after.w_cubic} < W_est = {after.w_est}",
    action: "cwnd = W_est, unless cwnd is above W_est",
    source: "RFC 9438, section 4.3",
};

/// Above W_est, where the window grows by what ACKs cover.
const PER_SEGMENT: &str =
    "cwnd + (W_cubic one RTT on - cwnd)/cwnd, at most 1/2, per segment that an ACK covers";

static CONCAVE: Rule = Rule {
    branch: "concave",
    condition: "cwnd = {cwnd} < W_max = {after.w_max}",
    action: "cwnd + (W_cubic one RTT on - cwnd)/cwnd, at most 1/2, per ACK",
    source: "RFC 9438, section 4.4",
};

static CONCAVE_ABC: Rule = Rule {
    action: PER_SEGMENT,
    ..CONCAVE
};

static CONVEX: Rule = Rule {
    branch: "convex",
    condition: "cwnd = {cwnd} >= W_max = {after.w_max}",
    action: "cwnd + (W_cubic one RTT on - cwnd)/cwnd, at most 1/2, per ACK",
    source: "RFC 9438, section 4.5",
};

static CONVEX_ABC: Rule = Rule {
    action: PER_SEGMENT,
    ..CONVEX
};

static FIRST_LOSS: Rule = Rule {
    branch: "first loss",
    condition: "no W_max since the connection began or a timeout",
    action: "W_max = cwnd, {loss_window} x {beta}",
    source: "RFC 9438, section 4.6",
};

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "cwnd = {cwnd} >= W_max = {w_max}",
    action: "W_max = cwnd, {loss_window} x {beta}",
    source: "RFC 9438, sections 4.6 and 4.7",
};

/// With fast convergence switched off.
static LOSS_BELOW: Rule = Rule {
    branch: "loss below W_max",
    condition: "cwnd = {cwnd} < W_max = {w_max}, no fast convergence",
    action: "W_max = cwnd, {loss_window} x {beta}",
    source: "RFC 9438, sections 4.6 and 4.7",
};

static CONVERGE: Rule = Rule {
    branch: "fast convergence",
    condition: "cwnd = {cwnd} < W_max = {w_max}",
    action: "W_max = {after.w_max}, {loss_window} x {beta}",
    source: "RFC 9438, sections 4.6 and 4.7",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "no W_max, ssthresh = {loss_window} x {beta}, cwnd = 1",
    source: "RFC 9438, section 4.8",
};
