//! Each table of sorts and of keys is complete: every line of it is read, written, described in the
//! schema, listed in the catalogue, and explained in the reference.

use std::collections::BTreeSet;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{ProbeValue, Scenario, catalogue};
use serde_json::Value;

use crate::judge::{self, SCHEMA};

const REFERENCE: &str = include_str!("../../../../../docs/scenario.md");
const BOTTLENECK: &str = "/properties/dumbbell/properties/bottleneck";
const FLOW: &str = "/properties/flow/items";

/// What a link may have beside.
const PARTS: &str = "jitter = { mean = \"1 ms\" }, reorder = { probability = 0.1, extra = \"1 ms\" }, duplicate = 0.1, \
    corrupt = 0.1, policer = { rate = \"1 Mb/s\", burst = \"9 kB\" }, shaper = { rate = \"1 Mb/s\", burst = \"9 kB\" }, aggregate = { overhead = \"1 ms\" }, \
    arq = { retries = 1, rtt = \"1 ms\" }";

/// A complete file, in which the bottleneck's queue and loss and the first flow are given.
fn file(queue: &str, loss: &str, flow: &str) -> String {
    format!(
        "duration = \"9 s\"\nvariation = {{}}\n[dumbbell]\naccess = {{ rate = \"1 Mb/s\", delay = \"1 ms\", {PARTS}, reverse = {{ {PARTS} }} }}\n\
         bottleneck = {{ rate = \"1 Mb/s\", delay = \"1 ms\", queue = {queue}, loss = {loss}, {PARTS}, reverse = {{ {PARTS} }} }}\n\
         [[flow]]\n{flow}\n[[flow]]\ncontrol = \"reno\"\ndirection = \"left\"\n"
    )
}

/// Returns the canonical form of a file as JSON values.
fn canonical(text: &str) -> Value {
    let scenario = Scenario::parse("tables.toml", text, &Controls::builtin());
    let scenario = scenario.unwrap_or_else(|report| panic!("{report}"));
    let canonical = scenario.canonical();
    let again = Scenario::parse("canonical.toml", &canonical, &Controls::builtin());
    assert_eq!(again.as_ref(), Ok(&scenario), "{canonical}");
    judge::json(&canonical).expect("the canonical form is TOML")
}

fn keys(table: &Value) -> BTreeSet<String> {
    let table = table.as_object().expect("a table");
    table.keys().cloned().collect()
}

/// Returns the keys of a table in the schema.
fn described(place: &str) -> BTreeSet<String> {
    let node = SCHEMA.pointer(place).expect("it is there");
    keys(&node["properties"])
}

/// Returns the keys of each entry of the catalogue under this title.
fn listed(title: &str) -> Vec<Vec<String>> {
    let sections = catalogue::sections(&Controls::builtin());
    let section = sections.iter().find(|section| section.title == title);
    let entries = &section.expect("it is there").entries;
    let keys = |name: &str| -> Vec<String> {
        let keys = name.split(", ");
        keys.filter_map(|key| key.split(' ').next())
            .map(str::to_owned)
            .collect()
    };
    entries.iter().map(|entry| keys(&entry.name)).collect()
}

fn union(of: &[Vec<String>]) -> BTreeSet<String> {
    of.iter().flatten().cloned().collect()
}

/// Returns an example of a key's value: its own example, or a table made of the examples and defaults of
/// its keys.
fn example(value: &Value) -> String {
    let value = match value["$ref"].as_str() {
        Some(reference) => SCHEMA
            .pointer(reference.trim_start_matches('#'))
            .expect("it is defined"),
        None => value,
    };
    let own = value["examples"].as_array().and_then(|all| all.first());
    if let Some(own) = own {
        return own.to_string();
    }
    let Some(properties) = value["properties"].as_object() else {
        return value["default"].to_string();
    };
    let keys: Vec<String> = properties
        .iter()
        .map(|(key, value)| (key, example(value)))
        // Some keys have neither an example nor a default.
        .filter(|(_, value)| value != "null")
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    format!("{{ {} }}", keys.join(", "))
}

/// Returns a table with these keys, each with an example.
fn example_of(place: &str, names: &[String]) -> String {
    let node = SCHEMA.pointer(place).expect("it is there");
    let keys: Vec<String> = names
        .iter()
        .map(|key| format!("{key} = {}", example(&node["properties"][key])))
        .collect();
    format!("{{ {} }}", keys.join(", "))
}

fn assert_explained(name: &str) {
    let explained = [
        format!("`{name}`"),
        format!("`{name} ="),
        format!("`{{ {name} ="),
    ];
    assert!(
        explained.iter().any(|form| REFERENCE.contains(form)),
        "`{name}` is not explained in docs/scenario.md"
    );
}

#[test]
fn every_queue_is_read_written_described_listed_and_explained() {
    let place = format!("{BOTTLENECK}/properties/queue");
    let mut all = listed("Queues");
    assert!(all.contains(&vec!["unlimited".to_owned()]));
    all.retain(|names| names[0] != "unlimited");
    assert_eq!(union(&all), described(&place));
    let unlimited = canonical(&file("\"unlimited\"", "\"none\"", "control = \"reno\""));
    assert_eq!(unlimited["dumbbell"]["bottleneck"]["queue"], "unlimited");
    for names in all {
        let queue = example_of(&place, &names);
        let written = canonical(&file(&queue, "\"none\"", "control = \"reno\""));
        let written = &written["dumbbell"]["bottleneck"]["queue"];
        assert_eq!(keys(written), names.iter().cloned().collect(), "{queue}");
        names.iter().for_each(|name| assert_explained(name));
    }
}

