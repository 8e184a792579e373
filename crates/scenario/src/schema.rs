//! Scenario files as a JSON Schema, for editors that complete and check TOML.
//!
//! Keys, ranges, words, units and defaults come from the reader: each key is described where it is read.
//! The controls, their parameters and the recoveries come from the registry. The dialect is draft-07,
//! the newest one that Taplo supports. Some rules cannot be expressed in a schema and are checked only
//! by the reader: names that differ, nodes that are connected, upper bounds of quantities.

use serde_json::{Map, Value, json};

use crate::controls::Controls;
use crate::form::rule::{is_table, one_of, open};
use crate::form::{Form, value};
use crate::link::{self, access};
use crate::{
    control, flow, head, loss, probe, queue, rate_control, recovery, sweep, tcp, topology,
    variation,
};

/// Returns the schema of scenario files in which these controls can be named.
pub fn of(controls: &Controls) -> Value {
    let mut schema = value::table(&keys(controls))
        .means("a scenario of Dumbbell: a network, its flows, and how long they run")
        .schema();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.insert(
            "$schema".to_owned(),
            json!("http://json-schema.org/draft-07/schema#"),
        );
        keywords.insert("title".to_owned(), json!("Dumbbell scenario"));
        keywords.insert("definitions".to_owned(), definitions(controls).into());
        keywords.extend(rules());
    }
    schema
}

/// Returns the keys of a file.
fn keys(controls: &Controls) -> Vec<(&'static str, Form)> {
    let mut keys = head::forms();
    keys.extend(topology::forms());
    keys.extend([
        (tcp::KEY, tcp_defaults(controls)),
        (flow::KEY, flow::form(controls)),
        (probe::KEY, probe::form()),
        (variation::KEY, variation::form()),
        (sweep::KEY, sweep::form()),
    ]);
    keys
}

/// Returns the schema of `[tcp]`.
fn tcp_defaults(controls: &Controls) -> Form {
    value::table(&tcp::forms())
        .rule("dependencies", flow::rules_of_defaults(controls))
        .means("defaults for every TCP flow of the file")
        .otherwise("none")
}

/// Returns the definitions to which several keys refer.
fn definitions(controls: &Controls) -> Map<String, Value> {
    let tables = [
        access::definitions(),
        vec![(link::REVERSE, link::reverse_form())],
        queue::definitions(),
        loss::definitions(),
        link::definitions(),
    ];
    let tables = tables.into_iter().flatten();
    let tables = tables.map(|(name, form)| (name.to_owned(), form.schema()));
    let named = [
        (control::KEY, control::schema(controls)),
        (recovery::KEY, recovery::schema()),
        (flow::RATE_CONTROL, rate_control::schema(controls)),
    ];
    let named = named.map(|(name, schema)| (name.to_owned(), schema));
    tables.chain(named).collect()
}

/// Returns the rules of a whole scenario: exactly one topology, and its consequences for the flows.
fn rules() -> Map<String, Value> {
    let mut rules = vec![one_of(&topology::KINDS)];
    rules.extend(topology::rules());
    rules.push(flow::has_traffic());
    let mut keywords = Map::new();
    keywords.insert("if".to_owned(), is_table());
    keywords.insert("then".to_owned(), open(json!({ "allOf": rules })));
    keywords
}
