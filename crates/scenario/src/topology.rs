//! The three topologies: a dumbbell, a parking lot, and any graph of links.

use std::ops::RangeInclusive;

use super::access::{ACCESS_EXAMPLE, Access, AccessPatch};
use super::aqt::AqtRouters;
use super::document::{Node, Table};
use super::graph::{self, Graph};
use super::link::{self, Duplex, LINK_EXAMPLE, Link};
use super::queue::Queue;

/// Where the packets go.
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

/// Which way a flow sends over the bottleneck of a dumbbell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Left to right.
    #[default]
    Right,
    /// Right to left.
    Left,
}

/// Where a flow runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Across the bottleneck of a dumbbell.
    Dumbbell {
        /// Which way the data goes.
        direction: Direction,
        /// Its own access links.
        access: Access,
    },
    /// From one router of a parking lot to another.
    ParkingLot {
        /// Number of the router of the sender; 1 is `r1`.
        from: u32,
        /// Number of the router of the receiver, another one.
        to: u32,
        /// Its own access links.
        access: Access,
    },
    /// From one node of a graph to another.
    Graph {
        /// Number of the node of the sender in [`Graph::nodes`].
        from: usize,
        /// Number of the node of the receiver, another one.
        to: usize,
    },
}

/// A topology while the file is read: with what its flows need.
pub(super) struct Layout {
    pub(super) topology: Topology,
    access: AccessPatch,
    aqt: AqtRouters,
}

/// The keys of the topologies; a scenario has one of them.
pub(super) const KINDS: [&str; 3] = ["dumbbell", "parking_lot", "graph"];
/// The keys of the table `dumbbell`.
pub(super) const DUMBBELL_KEYS: [&str; 4] = ["access", "bottleneck", "reverse", "aqt"];
/// The keys of the table `parking_lot`.
pub(super) const PARKING_LOT_KEYS: [&str; 4] = ["access", "bottleneck", "hops", "aqt"];
/// How many hops there may be.
pub(super) const HOPS: RangeInclusive<u64> = 1..=1_000;
/// The routers of a dumbbell.
pub(super) const SIDES: [&str; 2] = ["left", "right"];
/// The words of `direction`.
pub(super) const DIRECTIONS: [(&str, Direction); 2] =
    [("right", Direction::Right), ("left", Direction::Left)];

/// Reads the one topology of a scenario.
pub(super) fn read(root: &Table<'_>) -> Option<Layout> {
    let example =
        format!("write for example\n[dumbbell]\n{ACCESS_EXAMPLE}\nbottleneck = {LINK_EXAMPLE}");
    match root.present(&KINDS)[..] {
        [] if root.misspells(&KINDS) => None,
        [] => {
            root.wrong(
                "the scenario has no topology: `dumbbell`, `parking_lot` or `graph`",
                example,
            );
            None
        }
        [kind] => {
            let node = root.find(kind)?;
            match kind {
                "dumbbell" => read_dumbbell(&node),
                "parking_lot" => read_parking_lot(&node),
                _ => graph::read(&node).map(|g| Layout {
                    topology: Topology::Graph(g),
                    access: AccessPatch::default(),
                    aqt: AqtRouters::default(),
                }),
            }
        }
        [.., extra] => {
            let message = format!("a second topology, `{extra}`");
            root.find(extra)?.wrong(
                message,
                "a scenario has exactly one of `dumbbell`, `parking_lot` and `graph`",
            );
            None
        }
    }
}

