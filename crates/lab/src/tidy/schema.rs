//! The JSON Schema of what `dumbbell run --json` prints.

mod media;
mod workload;

use serde_json::{Map, Value, json};

use super::{Kind, MEASURES, Measure, Range, measures_of_flows};
use crate::table::{Head, Type};

/// The version of the results. Keys are only ever added to a version; a key that is removed or means
/// something else makes a new one.
const VERSION: u32 = 1;

/// The schema of an object of results: one run of a scenario.
pub fn results() -> Value {
    let properties = object([
        (
            "scenario",
            text_or_null("the name of the scenario, if it has one"),
        ),
        (
            "file",
            text("the scenario file, as it was named; `-` for standard input"),
        ),
        ("seed", whole("the seed of the run")),
        ("version", text("the version of Dumbbell")),
        (
            "measured",
            json!({
                "description": "the span of the run that is measured: everything after the warm-up",
                "type": "object",
                "required": ["from", "to"],
                "properties": {
                    "from": positive("its beginning: the scenario's `warmup`, in seconds"),
                    "to": positive("its end: the scenario's `duration`, in seconds"),
                },
            }),
        ),
        (
            "groups",
            array(
                "one object per group of flows, with the measures of docs/measures.md",
                groups(),
            ),
        ),
        (
            "flows",
            array("one object per flow, in the order of the file", flows()),
        ),
        (
            "links",
            array("one object per direction of a link", links()),
        ),
        (
            "workloads",
            array(
                "one object per flow entry with a workload; left out without one",
                workload::results(),
            ),
        ),
        ("jain_all", nullable(of_measure(named("jain_all")))),
        (
            "packets",
            whole(
                "transport data packets that left the link `bottleneck` in the forward direction; 0 without such a link",
            ),
        ),
        ("events", whole("events that the simulator executed")),
        (
            "wall_s",
            nullable(positive(
                "elapsed time of the run, in seconds; it differs from run to run; `null` with --store",
            )),
        ),
        (
            "cpu_s",
            nullable(positive(
                "processor time of the run, in seconds; it differs from run to run; `null` with --store",
            )),
        ),
    ]);
    let mut schema = closed(
        "the results of one run of a scenario",
        properties,
        &["workloads"],
    );
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["$id"] = json!(format!("dumbbell-results-{VERSION}"));
    schema["title"] = json!("Results of dumbbell run --json");
    schema["version"] = json!(VERSION);
    // A build with Parquet has objects that keep the order in which they were made.
    schema.sort_all_objects();
    schema
}

fn groups() -> Value {
    let own = Kind::Groups.heads();
    let own = own
        .iter()
        .take_while(|it| Measure::named(&it.name).is_none());
    let measures = MEASURES
        .iter()
        .map(|it| (it.word, nullable(of_measure(it))));
    let properties = own
        .map(|head| (head.name.clone(), of_head(head)))
        .chain(measures.map(|(word, form)| (word.to_owned(), form)))
        .collect();
    closed("a group of flows", properties, &[])
}

/// The key of a flow in JSON for each measure that has another name there.
const FLOW_KEYS: [(&str, &str); 29] = [
    ("goodput", "goodput_bps"),
    ("throughput", "throughput_bps"),
    ("recoveries", "fast_recoveries"),
    ("rtt", "rtt_mean_s"),
    ("rtt_p50", "rtt_p50_s"),
    ("rtt_p95", "rtt_p95_s"),
    ("rtt_p99", "rtt_p99_s"),
    ("rtt_max", "rtt_max_s"),
    ("queueing", "queueing_mean_s"),
    ("queueing_p50", "queueing_p50_s"),
    ("queueing_p95", "queueing_p95_s"),
    ("queueing_p99", "queueing_p99_s"),
    ("queueing_max", "queueing_max_s"),
    ("window", "cwnd_mean"),
    ("variation", "sending_variation"),
    ("retransmit_rate", ""),
    ("completed", ""),
    ("completion", ""),
    ("encoded", ""),
    ("shown", ""),
    ("shown_variation", ""),
    ("frames", ""),
    ("frames_shown", ""),
    ("frames_late", ""),
    ("frames_lost", ""),
    ("frozen", ""),
    ("freezes", ""),
    ("frame_delay", ""),
    ("frame_delay_p95", ""),
];

/// The keys of a flow that are left out if they are 0, false or empty.
const OPTIONAL: [&str; 6] = [
    "reconstructed",
    "ecn_cuts",
    "marks",
    "classified",
    "sending_variation",
    "media",
];

