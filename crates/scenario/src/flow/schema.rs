//! Flows as a schema, with the rules between their keys.

use dumbbell_tcp::recovery::Kind as RecoveryKind;
use serde_json::{Map, Value, json};

use super::{COMMON, Kind, MOST_FLOWS, codepoint, count, start};
use crate::control::{self, Named};
use crate::controls::Controls;
use crate::form::Form;
use crate::form::rule::{open, requires};
use crate::form::value::{array, name as name_form, table};
use crate::key::Shape;
use crate::link::access;
use crate::names;
use crate::place::Direction;
use crate::topology::{DIRECTION, every_flow};
use crate::workload;

/// Returns the key `flow` as a schema.
pub(crate) fn form(controls: &Controls) -> Form {
    array(&one(controls), 1..=MOST_FLOWS as usize)
        .means("the flows, each a table `[[flow]]`")
        .ranging("at least one")
        .needed()
}

/// Returns the schema of one `[[flow]]` table.
fn one(controls: &Controls) -> Form {
    let mut forms = common();
    forms.extend(Kind::ALL.into_iter().flat_map(Kind::forms));
    table(&forms)
        .rule("dependencies", rules(controls))
        .means("a TCP flow, which has a `control`, a UDP flow, which has a `source` and no `control`, or a media flow, which has a `rate_control`")
}

/// Returns the keys that every flow has.
fn common() -> Vec<(&'static str, Form)> {
    let end = |meaning: &str| Form::new("string", "").rule("minLength", 1).means(meaning);
    let name = name_form(names::LONGEST)
        .means("a name for tables, different from that of any other flow")
        .otherwise("the control (or control-recovery if the recovery is not the control's default), the kind of source, or the rate control; with `-2`, `-3` ... if that name is taken")
        .such_as([json!("long")]);
    let group = name_form(names::LONGEST)
        .means(
            "the group to which these flows belong in results; several entries may have the same",
        )
        .otherwise("the entry's own name")
        .such_as([json!("cubic")]);
    let direction = DIRECTION.usually(Direction::default(), |form| {
        form.means("dumbbell only: the direction of the data")
    });
    let from = end("where it begins: a router of a parking lot, a node of a graph")
        .otherwise("in a parking lot the first router; must be set in a graph")
        .such_as([json!("r1")]);
    let to = end("where it ends: a router of a parking lot, a node of a graph")
        .otherwise("in a parking lot the last router; must be set in a graph")
        .such_as([json!("r2")]);
    let forms = [
        name,
        group,
        count().form(),
        start::form(),
        direction.form(),
        from,
        to,
        Form::defined(access::OF_FLOW),
        codepoint::form(),
    ];
    COMMON.into_iter().zip(forms).collect()
}

/// The rule that every flow has a control (its own or that of `[tcp]`), a source, or a rate control.
pub(crate) fn has_traffic() -> Value {
    let of_all = open(json!({
        "required": ["tcp"],
        "properties": { "tcp": requires(&[control::KEY]) },
    }));
    let of_each = json!({ "anyOf": Kind::ALL.map(|kind| requires(&[kind.key()])) });
    json!({ "if": of_all, "else": every_flow(open(of_each)) })
}

/// Returns the rules of a flow, by the key that activates them.
fn rules(controls: &Controls) -> Value {
    let mut rules = Map::new();
    for kind in [Kind::Udp, Kind::Media] {
        let others = Kind::ALL.into_iter().filter(|other| *other != kind);
        let others: Vec<&str> = others.flat_map(Kind::keys).collect();
        bring_in(kind, &others, &mut rules);
    }
    let sensible: Vec<Value> = control::all(controls).iter().flat_map(goes_with).collect();
    let has = |kind: Kind| requires(&[kind.key()]);
    let not_tcp = json!({ "not": has(Kind::Tcp), "anyOf": [has(Kind::Udp), has(Kind::Media)] });
    rules.insert(codepoint::KEY.to_owned(), open(not_tcp));
    rules.insert("recovery".to_owned(), json!({ "allOf": sensible }));
    rules.into()
}

/// The key that selects one kind of flow forbids the keys of the other kinds, and the keys of that kind
/// require it.
fn bring_in(kind: Kind, others: &[&str], rules: &mut Map<String, Value>) {
    let forbid = |keys: &[&str]| -> Value {
        let forbidden: Map<String, Value> = keys
            .iter()
            .map(|key| ((*key).to_owned(), false.into()))
            .collect();
        open(json!({ "properties": forbidden }))
    };
    // With a control, the flow is a TCP flow.
    let is_tcp = requires(&[Kind::Tcp.key()]);
    let shared = Kind::Tcp.shared();
    for key in kind.keys() {
        let rule = if key == kind.key() && shared.contains(&key) {
            let of_tcp: Vec<&str> = workload::KEYS
                .iter()
                .copied()
                .chain(kind.keys().into_iter().filter(|key| !shared.contains(key)))
                .chain(Kind::Media.keys())
                .collect();
            json!({ "if": is_tcp, "then": forbid(&of_tcp), "else": forbid(others) })
        } else if key == kind.key() {
            forbid(others)
        } else if shared.contains(&key) {
            continue;
        } else {
            json!([kind.key()])
        };
        rules.insert(key.to_owned(), rule);
    }
}

/// Returns the rules of `[tcp]`: a control whose name implies a recovery contradicts any other recovery.
/// A recovery that does not suit the control may still be meant for flows with another control.
pub(crate) fn rules_of_defaults(controls: &Controls) -> Value {
    let implied: Vec<Value> = control::all(controls)
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

/// Returns the recoveries that a control's names allow.
fn goes_with(named: &Named) -> Vec<Value> {
    let sensible: Vec<&str> = named
        .control
        .recoveries()
        .iter()
        .map(|kind| kind.name())
        .collect();
    let rule = |(name, implied): &(String, Option<RecoveryKind>)| match implied {
        Some(kind) => pairing(name, &[kind.name()]),
        None => pairing(name, &sensible),
    };
    named.names.iter().map(rule).collect()
}

/// The rule that this control is combined with one of these recoveries.
fn pairing(control: &str, recoveries: &[&str]) -> Value {
    json!({
        "if": open(json!({ "properties": { "control": named(&[control]) }, "required": ["control"] })),
        "then": open(json!({ "properties": { "recovery": named(recoveries) } })),
    })
}

/// A value that is one of these names, or a table with one of these names.
fn named(names: &[&str]) -> Value {
    let table = json!({
        "type": "object",
        "properties": { "name": { "enum": names } },
        "required": ["name"],
    });
    json!({ "anyOf": [{ "enum": names }, open(table)] })
}
