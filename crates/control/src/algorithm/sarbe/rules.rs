//! SARBE's rules, for people.

use crate::growth::Growth;
use crate::rule::{self, Rule};

/// The branch that was taken last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    None,
    SlowStart,
    /// Congestion has begun in slow start, and the window is below what the path holds.
    CongestedSlowStart,
    /// Congestion has begun in slow start, and the window has reached what the path holds: slow start
    /// is over.
    CutShort,
    Avoidance,
    Random,
    Congestion,
    Timeout,
}

impl Branch {
    pub(super) fn rule(self, growth: &Growth) -> &'static Rule {
        match self {
            Self::None => &rule::NONE,
            Self::SlowStart => growth.slow_start_rule(),
            Self::CongestedSlowStart => &CONGESTED_SLOW_START,
            Self::CutShort => &CUT_SHORT,
            Self::Avoidance => growth.avoidance_rule(),
            Self::Random => &RANDOM,
            Self::Congestion => &CONGESTION,
            Self::Timeout => &TIMEOUT,
        }
    }
}

static CONGESTED_SLOW_START: Rule = Rule {
    branch: "slow start, congested",
    condition: "congestion since N reached {beta}, cwnd = {cwnd} < {path_window}, what the path holds",
    action: "ssthresh = what the path holds, then slow start",
    source: "Anh and Hong 2005, section 3.2, A",
};

static CUT_SHORT: Rule = Rule {
    branch: "slow start cut short",
    condition: "congestion since N reached {beta}, cwnd = {cwnd} >= {path_window}, what the path holds",
    action: "ssthresh = what the path holds, then congestion avoidance",
    source: "Anh and Hong 2005, section 3.2, A",
};

static RANDOM: Rule = Rule {
    branch: "random loss",
    condition: "no congestion: N = {backlog}, has not reached {beta} since it was {alpha} or less",
    action: "ssthresh = bwe x RTTmin / {payload} = {path_window}, cwnd stays",
    source: "Anh and Hong 2005, section 3.2, A",
};

static CONGESTION: Rule = Rule {
    branch: "congestion",
    condition: "congestion: N = {backlog}, has not fallen to {alpha} since it reached {beta}",
    action: "ssthresh = bwe x RTTmin / {payload} = {path_window}, cwnd at most that",
    source: "Anh and Hong 2005, section 3.2, A",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = bwe x RTTmin / {payload} = {path_window}, cwnd = 1",
    source: "Anh and Hong 2005, section 3.2, B",
};
