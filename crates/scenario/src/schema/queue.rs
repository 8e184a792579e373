//! Queues.

use serde_json::json;

use super::form::Form;
use super::range::of_numbers;
use super::rules::{is_table, one_of, open};
use super::usual::Usual;
use super::value::{flag, number, probability, size, table, whole};
use crate::queue::{
    AVERAGE, DISCIPLINES, FILTER_KEYS, KEYS, LIMIT, MEAN_PACKET, RED_KEYS, THRESHOLD, WEIGHT,
};

/// A queue in front of a link.
pub(super) fn queue() -> Form {
    let longest = of_numbers(&LIMIT);
    table(&KEYS, |key| match key {
        "droptail" => whole(LIMIT)
            .means("at most so many packets in the system with the one in transmission")
            .needed_or("this or `red` must be set")
            .such_as([json!(60)]),
        "red" => Form::defined("red"),
        "ack_filter" => Form::defined("ack_filter"),
        _ => Form::default(),
    })
    .rule("if", is_table())
    .rule("then", one_of(&DISCIPLINES))
    .rule("dependencies", json!({ "ack_filter": open(json!({ "required": ["droptail"] })) }))
    .or_word("unlimited")
    .ranging(format!(
        "`{{ droptail = N }}`, at most N packets in the system with the one in transmission, N from {longest}; a table with `red`; or `\"unlimited\"`"
    ))
}

/// Random early detection.
pub(super) fn red(usual: &Usual) -> Form {
    let at = |key: &str| usual.at(&format!("/dumbbell/bottleneck/reverse/queue/red/{key}"));
    let average = || {
        number("an average number of packets, 0 to 10,000,000")
            .rule("minimum", *AVERAGE.start())
            .rule("maximum", *AVERAGE.end())
    };
    table(&RED_KEYS, |key| match key {
        "limit" => whole(LIMIT)
            .means("at most so many packets in the system with the one in transmission")
            .needed()
            .such_as([json!(60)]),
        "min" => average()
            .means("packets are dropped or marked while at least so many wait on average")
            .usually(at(key)),
        "max" => average()
            .means("all are dropped while at least so many wait on average; above `min`")
            .usually(at(key)),
        "weight" => number("above 0 (1e-9) and up to 1")
            .rule("minimum", *WEIGHT.start())
            .rule("maximum", *WEIGHT.end())
            .means("weight of a packet in the average")
            .usually(at(key)),
        "pmax" => probability()
            .means("probability of a drop or mark where the average comes near `max`")
            .usually(at(key)),
        "gentle" => flag()
            .means("the probability rises from `pmax` to 1 between `max` and twice `max`")
            .usually(at(key)),
        "ecn" => flag()
            .means("packets whose transport knows ECN are marked instead of dropped early")
            .usually(at(key)),
        "mean_packet" => size(MEAN_PACKET)
            .means("mean size of a packet, to age the average while the link is idle")
            .usually(at(key)),
        _ => Form::default(),
    })
    .means("random early detection: packets are dropped or marked before the queue is full")
    .otherwise("none")
}

/// ACK filtering.
pub(super) fn ack_filter(usual: &Usual) -> Form {
    let at = |key: &str| usual.at(&format!("/flow/0/access/sender/queue/ack_filter/{key}"));
    table(&FILTER_KEYS, |key| match key {
        "replace_head" => flag()
            .means("an ACK takes the place of the oldest that it removes, and removes those with its own number, too")
            .usually(at(key)),
        "threshold" => whole(THRESHOLD)
            .means("nothing is removed unless more packets than this wait")
            .usually(at(key)),
        _ => Form::default(),
    })
    .or(flag())
    .means("ACKs that a later one of the flow makes useless are removed from the queue; with `droptail`")
    .ranging("`true`, `false`, or a table")
    .usually(false)
}
