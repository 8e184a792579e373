//! Scenario files: what runs, on which network, for how long.
//!
//! A file is TOML; `docs/scenario.md` is the reference of the format. [`Scenario::parse`] reads
//! one into a [`Scenario`] in which every default is filled in and everything is possible, or
//! reports every mistake with its place and what would be right. [`Scenario::canonical`] writes
//! it down again with nothing left out.

#![forbid(unsafe_code)]

mod access;
mod aqt;
mod canonical;
pub mod catalogue;
mod control;
pub mod controls;
mod copies;
mod decimal;
mod document;
mod error;
mod flow;
mod graph;
mod link;
mod log;
mod loss;
mod media;
mod names;
mod probe;
pub mod quantity;
mod queue;
mod rate;
pub mod rate_controls;
mod recovery;
mod relay;
pub mod schema;
pub mod setting;
mod settings;
mod source;
pub mod suggest;
mod syntax;
mod tcp;
mod tcp_values;
pub mod template;
mod topology;
mod trace_file;
mod unit;
mod variation;

use std::ops::RangeInclusive;
use std::path::Path;

use toml::de::DeTable;

pub use access::Access;
pub use copies::{copies, named_flows, numbered};
pub use error::{LoadError, Problem, Report};
pub use flow::{Flow, Start, Traffic};
pub use graph::{Graph, GraphLink};
pub use link::{Duplex, Link};
pub use loss::{Loss, LossModel, LossScope};
pub use media::Media;
pub use probe::{Equation, Probe, ProbeValue};
pub use quantity::BitRate;
pub use queue::{AckFilter, Queue, Red};
pub use rate::{Opportunities, Rate, Unsuitable};
pub use recovery::{Exit, Recovery};
pub use source::{Source, Udp};
pub use tcp::{Size, Tcp};
pub use topology::{Direction, Place, Topology};
pub use variation::Variation;

/// A size and a span of time, as scenarios and results have them.
pub use dumbbell_control::units::{Bytes, Duration};

use crate::controls::Controls;
use document::Table;
use flow::Context;
use log::Log;
use tcp::TcpPatch;
use trace_file::Traces;

/// A scenario: a network, its flows, and how long they run. With a seed it determines a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// A name for people.
    pub name: Option<String>,
    /// What it is about, for people.
    pub description: Option<String>,
    /// Length of the run, above 0 and up to 30 days.
    pub duration: Duration,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The network.
    pub topology: Topology,
    /// The flows, at least one.
    pub flows: Vec<Flow>,
    /// What is sampled over time.
    pub probe: Probe,
    /// How the variation of what each flow sends is summed up, if it is.
    pub variation: Option<Variation>,
}

const KEYS: [&str; 11] = [
    "name",
    "description",
    "duration",
    "seed",
    "dumbbell",
    "parking_lot",
    "graph",
    "tcp",
    "flow",
    "probe",
    "variation",
];
const LONGEST_RUN: Duration = Duration::from_secs(30 * 24 * 3600);
const DURATION: RangeInclusive<Duration> = Duration::from_nanos(1)..=LONGEST_RUN;
const SEED: RangeInclusive<u64> = 0..=u64::MAX;
const USUAL_SEED: u64 = 1;

impl Scenario {
    /// Reads a scenario from a file, with the packet-delivery traces that it names.
    ///
    /// # Errors
    /// [`LoadError`] if the file cannot be read, or is not a valid scenario.
    pub fn load(path: &Path, controls: &Controls) -> Result<Self, LoadError> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|reason| LoadError::Unreadable {
            file: file.clone(),
            reason,
        })?;
        let text = String::from_utf8(bytes).map_err(|wrong| {
            let valid = &wrong.as_bytes()[..wrong.utf8_error().valid_up_to()];
            LoadError::NotText {
                file: file.clone(),
                line: 1 + valid.iter().filter(|b| **b == b'\n').count(),
            }
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse_in(folder, &file, &text, controls).map_err(LoadError::Invalid)
    }

    /// Reads a scenario from its text, and nothing else: it must not name traces. `file` is the name
    /// that mistakes are reported under.
    ///
    /// # Errors
    /// A [`Report`] of every mistake.
    pub fn parse(file: &str, text: &str, controls: &Controls) -> Result<Self, Report> {
        Self::parse_with(Traces::default(), file, text, controls)
    }

    /// The same for a text that may name packet-delivery traces, as seen from this folder. They
    /// become a part of the scenario.
    ///
    /// # Errors
    /// A [`Report`] of every mistake, also in the first wrong line of each trace.
    pub fn parse_in(
        folder: &Path,
        file: &str,
        text: &str,
        controls: &Controls,
    ) -> Result<Self, Report> {
        Self::parse_with(Traces::beside(folder), file, text, controls)
    }

    fn parse_with(
        traces: Traces,
        file: &str,
        text: &str,
        controls: &Controls,
    ) -> Result<Self, Report> {
        let (document, wrong) = DeTable::parse_recoverable(text);
        if !wrong.is_empty() {
            return Err(Report::new(file, text, syntax::describe(text, &wrong)));
        }
        let log = Log::with(traces);
        let scenario = read(document.get_ref(), &log, controls);
        let found = log.into_found();
        debug_assert!(
            scenario.is_some() || !found.is_empty(),
            "a refusal without a reason"
        );
        match scenario {
            Some(scenario) if found.is_empty() => Ok(scenario),
            _ => Err(Report::new(file, text, found)),
        }
    }

    /// The number of flows, each entry's `count` included.
    pub fn flow_count(&self) -> usize {
        self.flows.iter().map(|flow| flow.count as usize).sum()
    }
}

fn read(document: &DeTable<'_>, log: &Log, controls: &Controls) -> Option<Scenario> {
    let root = Table::root(document, log, &KEYS);
    let name = root.find("name").map(|n| names::read(&n, names::LONGEST));
    let description = root
        .find("description")
        .map(|n| n.text("\"Two flows share a lossy link.\""));
    let duration = root
        .need("duration", "duration = \"100 s\"")
        .and_then(|n| n.time(DURATION));
    let seed = root
        .find("seed")
        .map_or(Some(USUAL_SEED), |n| n.whole(SEED));
    let layout = topology::read(&root);
    let defaults = root
        .find("tcp")
        .and_then(|n| n.table(&tcp::KEYS, &tcp::MISPLACED, "{ payload = \"1000 B\" }"))
        .map(|table| TcpPatch::read(&table, controls))
        .unwrap_or_default();
    let context = Context {
        layout: layout.as_ref(),
        defaults: &defaults,
        controls,
        duration,
    };
    let flows = flow::read(&root, &context);
    let probe = probe::read(&root);
    let variation = variation::read(&root);
    Some(Scenario {
        name: match name {
            None => None,
            Some(read) => Some(read?.to_owned()),
        },
        description: match description {
            None => None,
            Some(read) => Some(read?.to_owned()),
        },
        duration: duration?,
        seed: seed?,
        topology: layout?.topology,
        flows: flows?,
        probe: probe?,
        variation: variation?,
    })
}
