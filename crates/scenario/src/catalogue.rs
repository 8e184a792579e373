//! A list of everything that a scenario can name, for people and programs.

use dumbbell_control::parameter::{Parameter, Setting};
use dumbbell_control::{classifier, estimator};
use serde::Serialize;

use crate::control;
use crate::controls::{Control, Controls};
use crate::frames;
use crate::link;
use crate::loss::LossModel;
use crate::parameter::{range, show};
use crate::queue::Queue;
use crate::rate_controls::RateControl;
use crate::recovery;
use crate::source::Source;
use crate::workload::{self, Laws};

/// A section of the catalogue: entries of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// The sort of its entries, as one word or two: `control`, `queue`, `rate control`, ...
    pub sort: &'static str,
    /// The heading of the section.
    pub title: &'static str,
    /// The entries, in the order in which they are listed.
    pub entries: Vec<Entry>,
}

/// Something that a scenario can name.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name, or the key and value that select it.
    pub name: String,
    /// A one-line summary.
    pub summary: String,
    /// `published`, or `reconstruction` for a control that is only known from descriptions by others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'static str>,
    /// The recoveries of a control, the default first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recoveries: Vec<&'static str>,
    /// The signals that a control with its default parameters requires of its host, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<&'static str>,
    /// The parameters of a control.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ParameterEntry>,
}

/// A parameter of a control.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterEntry {
    /// Its name.
    pub name: &'static str,
    /// Its default, as it would be written in a file.
    pub default: String,
    /// The permitted values, in words.
    pub range: String,
    /// A description of what it does.
    pub doc: &'static str,
}

/// Returns all sections of the catalogue, with these controls.
pub fn sections(controls: &Controls) -> Vec<Section> {
    let (controls, rates) = (controls.all(), controls.all_rates());
    vec![
        section(
            "control",
            "Congestion controls",
            controls.iter().map(of_control),
        ),
        section(
            "short name",
            "Short names of a control with a recovery",
            control::short_names()
                .into_iter()
                .map(|(name, summary)| entry(name, summary)),
        ),
        plain("recovery", "Loss recoveries", recovery::entries()),
        plain("queue", "Queues", Queue::entries()),
        plain("loss", "Losses", LossModel::entries()),
        plain("link", "Links", link::entries()),
        plain(
            "source",
            "Sources (of UDP flows, and of what TCP flows write)",
            Source::entries(),
        ),
        plain(
            "workload",
            "Workloads (of TCP connections that come and go)",
            workload::ENTRIES.to_vec(),
        ),
        plain("size", "Sizes of transfers (of workloads)", Laws::entries()),
        section(
            "rate control",
            "Rate controls (of media flows)",
            rates.iter().map(of_rate_control),
        ),
        plain(
            "frames",
            "Frames (of media flows)",
            frames::ENTRIES.to_vec(),
        ),
        section(
            "estimator",
            "Estimators of bandwidth (of probes)",
            estimator::all().map(|it| Entry {
                origin: Some(it.origin().name()),
                parameters: parameters(it.parameters(), |name| it.get(name)),
                ..entry(it.name(), it.summary())
            }),
        ),
        section(
            "classifier",
            "Classifiers of losses (of probes)",
            classifier::all().map(|it| Entry {
                origin: Some(it.origin().name()),
                parameters: parameters(it.parameters(), |name| it.get(name)),
                ..entry(it.name(), it.summary())
            }),
        ),
    ]
}

fn section(
    sort: &'static str,
    title: &'static str,
    entries: impl Iterator<Item = Entry>,
) -> Section {
    Section {
        sort,
        title,
        entries: entries.collect(),
    }
}

/// Makes a section from names with their summaries.
fn plain(
    sort: &'static str,
    title: &'static str,
    entries: Vec<(&'static str, &'static str)>,
) -> Section {
    let entries = entries.into_iter();
    section(
        sort,
        title,
        entries.map(|(name, summary)| entry(name, summary)),
    )
}

fn entry(name: &str, summary: impl Into<String>) -> Entry {
    Entry {
        name: name.to_owned(),
        summary: summary.into(),
        origin: None,
        recoveries: Vec::new(),
        needs: Vec::new(),
        parameters: Vec::new(),
    }
}

fn of_control(control: &Control) -> Entry {
    let recoveries = control.recoveries();
    Entry {
        origin: Some(control.origin().name()),
        recoveries: recoveries.iter().map(|kind| kind.name()).collect(),
        needs: control.needs().words().collect(),
        parameters: parameters(control.parameters(), |name| control.get(name)),
        ..entry(control.name(), control.description())
    }
}

fn of_rate_control(control: &RateControl) -> Entry {
    Entry {
        parameters: parameters(&control.parameters(), |name| control.get(name)),
        ..entry(control.name(), control.scheme().summary())
    }
}

fn parameters(
    parameters: &[Parameter],
    default: impl Fn(&str) -> Option<Setting>,
) -> Vec<ParameterEntry> {
    let entry = |parameter: &Parameter| ParameterEntry {
        name: parameter.name,
        default: default(parameter.name).map_or_else(String::new, show),
        range: range(parameter.kind),
        doc: parameter.doc,
    };
    parameters.iter().map(entry).collect()
}
