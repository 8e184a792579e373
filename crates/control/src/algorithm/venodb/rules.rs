//! The rules of VenoDB and Veno+, for people.
//!
//! The words for signs use the tolerance of the rules: a delay that rises by half a microsecond is
//! called steady.

use crate::growth::{Growth, Step};
use crate::rule::{self, Rule};

/// The branch that was taken last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::algorithm) enum Branch {
    None,
    SlowStart,
    FreeEasing,
    Free,
    /// Decreasing congestion: D < 0 or the bandwidth rises, in the printed order.
    S1,
    /// Stable: D = 0 or the bandwidth is equal.
    S2Easing,
    S2,
    /// Increasing congestion: D > 0 or the bandwidth falls.
    S3Easing,
    S3,
    /// `precedence` = literal.
    Overlap,
    Random,
    Easing,
    Congestion,
    Timeout,
}

impl Branch {
    pub(super) fn rule(self, book: &'static Book, growth: &Growth) -> &'static Rule {
        match self {
            Self::None => &rule::NONE,
            Self::SlowStart => growth.slow_start_rule(),
            Self::FreeEasing => &book.free_easing,
            Self::Free => &book.free,
            Self::S1 => &book.s1,
            Self::S2Easing => &book.s2_easing,
            Self::S2 => &book.s2,
            Self::S3Easing => &book.s3_easing,
            Self::S3 => &book.s3,
            Self::Overlap => &book.overlap,
            Self::Random => &book.random,
            Self::Easing => &book.easing,
            Self::Congestion => &book.congestion,
            Self::Timeout if growth.step() == Step::RepeatedTimeout => &rule::REPEATED_TIMEOUT,
            Self::Timeout => &TIMEOUT,
        }
    }
}

/// A rule for each branch of the table.
pub(in crate::algorithm) struct Book {
    free_easing: Rule,
    free: Rule,
    s1: Rule,
    s2_easing: Rule,
    s2: Rule,
    s3_easing: Rule,
    s3: Rule,
    overlap: Rule,
    random: Rule,
    easing: Rule,
    congestion: Rule,
}

/// The condition of a state: the values that select it, and a further condition.
macro_rules! saturated {
    ($bandwidth:literal, $rest:literal) => {
        concat!(
            "N = {backlog} >= {beta}, D = {relative_delay:+} (delay {delay_trend}), ",
            $bandwidth,
            " = {bwe} ({after.bwe_trend})",
            $rest
        )
    };
}

/// The table's rules, from the name of the bandwidth and the source.
macro_rules! book {
    ($bandwidth:literal, $source:literal) => {
        Book {
            free_easing: Rule {
                branch: "unsaturated, easing",
                condition: "N = {backlog} < {beta} and dD < 0",
                action: "cwnd + {gain_free_easing:/4} per round",
                source: $source,
            },
            free: Rule {
                branch: "unsaturated",
                condition: "N = {backlog} < {beta} and dD >= 0",
                action: "cwnd + {gain_free:/4} per round",
                source: $source,
            },
            s1: Rule {
                branch: "S1",
                condition: saturated!($bandwidth, ""),
                action: "cwnd + {gain_s1:/4} per round",
                source: $source,
            },
            s2_easing: Rule {
                branch: "S2, easing",
                condition: saturated!($bandwidth, ", dD < 0"),
                action: "cwnd + {gain_s2_easing:/4} per round",
                source: $source,
            },
            s2: Rule {
                branch: "S2",
                condition: saturated!($bandwidth, ", dD >= 0"),
                action: "cwnd + {gain_s2:/4} per round",
                source: $source,
            },
            s3_easing: Rule {
                branch: "S3, easing",
                condition: saturated!($bandwidth, ", dD <= 0"),
                action: "cwnd + {gain_s3_easing:/4} per round",
                source: $source,
            },
            s3: Rule {
                branch: "S3",
                condition: saturated!($bandwidth, ", dD > 0"),
                action: "cwnd + {gain_s3:/4} per round",
                source: $source,
            },
            overlap: Rule {
                branch: "all that match",
                condition: saturated!($bandwidth, ""),
                action: "cwnd + the sum of their gains",
                source: $source,
            },
            random: Rule {
                branch: "random loss",
                condition: "N = {backlog} < {beta}",
                action: "{loss_window} x {factor_random}",
                source: $source,
            },
            easing: Rule {
                branch: "easing congestion",
                condition: "N = {backlog} >= {beta} and D = {relative_delay:+} (delay falling)",
                action: "{loss_window} x {factor_easing}",
                source: $source,
            },
            congestion: Rule {
                branch: "congestion",
                condition: "N = {backlog} >= {beta} and D = {relative_delay:+} (delay {delay_trend})",
                action: "{loss_window} x {factor_congestion}",
                source: $source,
            },
        }
    };
}

pub(in crate::algorithm) static VENODB: Book = book!("bwe", "VenoDB, section 3.1 D");

pub(in crate::algorithm) static VENO_PLUS: Book =
    book!("Th", "reconstruction after VenoDB, section 2.2");

/// VenoDB and Veno+ handle a timeout exactly as Veno does.
static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x {factor_congestion}, cwnd = 1",
    source: "Fu and Liew 2003, section II (Zhang et al., fig. 1)",
};
