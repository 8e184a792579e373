//! TCP flows that send on what other flows deliver.

use super::document::{Node, Table};
use super::flow::Draft;
use super::quantity::clip;
use super::tcp::Size;
use super::topology::Place;
use super::{Traffic, suggest};

/// The key of a flow that sends on what another one delivers.
pub(super) const KEY: &str = "relays";
/// What is said of the key in other flows.
pub(super) const MISPLACED: &str = "what sends on what another flow delivers is a TCP flow";

/// What a flow's table says of it.
pub(super) struct Wanted<'d> {
    name: Option<&'d str>,
    node: Node<'d>,
    /// `size`, where it stands in the flow.
    size: Option<Node<'d>>,
}

impl<'d> Wanted<'d> {
    /// Reads the key, if it is there.
    pub(super) fn read(table: &Table<'d>) -> Option<Self> {
        let node = table.find(KEY)?;
        Some(Self {
            name: node.text("\"media\""),
            node,
            size: table.find("size"),
        })
    }
}

/// The place of the flow that each flow relays, if it relays one.
pub(super) fn settle(drafts: &[Draft<'_>], names: &[String]) -> Vec<Option<usize>> {
    let mut relayed = Vec::with_capacity(drafts.len());
    for (flow, draft) in drafts.iter().enumerate() {
        let found = draft.relays.as_ref().and_then(|wanted| {
            let found = find(wanted, names)?;
            check(flow, found, drafts, names, wanted);
            if relayed.contains(&Some(found)) {
                let message = format!("`{}` is relayed already", clip(&names[found]));
                wanted.node.wrong(message, "one flow relays another one");
            }
            Some(found)
        });
        relayed.push(found);
    }
    refuse_circles(drafts, &relayed);
    relayed
}

fn find(wanted: &Wanted<'_>, names: &[String]) -> Option<usize> {
    let name = wanted.name?;
    let found = names.iter().position(|known| known == name);
    if found.is_none() {
        let message = format!("`{KEY}`: there is no flow `{}`", clip(name));
        let names: Vec<&str> = names.iter().take(30).map(String::as_str).collect();
        let help = suggest::help(name, "the flows are", &names);
        wanted.node.wrong(message, help);
    }
    found
}

/// Whether `flow` can relay `other`.
fn check(flow: usize, other: usize, drafts: &[Draft<'_>], names: &[String], wanted: &Wanted<'_>) {
    let (relay, source) = (&drafts[flow], &drafts[other]);
    let name = clip(&names[other]);
    let node = &wanted.node;
    if flow == other {
        node.wrong("the flow relays itself", "name another flow");
        return;
    }
    if relay.count != source.count {
        let message = format!(
            "there are {} of this flow, and {} of `{name}`, which it relays",
            relay.count, source.count
        );
        node.wrong(
            message,
            "each of them relays one: give both the same `count`",
        );
    }
    if let Traffic::Tcp(tcp) = &relay.traffic
        && tcp.size != Size::Unlimited
    {
        wanted.size.as_ref().unwrap_or(node).wrong(
            "a relay has no `size`: it sends what the other flow delivers",
            "leave it out, or write size = \"unlimited\" where `[tcp]` says otherwise",
        );
    }
    if !follows(&relay.place, &source.place) {
        let help = match relay.place {
            Place::Dumbbell { .. } => {
                "in a dumbbell it goes the other way: a `direction` unlike the other's"
            }
            Place::ParkingLot { .. } | Place::Graph { .. } => {
                "its `from` must be the `to` of the other"
            }
        };
        node.wrong(format!("the flow does not begin where `{name}` ends"), help);
    }
}

/// Whether the one begins where the other ends.
fn follows(relay: &Place, source: &Place) -> bool {
    match (relay, source) {
        (
            Place::Dumbbell { direction, .. },
            Place::Dumbbell {
                direction: other, ..
            },
        ) => direction != other,
        (Place::ParkingLot { from, .. }, Place::ParkingLot { to, .. }) => from == to,
        (Place::Graph { from, .. }, Place::Graph { to, .. }) => from == to,
        _ => false,
    }
}

fn refuse_circles(drafts: &[Draft<'_>], relayed: &[Option<usize>]) {
    for (flow, draft) in drafts.iter().enumerate() {
        let next = |at: &usize| relayed[*at];
        // A walk that does not end has gone round: no more steps than there are flows.
        let mut walk = std::iter::successors(relayed[flow], next).take(drafts.len());
        if relayed[flow] != Some(flow)
            && walk.any(|at| at == flow)
            && let Some(wanted) = &draft.relays
        {
            let help = "one of them must have something of its own to send";
            wanted
                .node
                .wrong("the flows relay each other in a circle", help);
            return;
        }
    }
}
