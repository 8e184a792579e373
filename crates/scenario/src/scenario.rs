//! A scenario, and how it is read and written.

use std::path::Path;

use dumbbell_control::units::Duration;
use toml::de::DeTable;

use crate::controls::Controls;
use crate::document::{File, Table};
use crate::error::{LoadError, Report};
use crate::flow::{self, Context, Flow};
use crate::head;
use crate::log::Log;
use crate::probe::{self, Probe};
use crate::syntax;
use crate::tcp::{self, TcpPatch};
use crate::text::{Lines, quote};
use crate::topology::{self, Topology};
use crate::trace_file::Traces;
use crate::variation::{self, Variation};

/// A scenario: a network, its flows, and the duration of a run. Together with the seed it determines the
/// run.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// A name for people.
    pub name: Option<String>,
    /// A description for people.
    pub description: Option<String>,
    /// Length of the run, above 0 and up to 30 days.
    pub duration: Duration,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The network.
    pub topology: Topology,
    /// The flows, at least one.
    pub flows: Vec<Flow>,
    /// The samples that are taken during the run.
    pub probe: Probe,
    /// How the variation of each flow's sending is summarised; `None` if it is not.
    pub variation: Option<Variation>,
}

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

    /// Reads a scenario from its text alone; the text must not name traces. `file` is the name shown in
    /// reported mistakes.
    ///
    /// # Errors
    /// A [`Report`] with every mistake.
    pub fn parse(file: &str, text: &str, controls: &Controls) -> Result<Self, Report> {
        Self::parse_with(Traces::default(), file, text, controls)
    }

    /// Reads a scenario from a text that may name packet-delivery traces, relative to `folder`. The
    /// traces become a part of the scenario.
    ///
    /// # Errors
    /// A [`Report`] with every mistake, including the first wrong line of each trace.
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
        let file_read = File {
            log: Log::default(),
            traces,
        };
        let scenario = read(document.get_ref(), &file_read, controls);
        let found = file_read.log.into_found();
        debug_assert!(
            scenario.is_some() || !found.is_empty(),
            "a refusal without a reason"
        );
        scenario
            .filter(|_| found.is_empty())
            .ok_or_else(|| Report::new(file, text, found))
    }

    /// Returns the number of flows, with each entry's `count` included.
    pub fn flow_count(&self) -> usize {
        self.flows.iter().map(|flow| flow.count as usize).sum()
    }

    /// Returns the scenario as TOML, with every default spelled out and in a fixed order. Equal
    /// scenarios have equal texts, and [`Scenario::parse`] reads the same scenario from the text.
    pub fn canonical(&self) -> String {
        let Self {
            name,
            description,
            duration,
            seed,
            topology,
            flows,
            probe,
            variation,
        } = self;
        let mut out = Lines::default();
        head::write(
            name.as_deref(),
            description.as_deref(),
            *duration,
            *seed,
            &mut out,
        );
        topology.write(&mut out);
        for flow in flows {
            flow.write(topology, &mut out);
            if let Some(relayed) = flow.relays {
                out.set(flow::RELAYS, quote(&flows[relayed].name));
            }
        }
        if let Some(variation) = variation {
            variation::write(variation, &mut out);
        }
        probe::write(probe, &mut out);
        out.into_text()
    }
}

/// The keys of a file.
pub(crate) const KEYS: [&str; 11] = [
    "name",
    "description",
    "duration",
    "seed",
    topology::KINDS[0],
    topology::KINDS[1],
    topology::KINDS[2],
    tcp::KEY,
    flow::KEY,
    probe::KEY,
    variation::KEY,
];

fn read(document: &DeTable<'_>, file: &File, controls: &Controls) -> Option<Scenario> {
    let root = Table::root(document, file, &KEYS);
    let head = head::read(&root);
    let layout = topology::read(&root);
    let defaults = root
        .find(tcp::KEY)
        .and_then(|n| n.table(tcp::KEYS, &tcp::MISPLACED, "{ payload = \"1000 B\" }"))
        .map(|table| TcpPatch::read(&table, controls))
        .unwrap_or_default();
    let context = Context {
        layout: layout.as_ref(),
        defaults: &defaults,
        controls,
        duration: head.duration,
    };
    let flows = flow::read(&root, &context);
    let probe = probe::read(&root);
    let variation = variation::read(&root);
    Some(Scenario {
        name: head.name?,
        description: head.description?,
        duration: head.duration?,
        seed: head.seed?,
        topology: layout?.topology,
        flows: flows?,
        probe: probe?,
        variation: variation?,
    })
}
