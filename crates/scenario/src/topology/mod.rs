//! The three topologies: a dumbbell, a parking lot, and an arbitrary graph of links.

pub(crate) mod aqt;
mod dumbbell;
pub(crate) mod graph;
mod parking_lot;

use serde_json::{Map, Value, json};

use crate::document::{Node, Table};
use crate::form::Form;
use crate::form::rule::{open, requires};
use crate::link::access::{self, Access, AccessPatch};
use crate::link::{self, Duplex, Link};
use crate::place::Place;
use crate::queue::Queue;
use crate::text::Lines;
use aqt::AqtRouters;
use graph::Graph;

pub(crate) use dumbbell::DIRECTION;

/// The topology of a network.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a scenario has one, and patterns read better without a box"
)]
pub enum Topology {
    /// Two routers and one bottleneck between them.
    Dumbbell {
        /// The link between the routers; forward is left to right.
        bottleneck: Duplex,
    },
    /// Routers `r1`, `r2` ... in a row.
    ParkingLot {
        /// `hops[i]` is the link from router `i + 1` to router `i + 2`; forward is away from `r1`.
        hops: Vec<Duplex>,
    },
    /// Nodes and links as named in the file.
    Graph(Graph),
}

/// A topology with the defaults that its flows need while the file is read.
pub(crate) struct Layout {
    pub(crate) topology: Topology,
    access: AccessPatch,
    aqt: AqtRouters,
}

/// The kinds of topologies; a scenario has exactly one of them.
#[derive(Clone, Copy)]
enum Kind {
    Dumbbell,
    ParkingLot,
    Graph,
}

/// The keys of the topologies.
pub(crate) const KINDS: [&str; 3] = [Kind::ALL[0].key(), Kind::ALL[1].key(), Kind::ALL[2].key()];

impl Kind {
    const ALL: [Self; 3] = [Self::Dumbbell, Self::ParkingLot, Self::Graph];

    const fn key(self) -> &'static str {
        match self {
            Self::Dumbbell => dumbbell::KEY,
            Self::ParkingLot => parking_lot::KEY,
            Self::Graph => graph::KEY,
        }
    }

    fn read(self, node: &Node<'_>) -> Option<Layout> {
        match self {
            Self::Dumbbell => dumbbell::read(node),
            Self::ParkingLot => parking_lot::read(node),
            Self::Graph => graph::read(node).map(|graph| Layout {
                topology: Topology::Graph(graph),
                access: AccessPatch::default(),
                aqt: AqtRouters::default(),
            }),
        }
    }

    fn form(self) -> Form {
        match self {
            Self::Dumbbell => dumbbell::form(),
            Self::ParkingLot => parking_lot::form(),
            Self::Graph => graph::form(),
        }
    }

    /// Returns the rules for the flows of a scenario with this topology: the permitted values of their
    /// keys, and the keys that must be set.
    fn rule_of_flows(self) -> (Value, &'static [&'static str]) {
        match self {
            Self::Dumbbell => (dumbbell::of_flows(), &[]),
            Self::ParkingLot => (parking_lot::of_flows(), &[]),
            Self::Graph => (graph::of_flows(), &["from", "to"]),
        }
    }

    /// Returns whether flows in this topology have access links.
    fn has_access(self) -> bool {
        match self {
            Self::Dumbbell | Self::ParkingLot => true,
            Self::Graph => false,
        }
    }
}

/// The keys of the table of a topology; none for an unknown one.
pub(crate) fn keys(kind: &str) -> &'static [&'static str] {
    match kind {
        dumbbell::KEY => &dumbbell::KEYS,
        parking_lot::KEY => &parking_lot::KEYS,
        graph::KEY => &graph::KEYS,
        _ => &[],
    }
}