#[test]
fn every_loss_model_is_read_written_described_listed_and_explained() {
    let place = format!("{BOTTLENECK}/properties/loss");
    let all = listed("Losses");
    let mut with_scope = union(&all);
    with_scope.extend(["on", "trace"].map(str::to_owned));
    assert_eq!(with_scope, described(&place));
    for names in all {
        let loss = example_of(&place, &names);
        let written = canonical(&file("\"unlimited\"", &loss, "control = \"reno\""));
        let written = &written["dumbbell"]["bottleneck"]["loss"];
        assert!(keys(written).contains(&names[0]), "{loss}");
        assert_explained(&names[0]);
    }
}

#[test]
fn every_source_is_read_written_described_listed_and_explained() {
    let place = format!("{FLOW}/properties/source");
    let all = listed("Sources (of UDP flows, and of what TCP flows write)");
    assert_eq!(union(&all), described(&place));
    for names in all {
        let source = format!("source = {}", example_of(&place, &names));
        let written = canonical(&file("\"unlimited\"", "\"none\"", &source));
        let written = &written["flow"][0]["source"];
        assert_eq!(keys(written), names.iter().cloned().collect(), "{source}");
        assert_explained(&names[0]);
    }
}

#[test]
fn every_rate_control_is_read_written_described_listed_and_explained() {
    let schema = &SCHEMA["definitions"]["rate_control"]["anyOf"];
    for names in listed("Rate controls (of media flows)") {
        let name = &names[0];
        let flow = format!("rate_control = \"{name}\"");
        let written = canonical(&file("\"unlimited\"", "\"none\"", &flow));
        let written = &written["flow"][0]["rate_control"];
        let described = schema.as_array().expect("alternatives").iter().find(|one| {
            let names = &one["properties"]["name"]["enum"];
            names
                .as_array()
                .is_some_and(|all| all.contains(&written["name"]))
        });
        let described = described.unwrap_or_else(|| panic!("{name} is not in the schema"));
        assert_eq!(keys(written), keys(&described["properties"]), "{name}");
        assert_explained(&format!("\"{name}\""));
    }
}

#[test]
fn every_key_of_a_table_in_the_schema_is_written() {
    let queue = "{ red = { limit = 60 } }";
    let loss = "{ gilbert_elliott = { to_bad = 0.1, to_good = 0.2 } }";
    let flow = "control = \"reno\"\nrecovery = { name = \"newreno\" }\nack_control = true";
    let written = canonical(&file(queue, loss, flow));
    let at = |place: &str| keys(written.pointer(place).expect("it is there"));
    for (place, schema) in [
        ("/dumbbell/bottleneck", BOTTLENECK),
        ("/dumbbell/bottleneck/reverse", "/definitions/reverse"),
        ("/dumbbell/bottleneck/jitter", "/definitions/jitter"),
        ("/dumbbell/bottleneck/reorder", "/definitions/reorder"),
        ("/dumbbell/bottleneck/policer", "/definitions/policer"),
        ("/dumbbell/bottleneck/shaper", "/definitions/shaper"),
        ("/dumbbell/bottleneck/aggregate", "/definitions/aggregate"),
        ("/dumbbell/bottleneck/arq", "/definitions/arq"),
        ("/dumbbell/bottleneck/queue/red", "/definitions/red"),
        (
            "/dumbbell/bottleneck/loss/gilbert_elliott",
            "/definitions/gilbert_elliott",
        ),
        ("/flow/0/access/sender", "/definitions/sender"),
        ("/flow/0/access/receiver", "/definitions/receiver"),
        (
            "/flow/0/access/sender/reverse",
            "/definitions/sender/properties/reverse",
        ),
        ("/flow/0/recovery", "/definitions/recovery/anyOf/3"),
        (
            "/flow/0/ack_control",
            "/properties/tcp/properties/ack_control",
        ),
        ("/probe", "/properties/probe"),
        ("/variation", "/properties/variation"),
    ] {
        assert_eq!(at(place), described(schema), "{place}");
    }
    // A QUIC flow has a key of its own.
    let quic = canonical(&file(queue, loss, "control = \"reno\"\nstack = \"quic\""));
    let mut of_flows = at("/flow/0");
    of_flows.extend(keys(&quic["flow"][0]));
    let of_tcp = described("/properties/tcp");
    assert!(of_tcp.is_subset(&of_flows), "{of_tcp:?}");
}

#[test]
fn every_probe_value_is_read_and_written() {
    let words = &SCHEMA["properties"]["probe"]["properties"]["values"]["items"]["enum"];
    let names = ProbeValue::ALL.map(ProbeValue::name);
    assert_eq!(words, &Value::from(names.to_vec()));
    for name in names {
        let probe = format!("[probe]\nvalues = [\"{name}\"]\n");
        let text = file("\"unlimited\"", "\"none\"", "control = \"reno\"");
        let written = canonical(&format!("{text}{probe}"));
        assert_eq!(written["probe"]["values"], Value::from(vec![name]));
        assert_explained(&format!("\"{name}\""));
    }
}
