//! Veno's rules, for people.

use super::Branch;
use crate::growth::{Growth, Step};
use crate::rule::{self, Rule};

impl Branch {
    pub(super) fn rule(self, growth: &Growth) -> &'static Rule {
        match self {
            Self::None => &rule::NONE,
            Self::SlowStart => growth.slow_start_rule(),
            Self::Free => growth.by_counting(&FREE, &FREE_ABC),
            Self::BusyGrow | Self::BusyHold => growth.by_counting(&BUSY, &BUSY_ABC),
            Self::BusyHalf => growth.by_counting(&BUSY_HALF, &BUSY_HALF_ABC),
            Self::Random => &RANDOM,
            Self::Congestion => &CONGESTION,
            Self::Timeout if growth.step() == Step::RepeatedTimeout => &rule::REPEATED_TIMEOUT,
            Self::Timeout => &TIMEOUT,
        }
    }
}

const GROWTH: &str = "Fu and Liew 2003, section II (Zhang et al., fig. 2)";

pub(in crate::algorithm) static FREE: Rule = Rule {
    branch: "underutilised",
    condition: "N = {backlog} < {beta}",
    action: "cwnd + 1/cwnd per ACK",
    source: GROWTH,
};

pub(in crate::algorithm) static FREE_ABC: Rule = Rule {
    action: "cwnd + 1 once cwnd is acknowledged",
    ..FREE
};

pub(in crate::algorithm) static BUSY: Rule = Rule {
    branch: "fully utilised",
    condition: "N = {backlog} >= {beta}",
    action: "cwnd + 1/cwnd every other ACK",
    source: GROWTH,
};

pub(in crate::algorithm) static BUSY_ABC: Rule = Rule {
    action: "cwnd + 1 once every other ACK has acknowledged cwnd",
    ..BUSY
};

/// `busy_growth` = half.
pub(in crate::algorithm) static BUSY_HALF: Rule = Rule {
    action: "cwnd + 1/(2 cwnd) per ACK",
    ..BUSY
};

pub(in crate::algorithm) static BUSY_HALF_ABC: Rule = Rule {
    action: "cwnd + 1 once 2 cwnd are acknowledged",
    ..BUSY
};

pub(in crate::algorithm) static RANDOM: Rule = Rule {
    branch: "random loss",
    condition: "N = {backlog} < {beta}",
    action: "{loss_window} x {factor_random}",
    source: "Fu and Liew 2003, section II (Zhang et al., fig. 1)",
};

pub(in crate::algorithm) static CONGESTION: Rule = Rule {
    branch: "congestion",
    condition: "N = {backlog} >= {beta}",
    action: "{loss_window} x {factor_congestion}",
    source: "Fu and Liew 2003, section II (Zhang et al., fig. 1)",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x {factor_congestion}, cwnd = 1",
    source: "Fu and Liew 2003, section II (Zhang et al., fig. 1)",
};