fn read_dumbbell(node: &Node<'_>) -> Option<Layout> {
    let misplaced = [
        ("rate", "the link between the routers is `bottleneck`"),
        ("delay", "the link between the routers is `bottleneck`"),
        ("queue", "the queue belongs to `bottleneck`"),
        (
            "loss",
            "loss belongs to a link: to `bottleneck`, `reverse` or `access`",
        ),
        ("hops", "several bottlenecks in a row are a `parking_lot`"),
    ];
    let example = format!("{{ {ACCESS_EXAMPLE}, bottleneck = {LINK_EXAMPLE} }}");
    let table = node.table(&DUMBBELL_KEYS, &misplaced, &example)?;
    let access = access(&table);
    let link = table.need("bottleneck", &format!("bottleneck = {LINK_EXAMPLE}"))?;
    let aqt = AqtRouters::read(&table);
    AqtRouters::check(&table, &SIDES.map(str::to_owned));
    let sides = SIDES.map(|side| aqt.has(side));
    let bottleneck = link::read_complete(&link, table.find("reverse").as_ref(), sides)?;
    Some(Layout {
        topology: Topology::Dumbbell { bottleneck },
        access,
        aqt,
    })
}

fn read_parking_lot(node: &Node<'_>) -> Option<Layout> {
    let misplaced = [("reverse", "put `reverse` into the link table of a hop")];
    let example = format!("{{ {ACCESS_EXAMPLE}, hops = 3, bottleneck = {LINK_EXAMPLE} }}");
    let table = node.table(&PARKING_LOT_KEYS, &misplaced, &example)?;
    let access = access(&table);
    let aqt = AqtRouters::read(&table);
    let hops = table.need(
        "hops",
        &format!("hops = [{LINK_EXAMPLE}, ...], or hops = 3 beside `bottleneck`"),
    )?;
    let hops = match (table.find("bottleneck"), hops.is_array()) {
        (Some(bottleneck), false) => {
            let count = hops.whole(HOPS);
            let link = link::read_patch(&bottleneck, None);
            let (link, count) = (link?, count? as usize);
            let hop = |hop| link.clone().duplex(Queue::Unlimited, ends(&aqt, hop));
            (0..count).map(hop).collect::<Option<Vec<Duplex>>>()?
        }
        (None, true) => read_hops(&hops, &aqt)?,
        (Some(bottleneck), true) => {
            bottleneck.wrong(
                "the hops are described twice",
                "keep the array `hops`, or `bottleneck` with a number of `hops`",
            );
            return None;
        }
        (None, false) => {
            table.missing(
                "bottleneck",
                &format!("bottleneck = {LINK_EXAMPLE}, the link of every hop"),
            );
            return None;
        }
    };
    let routers: Vec<String> = (0..=hops.len()).map(numbered).collect();
    AqtRouters::check(&table, &routers);
    Some(Layout {
        topology: Topology::ParkingLot { hops },
        access,
        aqt,
    })
}

fn read_hops(node: &Node<'_>, aqt: &AqtRouters) -> Option<Vec<Duplex>> {
    let hops = node.array(&format!("[{LINK_EXAMPLE}]"))?;
    if !HOPS.contains(&(hops.len() as u64)) {
        node.wrong(
            format!("`hops` has {} links", hops.len()),
            format!("it has from {} to {}", HOPS.start(), HOPS.end()),
        );
    }
    // Every hop is read, so that the mistakes of all are noted.
    let links: Vec<Option<Duplex>> = hops
        .into_iter()
        .enumerate()
        .map(|(number, hop)| link::read_complete(&hop, None, ends(aqt, number)))
        .collect();
    links.into_iter().collect()
}

/// Whether the routers at both ends of a hop, counted from 0, add queueing times.
fn ends(aqt: &AqtRouters, hop: usize) -> [bool; 2] {
    [hop, hop + 1].map(|router| aqt.has(&numbered(router)))
}

/// The name of a router of a parking lot, counted from 0.
fn numbered(router: usize) -> String {
    format!("r{}", router + 1)
}

fn access(table: &Table<'_>) -> AccessPatch {
    table
        .find("access")
        .map(|node| AccessPatch::read(&node))
        .unwrap_or_default()
}

