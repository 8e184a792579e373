//! The reference of the format agrees with the schema: the cells of its tables occur in the descriptions
//! of the schema.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::judge::SCHEMA;

const REFERENCE: &str = include_str!("../../../../../docs/scenario.md");
const BOTTLENECK: &str = "/properties/dumbbell/properties/bottleneck";
const RATE: &str = "/properties/dumbbell/properties/bottleneck/properties/rate";
const DELAY: &str = "/properties/dumbbell/properties/bottleneck/properties/delay";
const SLOTS: &str = "/properties/dumbbell/properties/bottleneck/properties/rate/properties/slots";
const QUEUE: &str = "/properties/dumbbell/properties/bottleneck/properties/queue";
const ACK_CONTROL: &str = "/properties/flow/items/properties/ack_control";
const FLOW: &str = "/properties/flow/items";
const SOURCE: &str = "/properties/flow/items/properties/source";
const TRANSFERS: &str = "/properties/flow/items/properties/transfers";
const SIZE: &str = "/properties/flow/items/properties/transfers/properties/size";
const LOGNORMAL: &str =
    "/properties/flow/items/properties/transfers/properties/size/properties/lognormal";
const SIZES_PARETO: &str =
    "/properties/flow/items/properties/transfers/properties/size/properties/pareto";
const REQUESTS: &str = "/properties/flow/items/properties/requests";
const VIDEO: &str = "/properties/flow/items/properties/video";
const ENCODER: &str = "/properties/flow/items/properties/encoder";
const FRAME_SIZES: &str = "/properties/flow/items/properties/encoder/properties/sizes";
const PLAYER: &str = "/properties/flow/items/properties/player";
const PARETO: &str = "/properties/flow/items/properties/source/properties/pareto";

/// The tables of the reference: the heading above the table, the heading of its first column, and the
/// part of the schema that the table explains.
const TABLES: [(&str, &str, &str); 46] = [
    ("The head", "key", ""),
    ("Links", "key", BOTTLENECK),
    ("Recorded rates", "rate", RATE),
    ("Rates and delays over time", "rate over time", RATE),
    ("Rates and delays over time", "delay over time", DELAY),
    ("Slots", "key of `slots`", SLOTS),
    ("Transmission", "key of `arq`", "/definitions/arq"),
    (
        "Transmission",
        "key of `aggregate`",
        "/definitions/aggregate",
    ),
    ("Transmission", "key of `shaper`", "/definitions/shaper"),
    ("Transmission", "key of `policer`", "/definitions/policer"),
    ("Flight", "key of `jitter`", "/definitions/jitter"),
    ("Flight", "key of `reorder`", "/definitions/reorder"),
    ("Queues", "key", QUEUE),
    ("Queues", "key of `red`", "/definitions/red"),
    ("Queues", "key of `codel`", "/definitions/codel"),
    ("Queues", "key of `fq`", "/definitions/fq"),
    ("Queues", "key of `fq_codel`", "/definitions/fq_codel"),
    ("Queues", "key of `dualpi2`", "/definitions/dualpi2"),
    ("Queues", "key of `pie`", "/definitions/pie"),
    ("Queues", "key of `ack_filter`", "/definitions/ack_filter"),
    ("A dumbbell", "key", "/properties/dumbbell"),
    ("Access links", "key", "/definitions/access"),
    ("A parking lot", "key", "/properties/parking_lot"),
    ("A graph", "key", "/properties/graph/properties/link/items"),
    ("Flows", "key", FLOW),
    ("TCP", "key", FLOW),
    ("UDP", "key", FLOW),
    ("UDP", "source", SOURCE),
    ("UDP", "burst", PARETO),
    ("Workloads", "key", FLOW),
    ("Workloads", "key of `transfers`", TRANSFERS),
    ("Workloads", "size", SIZE),
    ("Workloads", "key of `lognormal`", LOGNORMAL),
    ("Workloads", "key of `pareto`", SIZES_PARETO),
    ("Workloads", "key of `requests`", REQUESTS),
    ("Workloads", "key of `video`", VIDEO),
    ("Media", "key", FLOW),
    ("Frames", "key of `encoder`", ENCODER),
    ("Frames", "sizes", FRAME_SIZES),
    ("Frames", "key of `player`", PLAYER),
    ("Relays", "key", FLOW),
    ("TCP", "choice", ACK_CONTROL),
    ("Recovery", "choice", "/definitions/recovery/anyOf/3"),
    ("The probe", "key", "/properties/probe"),
    ("Variation", "key", "/properties/variation"),
    (
        "Loss",
        "model",
        "/properties/dumbbell/properties/bottleneck/properties/loss",
    ),
];