/// Reads the topology of a scenario.
pub(crate) fn read(root: &Table<'_>) -> Option<Layout> {
    let mut kinds = Kind::ALL.into_iter();
    let found: Vec<(Kind, Node<'_>)> = kinds
        .by_ref()
        .filter_map(|kind| Some((kind, root.find(kind.key())?)))
        .collect();
    match &found[..] {
        [] => {
            if !root.misspells(&KINDS) {
                root.wrong(
                    "the scenario has no topology: `dumbbell`, `parking_lot` or `graph`",
                    format!(
                        "write for example\n[dumbbell]\n{}\nbottleneck = {}",
                        access::EXAMPLE,
                        link::EXAMPLE
                    ),
                );
            }
            None
        }
        [(kind, node)] => kind.read(node),
        [.., (extra, node)] => {
            node.wrong(
                format!("a second topology, `{}`", extra.key()),
                "a scenario has exactly one of `dumbbell`, `parking_lot` and `graph`",
            );
            None
        }
    }
}

/// Returns the topologies as schemas.
pub(crate) fn forms() -> Vec<(&'static str, Form)> {
    let one = "one of the three topologies must be set";
    Kind::ALL
        .map(|kind| (kind.key(), kind.form().needed_or(one)))
        .to_vec()
}

/// Returns the rules for access links and flows of each topology.
pub(crate) fn rules() -> Vec<Value> {
    let access = Kind::ALL.into_iter().filter(|kind| kind.has_access());
    let flows = Kind::ALL.into_iter().map(|kind| {
        let (properties, required) = kind.rule_of_flows();
        let flow = open(json!({ "properties": properties, "required": required }));
        json!({ "if": requires(&[kind.key()]), "then": every_flow(flow) })
    });
    access.map(access_is_described).chain(flows).collect()
}

/// The rule that access links are described in the topology or in every flow.
fn access_is_described(kind: Kind) -> Value {
    let mut properties = Map::new();
    properties.insert(kind.key().to_owned(), requires(&["access"]));
    let in_topology = open(json!({ "properties": properties }));
    let in_flows = every_flow(requires(&["access"]));
    json!({
        "if": requires(&[kind.key()]),
        "then": open(json!({ "anyOf": [in_topology, in_flows] })),
    })
}

/// Applies a rule to every flow of a scenario.
pub(crate) fn every_flow(rule: Value) -> Value {
    open(json!({ "properties": { "flow": { "items": rule } } }))
}

impl Topology {
    /// Writes the topology.
    pub(crate) fn write(&self, out: &mut Lines) {
        match self {
            Self::Dumbbell { bottleneck } => dumbbell::write(bottleneck, out),
            Self::ParkingLot { hops } => parking_lot::write(hops, out),
            Self::Graph(graph) => graph.write(out),
        }
    }

    /// Writes the place of a flow in this topology.
    pub(crate) fn write_place(&self, place: &Place, out: &mut Lines) {
        match place {
            Place::Dumbbell { direction, access } => dumbbell::write_place(*direction, access, out),
            Place::ParkingLot { from, to, access } => {
                parking_lot::write_place(*from, *to, access, out);
            }
            Place::Graph { from, to } => {
                let nodes = match self {
                    Self::Graph(graph) => &graph.nodes[..],
                    Self::Dumbbell { .. } | Self::ParkingLot { .. } => &[],
                };
                graph::write_place(nodes, *from, *to, out);
            }
        }
    }

    /// Returns the links of the network in both directions, without the access links of flows.
    pub fn links(&self) -> Vec<&Link> {
        match self {
            Self::Dumbbell { bottleneck } => bottleneck.both().to_vec(),
            Self::ParkingLot { hops } => hops.iter().flat_map(Duplex::both).collect(),
            Self::Graph(graph) => graph
                .links
                .iter()
                .flat_map(|link| std::iter::once(&link.forward).chain(&link.reverse))
                .collect(),
        }
    }
}

/// Reads the access links that a topology describes for all its flows.
fn access(table: &Table<'_>) -> AccessPatch {
    table
        .find("access")
        .map(|node| AccessPatch::read(&node))
        .unwrap_or_default()
}

impl Layout {
    /// Returns the place of a flow. `table` is the flow's table; `acks` says whether packets also go
    /// back.
    pub(crate) fn place(&self, table: &Table<'_>, acks: bool) -> Option<Place> {
        match &self.topology {
            Topology::Dumbbell { .. } => dumbbell::place(self, table),
            Topology::ParkingLot { hops } => parking_lot::place(self, hops.len(), table),
            Topology::Graph(graph) => graph::place(graph, table, acks),
        }
    }

    /// Returns the access links of a flow between hosts at these routers.
    fn access(&self, table: &Table<'_>, routers: [&str; 2]) -> Option<Access> {
        let own = self::access(table);
        let merged = own.over(self.access.clone());
        let lacking: Vec<String> = merged
            .lacks()
            .iter()
            .map(|(key, _)| format!("`{key}`"))
            .collect();
        if !lacking.is_empty() {
            table.wrong(
                format!("the flow's access link has no {}", lacking.join(" and no ")),
                format!(
                    "write for example {} in the topology, for all flows, or in the flow",
                    access::EXAMPLE
                ),
            );
        }
        let aqt = routers.map(|router| self.aqt.has(router));
        merged.resolve(self.router_queue(), aqt)
    }

    /// Returns the default queue of a router towards an access link: as long as that of the bottleneck,
    /// or of the longest one.
    fn router_queue(&self) -> Queue {
        match &self.topology {
            Topology::Dumbbell { bottleneck } => bottleneck.forward.queue.plain(),
            Topology::ParkingLot { hops } => {
                let mut limits = hops.iter().map(|hop| hop.forward.queue.limit());
                let longest = limits.try_fold(1, |longest, limit| Some(limit?.max(longest)));
                longest.map_or(Queue::Unlimited, Queue::DropTail)
            }
            Topology::Graph(_) => Queue::Unlimited,
        }
    }
}

/// Records keys of a flow that have no meaning in its topology.
fn refuse(table: &Table<'_>, keys: &[&'static str], help: &str) {
    for key in table.present(keys) {
        if let Some(node) = table.find(key) {
            node.wrong(format!("`{key}` has no meaning in this topology"), help);
        }
    }
}
