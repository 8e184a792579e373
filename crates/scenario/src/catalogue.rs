//! Everything that a scenario can name, for people and machines.

use dumbbell_control::parameter::Setting;
use dumbbell_tcp::recovery::Kind;
use serde::Serialize;

use crate::controls::Controls;
use crate::quantity::Measure;
use crate::rate_controls::RateControl;

/// Things of one sort.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// What they are.
    pub title: &'static str,
    /// The things.
    pub entries: Vec<Entry>,
}

/// Something that a scenario can name.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name, or the key and value that stand for it.
    pub name: String,
    /// What it is, in one line.
    pub summary: String,
    /// `published`, or `reconstruction` for a control of which others only told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'static str>,
    /// The recoveries of a control, the usual one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recoveries: Vec<&'static str>,
    /// The parameters of a control.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ParameterEntry>,
}

/// A parameter of a control.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterEntry {
    /// Its name.
    pub name: &'static str,
    /// Its default, as a file would say it.
    pub default: String,
    /// What it does.
    pub doc: &'static str,
}

/// Every section.
pub fn sections() -> Vec<Section> {
    let plain = |title, entries: &[(&str, &str)]| Section {
        title,
        entries: entries
            .iter()
            .map(|(name, summary)| entry(name, summary))
            .collect(),
    };
    vec![
        Section {
            title: "Congestion controls",
            entries: controls(),
        },
        plain("Short names of a control with a recovery", &SHORT_NAMES),
        Section {
            title: "Loss recoveries",
            entries: Kind::ALL
                .into_iter()
                .map(|kind| entry(kind.name(), kind.summary()))
                .collect(),
        },
        plain("Queues", &QUEUES),
        plain("Losses", &LOSSES),
        plain("Sources (of UDP flows)", &SOURCES),
        Section {
            title: "Rate controls (of flows of media)",
            entries: RateControl::all().map(rate_control).collect(),
        },
    ]
}

const SHORT_NAMES: [(&str, &str); 3] = [
    ("newreno", "control reno with recovery newreno"),
    ("sack", "control reno with recovery sack"),
    ("westwoodnr", "control westwood with recovery newreno"),
];
const QUEUES: [(&str, &str); 4] = [
    (
        "droptail = N",
        "first in, first out, at most N packets, the one in transmission included",
    ),
    ("unlimited", "first in, first out, nothing dropped"),
    (
        "red = { .. }",
        "random early detection: drops or marks before it is full",
    ),
    (
        "droptail = N, ack_filter = true",
        "an ACK removes older ones of its flow",
    ),
];
const LOSSES: [(&str, &str); 4] = [
    ("bernoulli = p", "each packet alike, with probability p"),
    (
        "geometric = p",
        "the same law, drawn as the gap to the next lost packet",
    ),
    ("two_state = { .. }", "good and bad periods of fixed length"),
    (
        "gilbert_elliott = { .. }",
        "good and bad states that change from packet to packet",
    ),
];
const SOURCES: [(&str, &str); 3] = [
    ("cbr = rate", "constant bit rate"),
    (
        "exponential = { .. }",
        "bursts and silences of exponential length",
    ),
    ("pareto = { .. }", "bursts and silences of Pareto length"),
];

fn entry(name: &str, summary: &str) -> Entry {
    Entry {
        name: name.to_owned(),
        summary: summary.to_owned(),
        origin: None,
        recoveries: Vec::new(),
        parameters: Vec::new(),
    }
}

fn controls() -> Vec<Entry> {
    let describe = |control: crate::controls::Control| Entry {
        name: control.name().to_owned(),
        summary: control.description(),
        origin: Some(control.origin().name()),
        recoveries: control
            .recoveries()
            .iter()
            .map(|kind| kind.name())
            .collect(),
        parameters: control
            .parameters()
            .iter()
            .map(|parameter| ParameterEntry {
                name: parameter.name,
                default: control.get(parameter.name).map_or_else(String::new, show),
                doc: parameter.doc,
            })
            .collect(),
    };
    Controls::builtin()
        .all()
        .into_iter()
        .map(describe)
        .collect()
}

fn rate_control(control: RateControl) -> Entry {
    let parameters = control.parameters().into_iter();
    let parameters = parameters.map(|parameter| ParameterEntry {
        name: parameter.name,
        default: control
            .settings()
            .get(parameter.name)
            .map_or_else(String::new, show),
        doc: parameter.doc,
    });
    Entry {
        parameters: parameters.collect(),
        ..entry(control.name(), control.scheme().summary())
    }
}

fn show(setting: Setting) -> String {
    match setting {
        Setting::Segments(segments) => segments.as_f64().to_string(),
        Setting::Duration(duration) => format!("\"{}\"", Measure::Time.show(duration.as_nanos())),
        Setting::Count(count) => count.to_string(),
        Setting::Ratio(ratio) => ratio.as_f64().to_string(),
        Setting::Flag(flag) => flag.to_string(),
        Setting::Choice(word) => format!("\"{word}\""),
    }
}
