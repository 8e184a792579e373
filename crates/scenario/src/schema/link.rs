//! Links: rate, delay, queue, loss, and the other direction.

use serde_json::json;

use super::form::Form;
use super::queue::queue;
use super::range;
use super::rules::{is_table, one_of};
use super::usual::Usual;
use super::value::{array, flag, label, name, probability, rate, table, time, whole, words};
use crate::link::{self, DELAY, LINK_KEYS};
use crate::loss::{self, GILBERT_ELLIOTT_KEYS, MODELS, PERIOD, SCOPES, TWO_STATE_KEYS};
use crate::{LossScope, Opportunities, graph, names, rate as recorded};

/// A bottleneck or a hop.
pub(super) fn complete(usual: &Usual) -> Form {
    table(&LINK_KEYS, |key| match key {
        "queue" => queue()
            .means("the queue in front of each direction")
            .needed()
            .such_as([
                json!({ "droptail": 60 }),
                json!("unlimited"),
                json!({ "red": { "limit": 60 } }),
            ]),
        _ => either_way(key, usual),
    })
}

/// A link of a graph.
pub(super) fn of_graph(usual: &Usual) -> Form {
    table(&graph::LINK_KEYS, |key| match key {
        "from" => end("the node at its first end", "r1"),
        "to" => end("the node at its other end", "r2"),
        "name" => label()
            .means("a name for people and tables, unlike any other link's")
            .otherwise("the ends, `\"a-b\"`; `\"a-b-2\"` if that is taken")
            .such_as([json!("downlink")]),
        "queue" => queue()
            .means("the queue in front of each direction")
            .usually("unlimited"),
        "reverse" => reverse(usual)
            .or_word("none")
            .means("a table as for a link, or `\"none\"` for a link that leads one way only")
            .ranging("")
            .otherwise("as the first direction, but no loss"),
        _ => either_way(key, usual),
    })
}

fn end(meaning: &str, example: &str) -> Form {
    name(names::NODE)
        .means(meaning)
        .needed()
        .such_as([json!(example)])
}

/// The keys that every link has.
fn either_way(key: &str, usual: &Usual) -> Form {
    match key {
        "rate" => any_rate("rate of each direction").needed().such_as([
            json!("2 Mb/s"),
            json!("1 Gb/s"),
            times(),
        ]),
        "delay" => time(DELAY)
            .means("propagation delay of each direction")
            .needed()
            .such_as([json!("10 ms")]),
        "loss" => loss(usual).means("random loss behind the queue, of the first direction only"),
        "aqt" => flag()
            .means("whether the routers at both ends add to packets how long they wait")
            .otherwise("as `aqt` of the topology says"),
        "reverse" => Form::defined("reverse"),
        _ => Form::default(),
    }
}

/// The rate of a link: a quantity, or opportunities.
pub(super) fn any_rate(meaning: &str) -> Form {
    let times = 0..=Opportunities::LONGEST;
    let one = whole(times.clone());
    table(&recorded::KEYS, |key| match key {
        "opportunities" => array(&one, 1..=Opportunities::MOST)
            .means("when the link may deliver 1500 bytes, in milliseconds; at the last time all starts over")
            .ranging(format!("1 to {} whole numbers that do not go back, each {}", range::number(Opportunities::MOST as u64), range::of_numbers(&times)))
            .needed_or("this or `trace` must be set")
            .such_as([json!([6, 12, 18])]),
        "trace" => Form::new("string", "the name of a file, as seen from the scenario's folder")
            .rule("minLength", 1)
            .means("the same from a packet-delivery trace of Mahimahi, a time a line")
            .needed_or("this or `opportunities` must be set"),
        _ => Form::default(),
    })
    .rule("if", is_table())
    .rule("then", one_of(&recorded::KEYS))
    .or(rate())
    .means(meaning)
    .ranging(format!("{}, or a table with `opportunities` or `trace`", rate().range()))
}

/// An example of opportunities.
fn times() -> serde_json::Value {
    json!({ "opportunities": [6, 12, 18] })
}

