//! VenoDB's rules, for people.
//!
//! Where a sign decides, its word is within the rule's tolerance: a delay that rises by half a
//! microsecond is steady.

use crate::rule::Rule;

/// The condition of a state: what it is told by, and what else must hold.
macro_rules! saturated {
    ($rest:literal) => {
        concat!(
            "N = {backlog} >= {beta}, D = {relative_delay:+} (delay {delay_trend}), ",
            "bwe = {bwe} ({after.bwe_trend})",
            $rest
        )
    };
}

pub(super) static FREE_EASING: Rule = Rule {
    branch: "unsaturated, easing",
    condition: "N = {backlog} < {beta} and dD < 0",
    action: "cwnd + {gain_free_easing:/4} per round",
    source: "VenoDB, section 3.1 D",
};

pub(super) static FREE: Rule = Rule {
    branch: "unsaturated",
    condition: "N = {backlog} < {beta} and dD >= 0",
    action: "cwnd + {gain_free:/4} per round",
    source: "VenoDB, section 3.1 D",
};

/// Decreasing congestion: D < 0 or bwe rises, in the printed order.
pub(super) static S1: Rule = Rule {
    branch: "S1",
    condition: saturated!(""),
    action: "cwnd + {gain_s1:/4} per round",
    source: "VenoDB, section 3.1 D",
};

/// Stable: D = 0 or bwe is equal.
pub(super) static S2_EASING: Rule = Rule {
    branch: "S2, easing",
    condition: saturated!(", dD < 0"),
    action: "cwnd + {gain_s2_easing:/4} per round",
    source: "VenoDB, section 3.1 D",
};

pub(super) static S2: Rule = Rule {
    branch: "S2",
    condition: saturated!(", dD >= 0"),
    action: "cwnd + {gain_s2:/4} per round",
    source: "VenoDB, section 3.1 D",
};

/// Increasing congestion: D > 0 or bwe falls.
pub(super) static S3_EASING: Rule = Rule {
    branch: "S3, easing",
    condition: saturated!(", dD <= 0"),
    action: "cwnd + {gain_s3_easing:/4} per round",
    source: "VenoDB, section 3.1 D",
};

pub(super) static S3: Rule = Rule {
    branch: "S3",
    condition: saturated!(", dD > 0"),
    action: "cwnd + {gain_s3:/4} per round",
    source: "VenoDB, section 3.1 D",
};

/// `precedence` = literal.
pub(super) static OVERLAP: Rule = Rule {
    branch: "all that match",
    condition: saturated!(""),
    action: "cwnd + the sum of their gains",
    source: "VenoDB, section 3.1 D",
};

pub(super) static RANDOM: Rule = Rule {
    branch: "random loss",
    condition: "N = {backlog} < {beta}",
    action: "{loss_window} x {factor_random}",
    source: "VenoDB, section 3.1 D",
};

pub(super) static EASING: Rule = Rule {
    branch: "easing congestion",
    condition: "N = {backlog} >= {beta} and D = {relative_delay:+} (delay falling)",
    action: "{loss_window} x {factor_easing}",
    source: "VenoDB, section 3.1 D",
};

pub(super) static CONGESTION: Rule = Rule {
    branch: "congestion",
    condition: "N = {backlog} >= {beta} and D = {relative_delay:+} (delay {delay_trend})",
    action: "{loss_window} x {factor_congestion}",
    source: "VenoDB, section 3.1 D",
};

/// VenoDB changes nothing of what Veno does.
pub(super) static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x {factor_congestion}, cwnd = 1",
    source: "Fu and Liew 2003, section II (Zhang et al., fig. 1)",
};
