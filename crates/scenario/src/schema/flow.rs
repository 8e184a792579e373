//! Flows, and what UDP flows send.

use serde_json::{Value, json};

use super::form::Form;
use super::range;
use super::usual::Usual;
use super::value::{array, label, number, plain, rate, size, table, time, whole, words};
use crate::controls::Controls;
use crate::flow::{COMMON, COUNT, START, START_KEYS};
use crate::source::{self, EXPONENTIAL_KEYS, KINDS, OFF, ON, PACKET, PARETO_KEYS, SHAPE, STOP};
use crate::topology::DIRECTIONS;
use crate::{Direction, media, relay, tcp};

/// A `[[flow]]`.
pub(super) fn flow(usual: &Usual, controls: &Controls) -> Form {
    let keys: Vec<&str> = COMMON
        .iter()
        .chain(&tcp::KEYS)
        .chain(&[relay::KEY])
        .chain(&source::KEYS)
        .chain(&media::KEYS)
        .copied()
        .collect();
    table(&keys, |key| match key {
        key if tcp::KEYS.contains(&key) => {
            super::tcp::key(key, usual).unless("`[tcp]` says otherwise")
        }
        relay::KEY => label()
            .means("a flow whose deliveries this one sends on, from where that one ends; as many as there are of that one")
            .ranging("the name of a flow")
            .otherwise("none: it has something of its own to send")
            .such_as([json!("media")]),
        key if source::KEYS.contains(&key) => of_udp(key, usual),
        key if media::KEYS.contains(&key) => super::media::key(key, usual),
        key => of_any(key, usual),
    })
    .rule("dependencies", super::rules::of_flow(controls))
    .means("a TCP flow, which has a `control`, a UDP flow, which has a `source`, or a flow of media, which has a `rate_control`")
}

fn of_any(key: &str, usual: &Usual) -> Form {
    match key {
        "name" => label()
            .means("a name for tables, unlike any other flow's")
            .otherwise("the control, or control-recovery where the recovery is not the control's usual one, the kind of source, or the rate control; with `-2`, `-3` ... if that is taken")
            .such_as([json!("long")]),
        "count" => whole(COUNT)
            .means("how many flows of this kind")
            .ranging(format!("{}; all flows together, too", range::of_numbers(&COUNT)))
            .usually(usual.at("/flow/0/count")),
        "start" => time(START)
            .or(start())
            .means("when each starts: a time, or `{ uniform = [from, to] }` for one random draw a flow")
            .ranging("before the end of the run")
            .otherwise("0 s if only one flow has none, or else a random time between 0 and 0.1 s for each")
            .such_as([json!("1 s"), json!({ "uniform": ["0 s", "0.1 s"] })]),
        "direction" => words(&DIRECTIONS, |direction| {
            match direction {
                Direction::Right => "from left to right",
                Direction::Left => "from right to left",
            }
            .to_owned()
        })
        .means("dumbbell only: which way the data goes")
        .usually(usual.at("/flow/0/direction")),
        "from" => end("where it begins: a router of a parking lot, a node of a graph")
            .otherwise("in a parking lot the first router; must be set in a graph")
            .such_as([json!("r1")]),
        "to" => end("where it ends: a router of a parking lot, a node of a graph")
            .otherwise("in a parking lot the last router; must be set in a graph")
            .such_as([json!("r2")]),
        "access" => Form::defined("flow_access"),
        _ => Form::default(),
    }
}

fn end(meaning: &str) -> Form {
    Form::new("string", "").rule("minLength", 1).means(meaning)
}

fn start() -> Form {
    let bound = time(START).means("the earliest or the latest time");
    table(&START_KEYS, |key| match key {
        "uniform" => array(&bound, 2..=2)
            .means("the earliest and the latest time; one random draw a flow")
            .needed()
            .such_as([json!(["0 s", "0.1 s"])]),
        _ => Form::default(),
    })
}

fn of_udp(key: &str, usual: &Usual) -> Form {
    match key {
        "source" => source(usual)
            .means("when packets are sent")
            .needed_or("must be set in a UDP flow"),
        "packet" => size(PACKET)
            .means("size of a packet on the wire")
            .usually(usual.at("/flow/1/packet")),
        "stop" => time(STOP)
            .means("when the flow falls silent")
            .ranging("a time later than its `start`")
            .otherwise("the end of the run")
            .such_as([json!("40 s")]),
        _ => Form::default(),
    }
}

fn source(usual: &Usual) -> Form {
    table(&KINDS, |key| match key {
        "cbr" => rate()
            .means("packets at a constant rate")
            .such_as([json!("1 Mb/s")]),
        "exponential" => bursts(&EXPONENTIAL_KEYS, usual)
            .means("bursts and silences of exponentially distributed length"),
        "pareto" => {
            bursts(&PARETO_KEYS, usual).means("bursts and silences of Pareto-distributed length")
        }
        _ => Form::default(),
    })
    .rule("minProperties", 1)
    .rule("maxProperties", 1)
}

fn bursts(keys: &[&str], usual: &Usual) -> Form {
    table(keys, |key| match key {
        "rate" => rate()
            .means("the rate within a burst")
            .needed()
            .such_as([json!("2 Mb/s")]),
        "on" => time(ON)
            .means("the mean length of a burst")
            .needed()
            .such_as([json!("10 ms")]),
        "off" => time(OFF)
            .means("the mean length of a silence")
            .needed()
            .such_as([json!("10 ms")]),
        "shape" => shape()
            .means("the shape of both distributions")
            .usually(usual.at("/flow/1/source/pareto/shape")),
        _ => Form::default(),
    })
}

fn shape() -> Form {
    let (low, high): (Value, Value) = (plain(*SHAPE.start()), plain(*SHAPE.end()));
    number(&format!("above {low} and up to {high}"))
        .rule("exclusiveMinimum", low)
        .rule("maximum", high)
}
