//! The table `[sweep]` as a JSON Schema, for editors.

use serde_json::{Value, json};

use super::span::WORDS;

/// Returns the schema of the table.
pub fn of() -> Value {
    let range: serde_json::Map<String, Value> = WORDS
        .iter()
        .map(|word| ((*word).to_owned(), json!({ "type": ["number", "string"] })))
        .collect();
    let values = json!({
        "anyOf": [
            { "type": "array", "minItems": 1, "description": "the values" },
            {
                "type": "object",
                "description": "a range: `from`, `to`, and one of `step`, `count` and `log`",
                "properties": range,
            },
        ],
    });
    let axis = json!({ "type": "object", "additionalProperties": values, "minProperties": 1 });
    let described = |mut schema: Value, text: &str| {
        schema["description"] = text.into();
        schema
    };
    let runs = json!({ "type": "integer", "minimum": 1, "maximum": super::repeat::MOST });
    json!({
        "type": "object",
        "description": "the values and the runs of `dumbbell sweep`, see sweep.md",
        "additionalProperties": false,
        "properties": {
            "grid": described(axis.clone(), "paths with their values; every combination is a point"),
            "zip": {
                "type": "array",
                "description": "paths whose values go in step; an entry is one more axis of the grid",
                "items": axis,
            },
            "where": {
                "type": "string",
                "description": "which points are run, such as \"bdp >= 4\"",
            },
            "repeat": described(runs.clone(), "the runs of each point (default: 10)"),
            "until": {
                "type": "object",
                "description": "run each point until the interval of a measure is narrow enough",
                "additionalProperties": false,
                "required": ["measure", "interval"],
                "properties": {
                    "measure": { "type": "string", "description": "a column of the table `groups`" },
                    "group": { "type": "string", "description": "the group (default: every group)" },
                    "interval": {
                        "type": "string",
                        "pattern": "^\\s*[0-9.]+\\s*%\\s*$",
                        "description": "the largest half width of the 95 % interval, in percent of the mean",
                    },
                    "at_least": described(runs.clone(), "the least number of runs (default: 5)"),
                    "at_most": described(runs, "the largest number of runs (default: 100)"),
                },
            },
            "seeds": {
                "enum": ["common", "independent"],
                "description": "whether run n of all points has the same seed (default: common)",
            },
            "warmup": {
                "type": "string",
                "description": "sets the scenario's `warmup` in every point",
            },
            "measure": {
                "type": "array",
                "description": "named measures of a run, as in figures",
                "items": { "type": "object", "required": ["name", "label"] },
            },
        },
    })
}