fn flows() -> Value {
    let mut properties = object([
        ("name", text("the name of the flow")),
        ("group", text("the name of its group")),
        ("control", text("its congestion control, or `udp`")),
        (
            "reconstructed",
            json!({ "description": "whether the control is a reconstruction, not the published algorithm; left out if not", "type": "boolean" }),
        ),
        (
            "recovery",
            text_or_null("its loss recovery, `quic` for a QUIC flow; `null` if it is neither"),
        ),
        ("start_s", positive("when it started, in seconds")),
        (
            "finish_s",
            nullable(positive(
                "when the last segment of a finite transfer was acknowledged, or a source stopped, in seconds; `null` if the run ended first",
            )),
        ),
        (
            "classified",
            array(
                "the scores of its loss classifiers; left out without classifiers",
                scores(),
            ),
        ),
        ("media", media::frames()),
    ]);
    for measure in measures_of_flows() {
        let key = FLOW_KEYS.iter().find(|(word, _)| *word == measure.word);
        let key = key.map_or(measure.word, |(_, key)| key);
        let always =
            matches!(key, "goodput_bps" | "throughput_bps") || measure.range == Range::Count;
        let form = of_measure(measure);
        if !key.is_empty() {
            properties.insert(key.to_owned(), if always { form } else { nullable(form) });
        }
    }
    closed("a flow", properties, &OPTIONAL)
}

fn scores() -> Value {
    let count = |about: &str| whole(about);
    let properties = object([
        ("classifier", text("the name of the classifier")),
        (
            "dropped_as_congestion",
            count("episodes with a segment that a queue dropped, classified as congestion"),
        ),
        (
            "dropped_as_random",
            count("episodes with a segment that a queue dropped, classified as random loss"),
        ),
        (
            "lost_as_congestion",
            count("episodes with a segment that a loss model removed, classified as congestion"),
        ),
        (
            "lost_as_random",
            count("episodes with a segment that a loss model removed, classified as random loss"),
        ),
        ("spurious", count("episodes without a lost segment")),
    ]);
    closed("the scores of a classifier", properties, &[])
}

fn links() -> Value {
    let mut properties = object([("name", text("the name of this direction of the link"))]);
    let (mut sojourn, mut l4s) = (Map::new(), Map::new());
    for measure in super::LINKS {
        if let Some(part) = measure.word.strip_prefix("sojourn_") {
            sojourn.insert(format!("{part}_s"), of_head(&measure.head()));
            continue;
        }
        if let Some(part) = measure.word.strip_prefix("l4s_sojourn_") {
            l4s.insert(format!("{part}_s"), of_head(&measure.head()));
            continue;
        }
        let key = match measure.word {
            "queue" => "queue_mean",
            "wait" => "wait_mean_s",
            word => word,
        };
        let form = of_head(&measure.head());
        let form = if measure.word == "wait" {
            nullable(form)
        } else {
            form
        };
        properties.insert(key.to_owned(), form);
    }
    let about = "how long packets waited, if the link measures it";
    properties.insert("sojourn".to_owned(), closed(about, sojourn, &[]));
    let about = "of these, the packets of DualPI2's queue for low latency";
    properties.insert("l4s_sojourn".to_owned(), closed(about, l4s, &[]));
    closed(
        "a direction of a link",
        properties,
        &[
            "policed",
            "retransmitted",
            "duplicated",
            "corrupted",
            "sojourn",
            "l4s_sojourn",
        ],
    )
}

fn named(word: &str) -> &'static Measure {
    Measure::named(word).expect("it is a measure")
}

fn of_measure(measure: &Measure) -> Value {
    let mut form = of_head(&measure.head());
    if measure.range == Range::Fraction {
        form["maximum"] = json!(1);
    }
    form
}

/// The form of a value of a column.
fn of_head(head: &Head) -> Value {
    let about = match &head.unit {
        Some(unit) => format!("{}, in {unit}", head.about),
        None => head.about.clone(),
    };
    match head.sort {
        Type::Whole => whole(&about),
        Type::Number => positive(&about),
        Type::Text if head.name == "recovery" => text_or_null(&about),
        Type::Text => text(&about),
        Type::Flag => json!({ "description": about, "type": "boolean" }),
    }
}

fn text(about: &str) -> Value {
    json!({ "description": about, "type": "string" })
}

fn text_or_null(about: &str) -> Value {
    nullable(text(about))
}

fn whole(about: &str) -> Value {
    json!({ "description": about, "type": "integer", "minimum": 0 })
}

fn positive(about: &str) -> Value {
    json!({ "description": about, "type": "number", "minimum": 0 })
}

fn array(about: &str, items: Value) -> Value {
    json!({ "description": about, "type": "array", "items": items })
}

/// The same form, or no value.
fn nullable(mut form: Value) -> Value {
    let sort = form["type"].take();
    form["type"] = json!([sort, "null"]);
    form
}

fn object<const N: usize>(properties: [(&str, Value); N]) -> Map<String, Value> {
    properties
        .into_iter()
        .map(|(key, form)| (key.to_owned(), form))
        .collect()
}

/// An object that has all of these keys, except that `optional` ones may be left out. A later version of
/// Dumbbell may add others.
fn closed(about: &str, mut properties: Map<String, Value>, optional: &[&str]) -> Value {
    // Their order is that of `required`, which is an array.
    properties.sort_keys();
    let required: Vec<&String> = properties
        .keys()
        .filter(|key| !optional.contains(&key.as_str()))
        .collect();
    let required = json!(required);
    json!({ "description": about, "type": "object", "required": required, "properties": properties })
}
