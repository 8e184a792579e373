//! Compares the schema with the reader, key by key: every table of the schema is put into a file, which
//! the reader then reads.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::parse;
use crate::judge::{SCHEMA, complaints};

/// Files to start from: together they can hold every table of the schema.
const FILES: [&str; 14] = [
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = { droptail = 60 } } }
    flow = [{ control = "reno" }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno" }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno", recovery = "sack", rack = true, delayed_ack = true }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ source = { cbr = "1 Mb/s" } }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ rate_control = "tfrc" }]
    "#,
    r#"
    duration = "100 s"
    parking_lot = { access = { rate = "1 Mb/s", delay = "1 ms" }, hops = 1, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno" }]
    "#,
    r#"
    duration = "100 s"
    parking_lot = { access = { rate = "1 Mb/s", delay = "1 ms" }, hops = [{ rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" }] }
    flow = [{ control = "reno" }]
    "#,
    r#"
    duration = "100 s"
    graph = { link = [{ from = "r1", to = "r2", rate = "1 Mb/s", delay = "1 ms" }] }
    flow = [{ control = "reno", from = "r1", to = "r2" }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno" }, { name = "media", rate_control = "tfrc", direction = "left" }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ name = "media", rate_control = "tfrc", encoder = {}, player = { delay = { least = "10 ms", most = "800 ms" } } }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno", transfers = { load = 0.5, size = "1 kB" } }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno", transfers = { rate = 1, size = "1 kB" } }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno", transfers = { every = "1 s", size = "1 kB" } }]
    "#,
    r#"
    duration = "100 s"
    dumbbell = { access = { rate = "1 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
    flow = [{ control = "reno", transfers = { trace = [[0, 1000]] } }]
    "#,
];

/// A key that no table has, and that resembles none.
const NO_KEY: &str = "zzzzzzzzzzzzzzzzzzzz";

/// The results for one table of the schema.
#[derive(Default)]
struct Found {
    /// The keys that the reader lists.
    keys: BTreeSet<String>,
    /// The keys whose default in the schema is that of the reader.
    defaults: BTreeSet<String>,
    /// The keys with examples that the reader accepts, and these examples.
    examples: BTreeMap<String, BTreeSet<String>>,
}

type Tables = BTreeMap<String, Found>;

#[test]
fn keys_defaults_and_examples_match_the_reader() {
    let mut tables = Tables::new();
    for text in FILES {
        let file: Value = toml::from_str(text).expect("TOML");
        assert!(reads(&file).is_some(), "{text}");
        look(&file, "", &SCHEMA, "", &mut tables);
    }
    let mut names = BTreeSet::new();
    all_tables(&SCHEMA, "", &mut names);
    assert!(names.len() >= 50, "only {} tables", names.len());
    for name in names {
        let found = tables
            .get(&name)
            .unwrap_or_else(|| panic!("{name} fits into no file"));
        let node = SCHEMA.pointer(&name).expect("it was found there");
        check(&name, properties(node), found);
    }
}

fn check(name: &str, properties: &Map<String, Value>, found: &Found) {
    let keys: BTreeSet<String> = properties.keys().cloned().collect();
    assert_eq!(keys, found.keys, "{name}");
    for (key, value) in properties {
        let (place, value) = resolve(value, &format!("{name}/properties/{key}"));
        let description = value["description"].as_str().unwrap_or_default();
        assert!(
            description.ends_with('.'),
            "{place} is not described: {description:?}"
        );
        if value.get("default").is_some() {
            assert!(
                found.defaults.contains(key),
                "{place}: nothing confirms the default"
            );
        }
        let examples = examples(value).iter().map(Value::to_string).collect();
        let accepted = found.examples.get(key).cloned().unwrap_or_default();
        assert_eq!(accepted, examples, "{place}");
    }
}

/// Checks a table of a file, and every table that it may hold.
fn look(file: &Value, at: &str, node: &Value, name: &str, tables: &mut Tables) {
    let found = tables.entry(name.to_owned()).or_default();
    found.keys.extend(keys(file, at));
    for (key, value) in properties(node) {
        let (_, value) = resolve(value, name);
        if is_default(file, at, key, value) {
            found.defaults.insert(key.clone());
        }
        let accepted = examples(value)
            .iter()
            .filter(|example| with(file, at, key, example).is_some());
        let accepted: Vec<String> = accepted.map(Value::to_string).collect();
        found
            .examples
            .entry(key.clone())
            .or_default()
            .extend(accepted);
    }
    for (key, value) in properties(node) {
        let (place, value) = resolve(value, &format!("{name}/properties/{key}"));
        for (place, table, within) in tables_of(value, &place) {
            let inside = format!("{at}/{key}{within}");
            let as_it_is = || file.pointer(&inside)?.is_object().then(|| file.clone());
            let put = |value: Value| {
                let value = if within.is_empty() {
                    value
                } else {
                    json!([value])
                };
                with(file, at, key, &value)
            };
            let mut candidates = candidates(table);
            // An ACK filter goes with this queue only.
            candidates.sort_by_key(|table| table.get("droptail").is_none());
            let file = as_it_is().or_else(|| candidates.into_iter().find_map(put));
            if let Some(file) = file {
                look(&file, &inside, table, &place, tables);
            }
        }
    }
}

/// Returns whether setting a key to its default changes nothing.
fn is_default(file: &Value, at: &str, key: &str, value: &Value) -> bool {
    let mut silent = file.clone();
    if let Some(table) = silent.pointer_mut(at).and_then(Value::as_object_mut) {
        table.remove(key);
    }
    let (Some(default), Some(wanted)) = (value.get("default"), reads(&silent)) else {
        return false;
    };
    let spoken = with(&silent, at, key, default).and_then(|file| reads(&file));
    if let Some(spoken) = &spoken {
        assert_eq!(spoken, &wanted, "{at}/{key} = {default}");
    }
    spoken.is_some()
}

/// Returns the file with a key set, if the reader accepts it. The key is put beside the other keys of
/// its table, or else beside the first of them alone, because some keys exclude one another.
fn with(file: &Value, at: &str, key: &str, value: &Value) -> Option<Value> {
    let set = |keep: &dyn Fn(&str) -> bool| {
        let mut file = file.clone();
        let table = file.pointer_mut(at)?.as_object_mut()?;
        table.retain(|other, _| keep(other));
        table.insert(key.to_owned(), value.clone());
        reads(&file).map(|_| file)
    };
    set(&|_| true).or_else(|| set(&|other| other == "access"))
}

/// Returns the scenario in full, if the reader accepts the file. The schema must then accept it too.
fn reads(file: &Value) -> Option<String> {
    let scenario = parse(&toml::to_string(file).expect("TOML")).ok()?;
    assert_eq!(complaints(file), Vec::<String>::new(), "{file:#}");
    Some(scenario.canonical())
}

/// Returns the keys of a table, as the reader lists them when it finds an unknown key.
fn keys(file: &Value, at: &str) -> Vec<String> {
    let mut file = file.clone();
    let table = file
        .pointer_mut(at)
        .and_then(Value::as_object_mut)
        .expect("a table");
    table.insert(NO_KEY.to_owned(), 1.into());
    let wrong = parse(&toml::to_string(&file).expect("TOML")).expect_err(NO_KEY);
    assert_ne!(complaints(&file), Vec::<String>::new(), "{file:#}");
    let problem = wrong
        .problems()
        .iter()
        .find(|problem| problem.message.contains(NO_KEY))
        .unwrap_or_else(|| panic!("{wrong}"));
    let help = problem.help.as_deref().expect("it lists them");
    // Each parameter is on its own line, followed by its meaning.
    match help.split_once("its parameters are\n") {
        Some((_, lines)) => lines
            .lines()
            .filter_map(|line| line.split('`').nth(1))
            .chain(["name"])
            .map(str::to_owned)
            .collect(),
        None => help
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect(),
    }
}

/// Returns values that a table may have, the smallest first.
fn candidates(table: &Value) -> Vec<Value> {
    let some = |key: &str| some_value(resolve(&table["properties"][key], "").1);
    let needed: Map<String, Value> = table["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|key| (key.to_owned(), some(key)))
        .collect();
    let more = properties(table).keys().map(|key| {
        let mut table = needed.clone();
        table.insert(key.clone(), some(key));
        Value::Object(table)
    });
    std::iter::once(Value::Object(needed.clone()))
        .chain(more)
        .collect()
}

fn some_value(node: &Value) -> Value {
    let listed = |keyword: &str| {
        node[keyword]
            .as_array()
            .and_then(|all| all.first())
            .cloned()
    };
    listed("examples")
        .or_else(|| listed("enum"))
        .or_else(|| node.get("default").cloned())
        .or_else(|| (node["type"] == "object").then(|| candidates(node)[0].clone()))
        .unwrap_or_else(|| json!("unlimited"))
}

/// Returns the tables that a value may be or hold: the name of each in the schema, the table, and its
/// path within the value.
fn tables_of<'s>(node: &'s Value, name: &str) -> Vec<(String, &'s Value, &'static str)> {
    let mut tables = Vec::new();
    if node["properties"].is_object() {
        tables.push((name.to_owned(), node, ""));
    }
    if node["items"]["properties"].is_object() {
        tables.push((format!("{name}/items"), &node["items"], "/0"));
    }
    for (i, form) in node["anyOf"].as_array().into_iter().flatten().enumerate() {
        tables.extend(tables_of(form, &format!("{name}/anyOf/{i}")));
    }
    tables
}

/// Collects the names of the tables of the schema, without its rules.
fn all_tables(node: &Value, name: &str, names: &mut BTreeSet<String>) {
    let (name, node) = resolve(node, name);
    for (name, table, _) in tables_of(node, &name) {
        if names.insert(name.clone()) {
            for (key, value) in properties(table) {
                all_tables(value, &format!("{name}/properties/{key}"), names);
            }
        }
    }
}

fn properties(table: &Value) -> &Map<String, Value> {
    table["properties"].as_object().expect("a table")
}

fn examples(node: &Value) -> &[Value] {
    node["examples"].as_array().map_or(&[], Vec::as_slice)
}

/// Resolves a reference; returns the name of the target and the target.
fn resolve<'s>(node: &'s Value, name: &str) -> (String, &'s Value)
where
    'static: 's,
{
    match node["$ref"]
        .as_str()
        .and_then(|place| place.strip_prefix('#'))
    {
        Some(place) => (
            place.to_owned(),
            SCHEMA.pointer(place).expect("it is defined"),
        ),
        None => (name.to_owned(), node),
    }
}
