//! Vegas' rules, for people.

use crate::rule::{self, Rule};

/// How Vegas handled a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LossRule {
    None,
    First,
    Again,
    Old,
    Timeout,
    RepeatedTimeout,
}

impl LossRule {
    pub(super) fn rule(self) -> Option<&'static Rule> {
        match self {
            Self::None => None,
            Self::First => Some(&FIRST),
            Self::Again => Some(&AGAIN),
            Self::Old => Some(&OLD),
            Self::Timeout => Some(&TIMEOUT),
            Self::RepeatedTimeout => Some(&REPEATED_TIMEOUT),
        }
    }
}

/// The position of a round's rule in the list of the rules of Vegas and RoVegas.
pub(super) fn number(verdict: &Rule) -> u64 {
    let rules = [
        &START,
        &PAUSE,
        &SLOW_START,
        &STOP,
        &EXIT,
        &VEGAS.decrease,
        &VEGAS.increase,
        &VEGAS.hold,
    ];
    let place = rules
        .iter()
        .position(|rule| rule.branch == verdict.branch)
        .unwrap_or(rules.len());
    place as u64
}

pub(super) static START: Rule = Rule {
    branch: "slow start begins",
    condition: "nothing is measured yet",
    action: "cwnd + 1 per ACK until a round ends",
    source: "RFC 5681, section 3.1",
};

pub(super) static START_ABC: Rule = Rule {
    action: "cwnd + what an ACK covers, at most {abc_limit}, until a round ends",
    ..START
};

pub(super) static PAUSE: Rule = Rule {
    branch: "slow start paused",
    condition: "slow start grows every other round",
    action: "cwnd stays for a round",
    source: "Brakmo and Peterson 1995, section 3.3",
};

pub(super) static SLOW_START: Rule = Rule {
    branch: "slow start",
    condition: "diff = {after.diff} <= {gamma}",
    action: "cwnd + 1 per ACK for a round",
    source: "Brakmo and Peterson 1995, section 3.3",
};

pub(super) static SLOW_START_ABC: Rule = Rule {
    action: "cwnd + what an ACK covers, at most {abc_limit}, for a round",
    ..SLOW_START
};

/// Within a round, slow start ends because the window has reached the threshold.
pub(super) static STOP: Rule = Rule {
    branch: "slow start stops",
    condition: "cwnd = {cwnd} >= ssthresh = {ssthresh}",
    action: "cwnd stays until the round ends",
    source: "RFC 5681, section 3.1",
};

pub(super) static EXIT: Rule = Rule {
    branch: "slow start ends",
    condition: "diff = {after.diff} > {gamma}",
    action: "ssthresh = {min_ssthresh}, cwnd x {factor_exit}, then stays for a round",
    source: "Brakmo and Peterson 1995, section 3.3",
};

/// The rules of congestion avoidance.
pub struct Book {
    pub(super) decrease: Rule,
    pub(super) increase: Rule,
    pub(super) hold: Rule,
}

pub(super) static VEGAS: Book = Book {
    decrease: Rule {
        branch: "too much waits",
        condition: "diff = {after.diff} > {beta}",
        action: "cwnd - 1, then stays for a round",
        source: "Brakmo and Peterson 1995, section 3.2",
    },
    increase: Rule {
        branch: "too little waits",
        condition: "diff = {after.diff} < {alpha}",
        action: "cwnd + 1 over a round",
        source: "Brakmo and Peterson 1995, section 3.2",
    },
    hold: Rule {
        branch: "enough waits",
        condition: "diff = {after.diff}, within {alpha} and {beta}",
        action: "cwnd stays for a round",
        source: "Brakmo and Peterson 1995, section 3.2",
    },
};

/// The rules of RoVegas: the same for the forward path alone.
pub(in crate::algorithm) static ROVEGAS: Book = Book {
    decrease: Rule {
        branch: "too much waits",
        condition: "diff = {after.diff} > {beta} without the wait of ACKs, {after.ack_wait}",
        action: "cwnd - 1, then stays for a round",
        source: "RoVegas, section 3, eq. 2 and 3",
    },
    increase: Rule {
        branch: "too little waits",
        condition: "diff = {after.diff} < {alpha} without the wait of ACKs, {after.ack_wait}",
        action: "cwnd + 1 over a round",
        source: "RoVegas, section 3, eq. 2 and 3",
    },
    hold: Rule {
        branch: "enough waits",
        condition: "diff = {after.diff}, within {alpha} and {beta}, without the wait of ACKs, {after.ack_wait}",
        action: "cwnd stays for a round",
        source: "RoVegas, section 3, eq. 2 and 3",
    },
};

pub(super) static FIRST: Rule = Rule {
    branch: "first loss",
    condition: "the segment was sent once, after the last cut",
    action: "{loss_window} x {factor_first}",
    source: "Brakmo and Peterson 1995, section 3.1",
};

pub(super) static AGAIN: Rule = Rule {
    branch: "loss of a retransmission",
    condition: "the segment was sent {transmissions} times, last after the last cut",
    action: "{loss_window} x {factor_again}",
    source: "Brakmo and Peterson 1995, section 3.1",
};

pub(super) static OLD: Rule = Rule {
    branch: "loss before the cut",
    condition: "the segment was sent before the last cut",
    action: "cwnd stays",
    source: "Brakmo and Peterson 1995, section 3.1",
};

pub(super) static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x {factor_timeout}, cwnd = {timeout_cwnd}",
    source: "RFC 5681, section 3.1; cwnd as ns-2",
};

pub(super) static REPEATED_TIMEOUT: Rule = Rule {
    action: "cwnd = {timeout_cwnd}, ssthresh stays",
    ..rule::REPEATED_TIMEOUT
};
