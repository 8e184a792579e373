//! What keys say of one another. These rules stand where editors that complete from a schema do
//! not look for keys (`dependencies`, `if`), and let other keys pass.

use dumbbell_tcp::recovery::Kind;
use serde_json::{Map, Value, json};

use super::control::{Named, all};
use crate::controls::Controls;
use crate::{media, relay, source, tcp, topology};

/// The rules of a whole scenario: one topology, and what it means for flows.
pub(super) fn of_scenario() -> Map<String, Value> {
    let routers = json!({ "pattern": "^r[1-9][0-9]*$" });
    let rules = json!([
        one_of(&topology::KINDS),
        has_access("dumbbell"),
        has_access("parking_lot"),
        flows_in("dumbbell", json!({ "from": false, "to": false }), &[]),
        flows_in(
            "parking_lot",
            json!({ "direction": false, "from": routers, "to": routers }),
            &[]
        ),
        flows_in(
            "graph",
            json!({ "direction": false, "access": false }),
            &["from", "to"]
        ),
        has_traffic(),
    ]);
    let mut keywords = Map::new();
    keywords.insert("if".to_owned(), is_table());
    keywords.insert("then".to_owned(), open(json!({ "allOf": rules })));
    keywords
}

/// Whether a value is a table at all.
pub(super) fn is_table() -> Value {
    open(json!({ "type": "object" }))
}

/// Exactly one of these keys is set.
pub(super) fn one_of(keys: &[&str]) -> Value {
    let one: Vec<Value> = keys.iter().map(|key| requires(&[key])).collect();
    open(json!({ "oneOf": one }))
}

/// Access links are described in the topology or in every flow.
fn has_access(topology: &'static str) -> Value {
    let in_topology = open(json!({ "properties": { topology: requires(&["access"]) } }));
    let in_flows = every_flow(requires(&["access"]));
    json!({ "if": requires(&[topology]), "then": open(json!({ "anyOf": [in_topology, in_flows] })) })
}

/// What holds for flows in a topology.
fn flows_in(topology: &str, properties: Value, required: &[&str]) -> Value {
    let flow = open(json!({ "properties": properties, "required": required }));
    json!({ "if": requires(&[topology]), "then": every_flow(flow) })
}

/// Flows have a control, their own or that of `[tcp]`, a source, or a rate control.
fn has_traffic() -> Value {
    let of_all = open(json!({
        "required": ["tcp"],
        "properties": { "tcp": requires(&["control"]) },
    }));
    let of_each = json!({ "anyOf": [requires(&["control"]), requires(&["source"]), requires(&["rate_control"])] });
    json!({ "if": of_all, "else": every_flow(open(of_each)) })
}

fn every_flow(rule: Value) -> Value {
    open(json!({ "properties": { "flow": { "items": rule } } }))
}

fn requires(keys: &[&str]) -> Value {
    open(json!({ "required": keys }))
}

/// The rules of a flow, by the key that brings them in.
pub(super) fn of_flow(controls: &Controls) -> Value {
    let mut rules = Map::new();
    let others = [&tcp::KEYS[..], &[relay::KEY], &media::KEYS];
    bring_in("source", &source::KEYS, &others, &mut rules);
    let others = [&tcp::KEYS[..], &[relay::KEY], &source::KEYS];
    bring_in("rate_control", &media::KEYS, &others, &mut rules);
    let sensible: Vec<Value> = all(controls).iter().flat_map(goes_with).collect();
    rules.insert("recovery".to_owned(), json!({ "allOf": sensible }));
    rules.into()
}

/// What says of which kind a flow is forbids the keys of others, and the keys of its kind want it.
fn bring_in(kind: &str, keys: &[&str], others: &[&[&str]], rules: &mut Map<String, Value>) {
    let forbidden: Map<String, Value> = others
        .concat()
        .iter()
        .map(|key| ((*key).to_owned(), false.into()))
        .collect();
    for key in keys {
        let rule = if *key == kind {
            open(json!({ "properties": forbidden }))
        } else {
            json!([kind])
        };
        rules.insert((*key).to_owned(), rule);
    }
}

/// The rules of `[tcp]`: a control whose name implies a recovery contradicts any other one. A
/// recovery that makes no sense with the control may still be for flows with another one.
pub(super) fn of_defaults(controls: &Controls) -> Value {
    let implied: Vec<Value> = all(controls)
        .iter()
        .flat_map(|named| {
            named
                .names
                .iter()
                .filter_map(|(name, implied)| implied.map(|kind| pairing(name, &[kind.name()])))
        })
        .collect();
    json!({ "recovery": { "allOf": implied } })
}

/// The recoveries that a control's names go with.
fn goes_with(named: &Named) -> Vec<Value> {
    let sensible: Vec<&str> = named
        .control
        .recoveries()
        .iter()
        .map(|kind| kind.name())
        .collect();
    let rule = |(name, implied): &(String, Option<Kind>)| match implied {
        Some(kind) => pairing(name, &[kind.name()]),
        None => pairing(name, &sensible),
    };
    named.names.iter().map(rule).collect()
}

/// Where this control is named, one of these recoveries is.
fn pairing(control: &str, recoveries: &[&str]) -> Value {
    json!({
        "if": open(json!({ "properties": { "control": named(&[control]) }, "required": ["control"] })),
        "then": open(json!({ "properties": { "recovery": named(recoveries) } })),
    })
}

/// One of these names, or a table of one of these names.
fn named(names: &[&str]) -> Value {
    let table = json!({
        "type": "object",
        "properties": { "name": { "enum": names } },
        "required": ["name"],
    });
    json!({ "anyOf": [{ "enum": names }, open(table)] })
}

/// Keys that a rule does not name are none of its business.
pub(super) fn open(mut rule: Value) -> Value {
    if let Some(keywords) = rule.as_object_mut() {
        keywords.insert("additionalProperties".to_owned(), true.into());
    }
    rule
}
