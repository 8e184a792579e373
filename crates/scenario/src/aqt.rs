//! The routers of a topology that add to packets how long they wait (RoVegas, section 3).

use super::document::{Node, Table};
use super::quantity::clip;
use super::suggest;
use super::{Duplex, Link, Place, Tcp, Topology};

/// Which routers add queueing times on all their links, as far as a link does not say.
#[derive(Clone, Debug, Default)]
pub(super) struct AqtRouters {
    all: bool,
    named: Vec<String>,
}

/// The key in a topology.
pub(super) const KEY: &str = "aqt";
/// The word for every router.
pub(super) const ALL: &str = "all";

/// Refuses a control that lives on what no router of its network tells, or that it does not ask for.
pub(super) fn refuse_silence(tcp: &Tcp, topology: &Topology, place: &Place, table: &Table<'_>) {
    if !tcp.control.needs().queueing {
        return;
    }
    let name = tcp.control.name();
    let (key, message) = if !links(topology, place).any(|link| link.aqt) {
        let message = format!(
            "`{name}` needs routers that report how long packets waited (AQT), and there are none"
        );
        ("control", message)
    } else if tcp.probe_every.is_none() {
        let message = format!(
            "`{name}` needs to hear from routers how long packets waited (AQT), and asks for nothing"
        );
        ("probe_every", message)
    } else {
        return;
    };
    let node = table.find(key).or_else(|| table.find("control"));
    table.wrong_at(
        node.map_or(table.span(), |n| n.span()),
        message,
        if key == "control" {
            "write aqt = \"all\" in the network's table, or control = \"vegas\", which does the same by round-trip times alone"
        } else {
            "leave `probe_every` out: every segment asks then"
        },
    );
}

/// The links of a network, and those of a flow.
fn links<'t>(topology: &'t Topology, place: &'t Place) -> impl Iterator<Item = &'t Link> {
    let both = |duplex: &'t Duplex| [&duplex.forward, &duplex.reverse];
    let core: Vec<&Link> = match topology {
        Topology::Dumbbell { bottleneck } => both(bottleneck).to_vec(),
        Topology::ParkingLot { hops } => hops.iter().flat_map(both).collect(),
        Topology::Graph(graph) => graph
            .links
            .iter()
            .flat_map(|link| std::iter::once(&link.forward).chain(&link.reverse))
            .collect(),
    };
    let access = match place {
        Place::Dumbbell { access, .. } | Place::ParkingLot { access, .. } => Some(access),
        Place::Graph { .. } => None,
    };
    let own = access.into_iter().flat_map(move |access| {
        both(&access.sender)
            .into_iter()
            .chain(both(&access.receiver))
    });
    core.into_iter().chain(own)
}

impl AqtRouters {
    /// Reads the key of a topology's table: an array of routers, or "all".
    pub(super) fn read(table: &Table<'_>) -> Self {
        let mut routers = Self::default();
        let Some(node) = table.find(KEY) else {
            return routers;
        };
        if node.as_text() == Some(ALL) {
            routers.all = true;
            return routers;
        }
        for element in node
            .array("[\"r1\", \"r2\"], or \"all\"")
            .unwrap_or_default()
        {
            routers
                .named
                .extend(element.text("\"r1\"").map(str::to_owned));
        }
        routers
    }

    /// Whether a router is one of them.
    pub(super) fn has(&self, router: &str) -> bool {
        self.all || self.named.iter().any(|name| name == router)
    }

    /// Notes the names that no router has.
    pub(super) fn check(table: &Table<'_>, routers: &[String]) {
        let elements = table
            .find(KEY)
            .filter(Node::is_array)
            .and_then(|node| node.array(""));
        for node in elements.unwrap_or_default() {
            let Some(name) = node.as_text() else {
                continue;
            };
            if routers.iter().any(|router| router == name) {
                continue;
            }
            let message = format!("`{KEY}`: there is no router `{}`", clip(name));
            let names: Vec<&str> = routers.iter().take(30).map(String::as_str).collect();
            node.wrong(message, suggest::help(name, "the routers are", &names));
        }
    }
}
