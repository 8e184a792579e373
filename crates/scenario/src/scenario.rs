//! A scenario, how it is read from a document, and how it is written.

use std::rc::Rc;

use dumbbell_control::units::Duration;
use toml::de::DeTable;

use crate::controls::Controls;
use crate::document::{File, Table};
use crate::flow::{self, Context, Flow};
use crate::head;
use crate::log::{Found, Log};
use crate::probe::{self, Probe};
use crate::sweep;
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
    /// How long the run goes on before it is measured, below `duration`. The results are those of the
    /// rest; what happens in the run is the same.
    pub warmup: Duration,
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
            warmup,
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
            *warmup,
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
pub(crate) const KEYS: [&str; 13] = [
    "name",
    "description",
    "duration",
    "warmup",
    "seed",
    topology::KINDS[0],
    topology::KINDS[1],
    topology::KINDS[2],
    tcp::KEY,
    flow::KEY,
    probe::KEY,
    variation::KEY,
    sweep::KEY,
];

/// Reads a scenario from a document, and returns the mistakes in it. Without a mistake there is a
/// scenario.
pub(crate) fn read(
    document: &DeTable<'_>,
    traces: &Rc<Traces>,
    controls: &Controls,
) -> (Option<Scenario>, Vec<Found>) {
    let file = File {
        log: Log::default(),
        traces: Rc::clone(traces),
    };
    let scenario = read_all(document, &file, controls);
    (scenario, file.log.into_found())
}

fn read_all(document: &DeTable<'_>, file: &File, controls: &Controls) -> Option<Scenario> {
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
        warmup: head.warmup?,
        seed: head.seed?,
        topology: layout?.topology,
        flows: flows?,
        probe: probe?,
        variation: variation?,
    })
}
