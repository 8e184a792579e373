//! Scenario files as a JSON Schema, for editors that complete and check TOML.
//!
//! Keys, ranges, words and units are the reader's own; the controls, their parameters and the
//! recoveries come from the registry; defaults from a file that leaves out what it can. The
//! dialect is draft-07, the newest one that Taplo knows. What no schema can say (names that
//! differ, links that lead somewhere, upper bounds of quantities) the reader alone finds.

mod access;
mod control;
mod flow;
mod form;
mod link;
mod media;
mod network;
mod probe;
mod queue;
mod range;
mod rules;
mod tcp;
mod usual;
mod value;

use serde_json::{Value, json};

use super::flow::MOST_FLOWS;
use super::{DURATION, KEYS, SEED};
use crate::controls::Controls;
use access::Of;
use form::Form;
use usual::Usual;
use value::{label, time, whole};

/// The schema of scenario files in which these controls can be named.
pub fn of(controls: &Controls) -> Value {
    let usual = Usual::read();
    let mut schema = value::table(&KEYS, |key| top(key, &usual, controls))
        .means("a scenario of Dumbbell: a network, its flows, and how long they run")
        .schema();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.insert(
            "$schema".to_owned(),
            json!("http://json-schema.org/draft-07/schema#"),
        );
        keywords.insert("title".to_owned(), json!("Dumbbell scenario"));
        keywords.insert("definitions".to_owned(), definitions(&usual, controls));
        keywords.extend(rules::of_scenario());
    }
    schema
}

/// The keys of a file.
fn top(key: &str, usual: &Usual, controls: &Controls) -> Form {
    let one = "one of the three topologies must be set";
    match key {
        "dumbbell" => network::dumbbell(usual).needed_or(one),
        "parking_lot" => network::parking_lot(usual).needed_or(one),
        "graph" => network::graph(usual).needed_or(one),
        "tcp" => tcp::defaults(usual, controls).otherwise("none"),
        "flow" => value::array(&flow::flow(usual, controls), 1..=MOST_FLOWS as usize)
            .means("the flows, each a table `[[flow]]`")
            .ranging("at least one")
            .needed(),
        "variation" => probe::variation(usual).otherwise("they do not"),
        "probe" => probe::probe(usual).otherwise("everything, ten times a second"),
        _ => head(key, usual),
    }
}

/// `name`, `description`, `duration` and `seed`.
fn head(key: &str, usual: &Usual) -> Form {
    match key {
        "name" => label()
            .means("a name for people")
            .otherwise("none")
            .such_as([json!("two-on-a-lossy-link")]),
        "description" => Form::new("string", "any text")
            .rule("minLength", 1)
            .means("what the scenario is about")
            .otherwise("none"),
        "duration" => time(DURATION)
            .means("length of the run")
            .needed()
            .such_as([json!("100 s"), json!("5 min")]),
        "seed" => whole(SEED)
            .means("seed of all random numbers")
            .usually(usual.at("/seed")),
        _ => Form::default(),
    }
}

/// What several keys refer to.
fn definitions(usual: &Usual, controls: &Controls) -> Value {
    json!({
        "access": access::both(Of::Topology, usual).schema(),
        "flow_access": access::both(Of::Flow, usual).schema(),
        "sender": access::end("a table with the same keys, for the sender's end only", usual).schema(),
        "receiver": access::end("a table with the same keys, for the receiver's end only", usual).schema(),
        "reverse": link::reverse(usual).schema(),
        "red": queue::red(usual).schema(),
        "ack_filter": queue::ack_filter(usual).schema(),
        "two_state": link::two_state().schema(),
        "gilbert_elliott": link::gilbert_elliott(usual).schema(),
        "control": control::control(controls),
        "recovery": control::recovery(usual),
        "rate_control": media::rate_control(),
    })
}
