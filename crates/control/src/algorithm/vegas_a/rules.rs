//! The rules of Vegas-A and Vegas-A+ in congestion avoidance, for people. All others are Vegas'.

use crate::rule::Rule;

/// One rule for each line of the table.
pub struct Book {
    pub(in crate::algorithm) probe: Rule,
    pub(in crate::algorithm) keep: Rule,
    pub(in crate::algorithm) raise: Rule,
    pub(in crate::algorithm) raise_rising: Rule,
    pub(in crate::algorithm) lower_falling: Rule,
    pub(in crate::algorithm) keep_below: Rule,
    pub(in crate::algorithm) lower: Rule,
    pub(in crate::algorithm) retreat: Rule,
}

/// The table's rules, from the text of the signals that are compared and the source.
macro_rules! book {
    ($signals:literal, $source:literal) => {
        Book {
            probe: Rule {
                branch: "enough, rising",
                condition: concat!(
                    "diff = {after.diff}, within {after.alpha} and {after.beta}, ",
                    $signals
                ),
                action: "cwnd + 1 over a round, alpha and beta + 1",
                source: $source,
            },
            keep: Rule {
                branch: "enough waits",
                condition: concat!(
                    "diff = {after.diff}, within {after.alpha} and {after.beta}, ",
                    $signals
                ),
                action: "cwnd stays for a round",
                source: $source,
            },
            raise: Rule {
                branch: "too little waits",
                condition: "diff = {after.diff} < {after.alpha}, the first alpha",
                action: "cwnd + 1 over a round",
                source: $source,
            },
            raise_rising: Rule {
                branch: "too little, rising",
                condition: concat!("diff = {after.diff} < {after.alpha}, ", $signals),
                action: "cwnd + 1 over a round",
                source: $source,
            },
            lower_falling: Rule {
                branch: "too little, falling",
                condition: concat!("diff = {after.diff} < {after.alpha}, ", $signals),
                action: "cwnd, alpha and beta - 1, then cwnd stays for a round",
                source: $source,
            },
            keep_below: Rule {
                branch: "too little, steady",
                condition: concat!("diff = {after.diff} < {after.alpha}, ", $signals),
                action: "cwnd stays for a round",
                source: $source,
            },
            lower: Rule {
                branch: "too much waits",
                condition: "diff = {after.diff} > {after.beta}, the first beta",
                action: "cwnd - 1, then stays for a round",
                source: $source,
            },
            retreat: Rule {
                branch: "too much, retreat",
                condition: "diff = {after.diff} > {after.beta}",
                action: "cwnd, alpha and beta - 1, then cwnd stays for a round",
                source: $source,
            },
        }
    };
}

pub(in crate::algorithm) static VEGAS_A: Book = book!(
    "Th {after.throughput_trend}",
    "Srijith, Jacob and Ananda 2005, as far as known (VenoDB, section 2.2)"
);

pub(in crate::algorithm) static VEGAS_A_PLUS: Book = book!(
    "Th {after.throughput_trend}, D = {after.relative_delay:+} (delay {after.delay_trend})",
    "reconstruction after VenoDB, section 2.2"
);