/// Overrides for the other direction of a link.
pub(super) fn reverse(usual: &Usual) -> Form {
    table(&link::REVERSE_KEYS, |key| match key {
        "rate" => any_rate("rate of the other direction")
            .otherwise("as the first direction's")
            .such_as([json!("1 Mb/s")]),
        "delay" => time(DELAY)
            .means("propagation delay of the other direction")
            .otherwise("as the first direction's")
            .such_as([json!("10 ms")]),
        "queue" => queue()
            .means("the queue of the other direction")
            .otherwise("as the first direction's")
            .such_as([json!({ "droptail": 10 })]),
        "loss" => loss(usual).means("random loss behind the queue of the other direction"),
        "aqt" => flag()
            .means("whether the router at the other end adds to packets how long they wait")
            .otherwise("as the first direction"),
        _ => Form::default(),
    })
    .means(
        "a table that overrides `rate`, `delay`, `queue`, `loss` or `aqt` of the other direction",
    )
    .otherwise("as the first direction, but no loss")
}

/// Loss on one direction of a link.
pub(super) fn loss(usual: &Usual) -> Form {
    table(&loss::KEYS, |key| match key {
        "bernoulli" => probability()
            .means("each packet is lost with probability p")
            .such_as([json!(0.01)]),
        "geometric" => probability()
            .means("the same law as `bernoulli`, drawn as the gap to the next loss")
            .such_as([json!(0.01)]),
        "two_state" => Form::defined("two_state"),
        "gilbert_elliott" => Form::defined("gilbert_elliott"),
        "on" => words(&SCOPES, |scope| {
            match scope {
                LossScope::Data => "segments with payload and datagrams",
                LossScope::All => "ACKs too",
            }
            .to_owned()
        })
        .means("which packets it acts on")
        .usually(usual.at("/dumbbell/bottleneck/loss/on")),
        _ => Form::default(),
    })
    .rule("if", is_table())
    .rule("then", one_of(&MODELS))
    .or_word("none")
    .ranging("a table with one of the models `bernoulli`, `geometric`, `two_state` and `gilbert_elliott`, or `\"none\"`")
    .usually(usual.at("/dumbbell/bottleneck/reverse/loss"))
}

/// Loss with good and bad periods.
pub(super) fn two_state() -> Form {
    let chance = |meaning: &str, example: f64| {
        probability()
            .means(meaning)
            .needed()
            .such_as([json!(example)])
    };
    let period = |meaning: &str, example: &str| {
        time(PERIOD)
            .means(meaning)
            .needed()
            .such_as([json!(example)])
    };
    table(&TWO_STATE_KEYS, |key| match key {
        "good" => chance("probability of a loss in a good period", 0.00001),
        "good_period" => period("length of a good period", "8 s"),
        "bad" => chance("probability of a loss in a bad period", 0.1),
        "bad_period" => period("length of a bad period", "4 s"),
        "switch" => chance(
            "probability that the state changes at the end of a period",
            0.95,
        ),
        _ => Form::default(),
    })
    .means("good and bad periods of fixed length, beginning with a good one; at the end of a period the state changes with probability `switch`, or else another period of the same kind follows")
}

/// Loss with good and bad states.
pub(super) fn gilbert_elliott(usual: &Usual) -> Form {
    let change = |meaning: &str, example: f64| {
        probability()
            .means(meaning)
            .needed()
            .such_as([json!(example)])
    };
    let at = |key: &str| usual.at(&format!("/dumbbell/bottleneck/loss/gilbert_elliott/{key}"));
    table(&GILBERT_ELLIOTT_KEYS, |key| match key {
        "to_bad" => change(
            "probability of a change from good to bad at a packet",
            0.002,
        ),
        "to_good" => change("probability of a change from bad to good at a packet", 0.2),
        "good" => probability()
            .means("probability of a loss in the good state")
            .usually(at("good")),
        "bad" => probability()
            .means("probability of a loss in the bad state")
            .usually(at("bad")),
        _ => Form::default(),
    })
    .means("a Markov chain that begins in the good state")
}
