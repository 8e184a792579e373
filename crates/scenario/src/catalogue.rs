//! Everything that a scenario can name, for people and machines.

use dumbbell_control::parameter::{Parameter, Setting};
use serde::Serialize;

use crate::control;
use crate::controls::{Control, Controls};
use crate::loss::LossModel;
use crate::parameter::show;
use crate::queue::Queue;
use crate::rate_controls::RateControl;
use crate::recovery;
use crate::source::Source;

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
    let builtin = Controls::builtin().all();
    vec![
        section("Congestion controls", builtin.iter().map(of_control)),
        section(
            "Short names of a control with a recovery",
            control::short_names()
                .into_iter()
                .map(|(name, summary)| entry(name, summary)),
        ),
        plain("Loss recoveries", recovery::entries()),
        plain("Queues", Queue::entries()),
        plain("Losses", LossModel::entries()),
        plain("Sources (of UDP flows)", Source::entries()),
        section(
            "Rate controls (of flows of media)",
            RateControl::all().map(|control| of_rate_control(&control)),
        ),
    ]
}

fn section(title: &'static str, entries: impl Iterator<Item = Entry>) -> Section {
    Section {
        title,
        entries: entries.collect(),
    }
}

/// A section of things that say for themselves what they are.
fn plain(title: &'static str, entries: Vec<(&'static str, &'static str)>) -> Section {
    let entries = entries.into_iter();
    section(title, entries.map(|(name, summary)| entry(name, summary)))
}

fn entry(name: &str, summary: impl Into<String>) -> Entry {
    Entry {
        name: name.to_owned(),
        summary: summary.into(),
        origin: None,
        recoveries: Vec::new(),
        parameters: Vec::new(),
    }
}

fn of_control(control: &Control) -> Entry {
    let recoveries = control.recoveries();
    Entry {
        origin: Some(control.origin().name()),
        recoveries: recoveries.iter().map(|kind| kind.name()).collect(),
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
        doc: parameter.doc,
    };
    parameters.iter().map(entry).collect()
}