/// Keys that the reference explains outside the tables.
const ELSEWHERE: [&str; 15] = [
    "/properties/graph/properties/link/items/rate",
    "/properties/graph/properties/link/items/delay",
    "/properties/graph/properties/link/items/loss",
    "/properties/graph/properties/link/items/aqt",
    "/properties/graph/properties/link/items/sojourns",
    "/properties/graph/properties/link/items/jitter",
    "/properties/graph/properties/link/items/reorder",
    "/properties/graph/properties/link/items/duplicate",
    "/properties/graph/properties/link/items/corrupt",
    "/properties/graph/properties/link/items/policer",
    "/properties/graph/properties/link/items/shaper",
    "/properties/graph/properties/link/items/aggregate",
    "/properties/graph/properties/link/items/arq",
    "/definitions/recovery/anyOf/3/name",
    "/properties/dumbbell/properties/bottleneck/properties/loss/on",
];

/// A row: the text of each cell, by the heading of its column.
type Row = BTreeMap<String, String>;

#[test]
fn the_tables_of_the_reference_match_the_descriptions_of_the_schema() {
    let mut explained = BTreeSet::new();
    for (heading, head, place) in TABLES {
        let rows = rows(heading, head);
        assert!(!rows.is_empty(), "no table of `{head}` under {heading}");
        for row in rows {
            let key = row[head].trim_start_matches("`{ ");
            let key = key
                .trim_start_matches('`')
                .split(['`', ' '])
                .next()
                .unwrap_or_default();
            let value = &node(place)["properties"][key];
            agree(&format!("{place}/{key}"), &row, resolve(value));
            explained.insert(format!("{place}/{key}"));
        }
    }
    explained.extend(ELSEWHERE.map(str::to_owned));
    for (_, _, place) in TABLES {
        let keys = node(place)["properties"]
            .as_object()
            .expect("a table")
            .keys();
        for key in keys.map(|key| format!("{place}/{key}")) {
            assert!(explained.contains(&key), "{key} is not explained");
        }
    }
}

/// Checks that every cell occurs in the description, except cells that refer to other places.
fn agree(name: &str, row: &Row, value: &Value) {
    let description = value["description"]
        .as_str()
        .unwrap_or_default()
        .to_lowercase();
    for column in ["meaning", "range", "default"] {
        let Some(cell) = row.get(column) else {
            continue;
        };
        if !cell.starts_with("see ") && !cell.starts_with("as for a link") {
            assert!(
                description.contains(&cell.to_lowercase()),
                "{name}: {cell}\n{description}"
            );
        }
    }
}

#[test]
fn the_values_of_a_probe_have_the_same_explanations() {
    let items = node("/properties/probe/properties/values/items");
    let words = items["enum"].as_array().expect("words");
    let meanings = items["x-taplo"]["docs"]["enumValues"]
        .as_array()
        .expect("meanings");
    let schema: Vec<_> = words
        .iter()
        .zip(meanings)
        .map(|(word, meaning)| {
            (
                format!("`{word}`"),
                meaning.as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect();
    let reference: Vec<_> = rows("The probe", "value")
        .into_iter()
        .map(|row| (row["value"].clone(), row["meaning"].clone()))
        .collect();
    assert_eq!(reference, schema);
}

#[test]
fn every_parameter_of_a_loss_is_in_the_reference() {
    for row in rows("Loss", "model") {
        let model = row["model"]
            .trim_start_matches('`')
            .split(' ')
            .next()
            .unwrap_or_default();
        let Some(keys) = SCHEMA["definitions"][model]["properties"].as_object() else {
            continue;
        };
        for key in keys.keys() {
            assert!(
                row["parameters"].contains(&format!("`{key}`")),
                "{model}: {key}"
            );
        }
    }
}

/// Returns the rows of the table under a heading whose first column has this heading.
fn rows(heading: &str, head: &str) -> Vec<Row> {
    let mut under = "";
    let mut columns: Option<Vec<&str>> = None;
    let mut rows = Vec::new();
    for line in REFERENCE.lines() {
        if line.starts_with('#') {
            under = line.trim_start_matches(['#', ' ']);
        }
        let Some(cells) = line
            .strip_prefix("| ")
            .and_then(|line| line.strip_suffix('|'))
        else {
            if !line.starts_with('|') {
                columns = None;
            }
            continue;
        };
        let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        match &columns {
            None => columns = Some(cells),
            Some(names) if under == heading && names[0] == head => {
                let row = names
                    .iter()
                    .zip(cells)
                    .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()));
                rows.push(row.collect());
            }
            Some(_) => {}
        }
    }
    rows
}

fn node(place: &str) -> &'static Value {
    SCHEMA.pointer(place).expect("it is there")
}

fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => node(reference.trim_start_matches('#')),
        None => value,
    }
}
