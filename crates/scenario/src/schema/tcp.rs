//! The keys of TCP flows, and of `[tcp]`.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::form::Form;
use super::range;
use super::usual::Usual;
use super::value::{array, flag, size, table, time, whole, words};
use crate::controls::Controls;
use crate::quantity::Measure;
use crate::tcp::{
    ACK, ACK_CONTROL_KEYS, ACK_FACTOR, AMOUNT, DELAYED_ACK, GRANULARITY, HEADER, INITIAL_WINDOW,
    KEYS, PAYLOAD, PROBE_EVERY, RECEIVER_WINDOW, RTO, SSTHRESH, TICK, TIMESTAMPS_KEYS,
    USUAL_ACK_CONTROL, USUAL_DELACK,
};
use crate::tcp_values::classifiers;

/// `[tcp]`.
pub(super) fn defaults(usual: &Usual, controls: &Controls) -> Form {
    table(&KEYS, |key| self::key(key, usual))
        .rule("dependencies", super::rules::of_defaults(controls))
        .means("defaults for every TCP flow of the file")
}

/// A key of a TCP flow.
pub(super) fn key(key: &str, usual: &Usual) -> Form {
    let at = || usual.at(&format!("/flow/0/{key}"));
    match key {
        "control" | "recovery" => Form::defined(key),
        "payload" => size(PAYLOAD)
            .means("payload of a full segment; with its header and stamps at most 65,535 B")
            .usually(at()),
        "header" => size(HEADER)
            .means("header of a data segment, without the timestamps option")
            .usually(at()),
        "ack" => size(ACK)
            .means("an ACK on the wire, without the timestamps option")
            .usually(at()),
        "size" => amount(at()),
        "initial_window" => whole(INITIAL_WINDOW)
            .or_word("rfc3390")
            .means("a number of segments, or `\"rfc3390\"` for min(4 payloads, max(2 payloads, 4380 B))")
            .ranging(range::of_numbers(&INITIAL_WINDOW))
            .usually(at())
            .such_as([json!(10), json!("rfc3390")]),
        "min_rto" => time(RTO)
            .means("least retransmission timeout, up to `max_rto`")
            .usually(at()),
        "initial_rto" => time(RTO)
            .means("the timeout before the first sample, up to `max_rto`")
            .usually(at()),
        "max_rto" => time(RTO)
            .means("largest timeout, backoff included")
            .usually(at()),
        "rto_tick" => time(TICK)
            .or_word("none")
            .means("the clock tick of the timer, as in ns-2")
            .usually(at())
            .such_as([json!("10 ms")]),
        "handshake" => flag()
            .means("open with an exchange of empty segments")
            .usually(at()),
        "limited_transmit" => flag()
            .means("a new segment on each of the first two duplicate ACKs (RFC 3042)")
            .usually(at()),
        "delayed_ack" => flag()
            .or(time(DELAYED_ACK))
            .means(format!(
                "how long the receiver waits for a second segment; `true` is `\"{}\"`, `false` an ACK for every segment",
                Measure::Time.show(USUAL_DELACK.as_nanos())
            ))
            .ranging(range::of_times(&DELAYED_ACK))
            .usually(at())
            .such_as([json!("200 ms")]),
        "timestamps" => timestamps(at()),
        "receiver_window" => limit(RECEIVER_WINDOW)
            .means("what the receiver has room for")
            .usually(at())
            .such_as([json!(64)]),
        "ssthresh" => limit(SSTHRESH)
            .means("initial slow-start threshold")
            .usually(at())
            .such_as([json!(32)]),
        "ecn" => flag()
            .means("explicit congestion notification (RFC 3168): routers may mark data instead of dropping it")
            .usually(at()),
        "probe_every" => whole(PROBE_EVERY)
            .or_word("none")
            .means("every so many data segments, one asks AQT routers how long it waits, with 12 more bytes, and so does its ACK; `1` for a control that needs it")
            .ranging(format!("segments, {}, or `\"none\"`", range::of_numbers(&PROBE_EVERY)))
            .usually(at())
            .such_as([json!(1)]),
        "ack_control" => ack_control(at()),
        "adaptation" => flag()
            .means("count what an ACK covers, send at most 4 segments at once and pace what exceeds them; `true` where there is `ack_control`")
            .usually(at()),
        "classify" => classify(at()),
        _ => Form::default(),
    }
}

fn classify(usual: Value) -> Form {
    let known = classifiers();
    let name = words(&known, |config| config.summary().to_owned()).means("a classifier");
    array(&name, 0..=known.len())
        .rule("uniqueItems", true)
        .means("classifiers of losses that run beside the control, and are judged by what the simulator knows of each loss")
        .ranging("names, see below")
        .usually(usual)
        .such_as([json!(["veno", "lded"])])
}

fn ack_control(usual: Value) -> Form {
    table(&ACK_CONTROL_KEYS, |key| match key {
        "max" => whole(ACK_FACTOR)
            .means("the most segments that wait for an ACK")
            .usually(json!(USUAL_ACK_CONTROL.max)),
        "timer" => time(DELAYED_ACK)
            .means("how long one waits at most")
            .usually(json!(Measure::Time.show(USUAL_ACK_CONTROL.timer.as_nanos()))),
        _ => Form::default(),
    })
    .or(flag())
    .means("ACK congestion control (Balakrishnan and others 1997): routers may mark ACKs, and then fewer are sent; not beside `delayed_ack`")
    .ranging("`true`, `false` or a table")
    .usually(usual)
    .such_as([json!(true), json!({ "max": 8 })])
}

fn amount(usual: Value) -> Form {
    let most = range::number(*AMOUNT.end());
    size(AMOUNT)
        .or(Form::text(r"0*[1-9][0-9]*\s*segments?", ""))
        .or_word("unlimited")
        .means("what there is to send: bytes of payload, a number of segments such as `\"500 segments\"`, or `\"unlimited\"`")
        .ranging(format!("up to {most}"))
        .usually(usual)
        .such_as([json!("20 kB"), json!("500 segments")])
}

fn timestamps(usual: Value) -> Form {
    let words = range::of_times(&GRANULARITY);
    table(&TIMESTAMPS_KEYS, |key| match key {
        "granularity" => time(GRANULARITY)
            .means("the tick of the clock")
            .needed()
            .such_as([json!("1 ms")]),
        _ => Form::default(),
    })
    .or_word("exact")
    .means("`\"exact\"` stamps that take no bytes, or `{ granularity = \"1 ms\" }`, the 12 bytes of RFC 7323 with a clock of this tick")
    .ranging(words)
    .usually(usual)
    .such_as([json!({ "granularity": "1 ms" })])
}

/// A number of segments, or no limit.
fn limit(range: RangeInclusive<u64>) -> Form {
    let words = format!(
        "segments, {}, or `\"unlimited\"`",
        range::of_numbers(&range)
    );
    whole(range).or_word("unlimited").ranging(words)
}
