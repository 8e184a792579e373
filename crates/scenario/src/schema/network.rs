//! The three topologies.

use serde_json::json;

use super::form::Form;
use super::link::{complete, of_graph};
use super::rules::open;
use super::usual::Usual;
use super::value::{array, name, table, whole};
use crate::graph;
use crate::topology::{DUMBBELL_KEYS, HOPS, PARKING_LOT_KEYS};
use crate::{aqt, names};

/// `[dumbbell]`.
pub(super) fn dumbbell(usual: &Usual) -> Form {
    let described_once = json!({
        "reverse": open(json!({
            "properties": { "bottleneck": open(json!({ "properties": { "reverse": false } })) },
        })),
    });
    table(&DUMBBELL_KEYS, |key| match key {
        "access" => Form::defined("access"),
        "bottleneck" => complete(usual)
            .means("the link between the routers")
            .needed(),
        "reverse" => super::link::reverse(usual)
            .means("overrides for its right-to-left direction; may stand in `bottleneck` instead")
            .otherwise("as left to right, but no loss"),
        "aqt" => routers("left"),
        _ => Form::default(),
    })
    .rule("dependencies", described_once)
    .means("a network with one bottleneck between two routers")
}

/// `[parking_lot]`.
pub(super) fn parking_lot(usual: &Usual) -> Form {
    let hop = complete(usual).means("a link from one router to the next");
    let hops_is_a_number = open(json!({ "properties": { "hops": { "type": "integer" } } }));
    let most = usize::try_from(*HOPS.end()).unwrap_or(usize::MAX);
    let either = array(&hop, 1..=most)
        .or(whole(HOPS))
        .means("an array of links, or a number of equal links")
        .ranging(super::range::of_numbers(&HOPS))
        .needed()
        .such_as([json!(3)]);
    table(&PARKING_LOT_KEYS, |key| match key {
        "access" => Form::defined("access"),
        "bottleneck" => complete(usual)
            .means("the link of every hop, where `hops` is a number")
            .needed_or("must be set then"),
        "hops" => either.clone(),
        "aqt" => routers("r1"),
        _ => Form::default(),
    })
    .rule("if", hops_is_a_number)
    .rule("then", open(json!({ "required": ["bottleneck"] })))
    .rule(
        "else",
        open(json!({ "properties": { "bottleneck": false } })),
    )
    .means("a network of routers in a row, with hosts at each")
}

/// `[graph]`.
pub(super) fn graph(usual: &Usual) -> Form {
    let link = of_graph(usual).means("a link between two nodes");
    table(&graph::KEYS, |key| match key {
        "link" => array(&link, graph::LINKS)
            .means("the links; a node is what a link names")
            .ranging(format!(
                "{} links",
                super::range::of_numbers(
                    &(*graph::LINKS.start() as u64..=*graph::LINKS.end() as u64)
                )
            ))
            .needed(),
        "aqt" => routers("r1"),
        _ => Form::default(),
    })
    .means("any network")
}

/// Routers that add queueing times.
fn routers(example: &str) -> Form {
    let router = name(names::NODE).such_as([json!(example)]);
    array(&router, 0..=usize::MAX >> 12)
        .or_word(aqt::ALL)
        .means("the routers that add to packets how long they wait, where a link does not say")
        .ranging("an array of routers, or `\"all\"`")
        .otherwise("none")
        .such_as([json!([example]), json!(aqt::ALL)])
}
