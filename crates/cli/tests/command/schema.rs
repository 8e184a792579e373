//! `dumbbell schema`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{dumbbell, success};

/// Returns the words of an enumeration.
fn words(node: &Value) -> Vec<&str> {
    let words = node["enum"].as_array().expect("an enumeration");
    words.iter().filter_map(Value::as_str).collect()
}

#[test]
fn the_schema_names_every_control_and_recovery_that_is_listed() {
    let schema: Value = serde_json::from_str(&success(dumbbell().arg("schema"))).expect("JSON");
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    let list: Value =
        serde_json::from_str(&success(dumbbell().args(["list", "--json"]))).expect("JSON");
    let listed = |section: usize| -> Vec<&str> {
        let entries = list[section]["entries"].as_array().expect("entries");
        entries
            .iter()
            .filter_map(|entry| entry["name"].as_str())
            .collect()
    };
    // Controls, and short names of a control with a recovery; recoveries.
    let controls = words(&schema["definitions"]["control"]["anyOf"][0]);
    for name in listed(0).into_iter().chain(listed(1)) {
        assert!(controls.contains(&name), "no {name} in {controls:?}");
    }
    assert_eq!(
        words(&schema["definitions"]["recovery"]["anyOf"][0]),
        listed(2)
    );
}

/// Adds the keys of all tables in a part of the schema, but for the parameters of controls, of which there are many.
fn add_keys(node: &Value, keys: &mut BTreeSet<String>) {
    match node {
        Value::Object(table) => {
            if let Some(Value::Object(properties)) = table.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            let parts = table
                .iter()
                .filter(|(name, _)| !["control", "rate_control"].contains(&name.as_str()));
            parts.for_each(|(_, part)| add_keys(part, keys));
        }
        Value::Array(parts) => parts.iter().for_each(|part| add_keys(part, keys)),
        _ => {}
    }
}

/// Fuzzing finds what a key does only if it tries the key.
#[test]
fn the_words_for_fuzzing_have_every_key() {
    let schema: Value = serde_json::from_str(&success(dumbbell().arg("schema"))).expect("JSON");
    let mut keys = BTreeSet::new();
    add_keys(&schema, &mut keys);
    assert!(keys.contains("dualpi2") && keys.contains("retries"));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/scenario.dict");
    let words = std::fs::read_to_string(file).expect("the words");
    // A table is there with its brackets.
    let in_brackets = |c: char| c == '"' || c == '[' || c == ']' || c == '.';
    let known: BTreeSet<&str> = words
        .lines()
        .flat_map(|line| line.split(in_brackets))
        .collect();
    let missing: Vec<_> = keys
        .iter()
        .filter(|key| !known.contains(key.as_str()))
        .collect();
    assert!(missing.is_empty(), "add to fuzz/scenario.dict: {missing:?}");
}

#[test]
fn keys_have_a_meaning_a_range_and_a_default() {
    let schema: Value = serde_json::from_str(&success(dumbbell().arg("schema"))).expect("JSON");
    let flow = &schema["properties"]["flow"]["items"]["properties"];
    assert_eq!(flow["count"]["default"], 1);
    assert_eq!(flow["count"]["maximum"], 100_000);
    let said = flow["min_rto"]["description"].as_str().expect("described");
    assert_eq!(
        said,
        "Minimum retransmission timeout, up to `max_rto`. A time, 1 us to 1 h. \
         Default: `\"200 ms\"`, unless `[tcp]` says otherwise."
    );
}

#[test]
fn help_says_how_to_use_the_schema() {
    let help = success(dumbbell().args(["schema", "--help"]));
    for words in [
        "Examples:\n  dumbbell schema > ",
        "#:schema ./dumbbell.schema.json",
    ] {
        assert!(help.contains(words), "no {words:?} in\n{help}");
    }
}

#[test]
fn a_sweep_is_completed_and_checked_by_an_editor() {
    let schema: Value = serde_json::from_str(&success(dumbbell().arg("schema"))).expect("JSON");
    let check = jsonschema::validator_for(&schema).expect("a schema");
    let scenario = |sweep: &str| -> Value {
        let text = format!(
            "duration = \"1 s\"
            dumbbell = {{ access = {{ rate = \"9 Mb/s\", delay = \"1 ms\" }}, bottleneck = {{ rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\" }} }}
            flow = [{{ control = \"reno\" }}]
            sweep = {{ {sweep} }}"
        );
        let table: toml::Table = text.parse().expect("TOML");
        serde_json::to_value(table).expect("JSON")
    };
    for right in [
        "",
        "grid = { seed = [1, 2], \"bottleneck.delay\" = { from = \"1 ms\", to = \"9 ms\", log = 3 } }, repeat = 3",
        "zip = [{ \"flow.control\" = [\"reno\"] }], where = \"bdp > 2\", seeds = \"common\", warmup = \"0.5 s\"",
        "until = { measure = \"goodput\", interval = \"2 %\", at_least = 3, at_most = 9, group = \"reno\" }",
        "measure = [{ name = \"a\", label = \"a\", quantity = \"goodput\" }]",
    ] {
        let scenario = scenario(right);
        let found = check.validate(&scenario);
        assert!(found.is_ok(), "{right}: {found:?}");
    }
    for wrong in [
        "gird = { seed = [1] }",
        "grid = { seed = 1 }",
        "grid = { seed = [] }",
        "repeat = 0",
        "seeds = \"comon\"",
        "until = { measure = \"goodput\" }",
        "until = { measure = \"goodput\", interval = \"2\" }",
    ] {
        assert!(!check.is_valid(&scenario(wrong)), "{wrong}");
    }
}