impl Layout {
    /// Where a flow runs. `table` is the flow's; `acks` says that packets go back, too.
    pub(super) fn place(&self, table: &Table<'_>, acks: bool) -> Option<Place> {
        match &self.topology {
            Topology::Dumbbell { .. } => {
                refuse(
                    table,
                    &["from", "to"],
                    "in a dumbbell a flow has a `direction`, \"right\" or \"left\"",
                );
                let direction = table
                    .find("direction")
                    .map_or(Some(Direction::Right), |n| n.word(&DIRECTIONS));
                let mut sides = SIDES;
                if direction == Some(Direction::Left) {
                    sides.reverse();
                }
                let access = self.access(table, sides);
                Some(Place::Dumbbell {
                    direction: direction?,
                    access: access?,
                })
            }
            Topology::ParkingLot { hops } => {
                refuse(
                    table,
                    &["direction"],
                    "in a parking lot a flow goes `from` one router `to` another: from = \"r1\"",
                );
                let last = hops.len() as u32 + 1;
                let from = table.find("from").map_or(Some(1), |n| router(&n, last));
                let to = table.find("to").map_or(Some(last), |n| router(&n, last));
                let routers = [from, to].map(|router| format!("r{}", router.unwrap_or(1)));
                let access = self.access(table, [&routers[0], &routers[1]]);
                let (from, to) = (from?, to?);
                if from == to {
                    let node = table.find("to").or_else(|| table.find("from"))?;
                    node.wrong(
                        format!("the flow goes from `r{from}` to itself"),
                        "name two different routers",
                    );
                }
                Some(Place::ParkingLot {
                    from,
                    to,
                    access: access?,
                })
            }
            Topology::Graph(graph) => {
                let help =
                    "in a graph a flow goes `from` one node `to` another: from = \"a\", to = \"b\"";
                refuse(table, &["direction"], help);
                refuse(
                    table,
                    &["access"],
                    "in a graph the hosts are nodes, and their links stand in `graph.link`",
                );
                graph::place(graph, table, acks)
            }
        }
    }

    /// The access links of a flow between hosts at these routers.
    fn access(&self, table: &Table<'_>, routers: [&str; 2]) -> Option<Access> {
        let own = access(table);
        let merged = own.over(self.access.clone());
        let lacking: Vec<String> = merged
            .lacks()
            .iter()
            .map(|(key, _)| format!("`{key}`"))
            .collect();
        if !lacking.is_empty() {
            table.wrong(
                format!("the flow's access link has no {}", lacking.join(" and no ")),
                format!("write for example {ACCESS_EXAMPLE} in the topology, for all flows, or in the flow"),
            );
        }
        let aqt = routers.map(|router| self.aqt.has(router));
        merged.resolve(self.router_queue(), aqt)
    }

    /// A router's queue towards an access link is as long as the (longest) bottleneck's.
    fn router_queue(&self) -> Queue {
        let longer = |a: Queue, b: &Link| match (a, b.queue.plain()) {
            (Queue::DropTail(a), Queue::DropTail(b)) => Queue::DropTail(a.max(b)),
            _ => Queue::Unlimited,
        };
        match &self.topology {
            Topology::Dumbbell { bottleneck } => bottleneck.forward.queue.plain(),
            Topology::ParkingLot { hops } => hops
                .iter()
                .fold(Queue::DropTail(1), |a, hop| longer(a, &hop.forward)),
            Topology::Graph(_) => Queue::Unlimited,
        }
    }
}

fn refuse(table: &Table<'_>, keys: &[&'static str], help: &str) {
    for key in table.present(keys) {
        if let Some(node) = table.find(key) {
            node.wrong(format!("`{key}` has no meaning in this topology"), help);
        }
    }
}

fn router(node: &Node<'_>, last: u32) -> Option<u32> {
    let text = node.text("\"r1\"")?;
    let number = text
        .strip_prefix('r')
        .filter(|n| n.bytes().all(|b| b.is_ascii_digit()) && !n.starts_with('0'));
    let found = number
        .and_then(|n| n.parse().ok())
        .filter(|n| (1..=last).contains(n));
    if found.is_none() {
        let message = format!(
            "`{}`: there is no router `{}`",
            node.name(),
            super::quantity::clip(text)
        );
        node.wrong(message, format!("the routers are `r1` to `r{last}`"));
    }
    found
}
