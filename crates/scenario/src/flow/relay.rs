//! TCP flows that forward what other flows deliver.

use serde_json::json;

use crate::document::{Node, Table};
use crate::form::Form;
use crate::form::value::name;
use crate::names;
use crate::place::Place;
use crate::quantity::clip;
use crate::suggest;

/// The key of a flow that forwards what another flow delivers.
pub(crate) const KEY: &str = "relays";
/// The hint for this key in other kinds of flows.
pub(super) const MISPLACED: &str = "a flow that relays another one is a TCP flow";

/// The relay keys in a flow's table.
pub(super) struct Wanted<'d> {
    name: Option<&'d str>,
    node: Node<'d>,
    /// The value of `size`, if the flow sets it.
    size: Option<Node<'d>>,
}

/// A flow that may relay another one, or be relayed.
pub(super) struct Candidate<'f, 'd> {
    pub(super) count: u32,
    pub(super) place: &'f Place,
    /// Whether it has an unlimited amount to send.
    pub(super) unlimited: bool,
    /// Whether it is many connections, which nothing can relay.
    pub(super) connects: bool,
    pub(super) relays: Option<&'f Wanted<'d>>,
}

impl<'d> Wanted<'d> {
    /// Reads the key, if it is set.
    pub(super) fn read(table: &Table<'d>) -> Option<Self> {
        let node = table.find(KEY)?;
        Some(Self {
            name: node.text("\"media\""),
            node,
            size: table.find("size"),
        })
    }

    /// Records a key that a relay cannot have.
    pub(super) fn refuse(&self, message: &str) {
        let help = "it sends what the other flow delivers, for as long as that flow lasts";
        self.node.wrong(message, help);
    }
}

/// Returns, for each flow, the index of the flow that it relays, if any.
pub(super) fn settle(drafts: &[Candidate<'_, '_>], names: &[String]) -> Vec<Option<usize>> {
    let mut relayed = Vec::with_capacity(drafts.len());
    for (flow, draft) in drafts.iter().enumerate() {
        let found = draft.relays.and_then(|wanted| {
            let found = find(wanted, names)?;
            check(flow, found, drafts, names, wanted);
            if relayed.contains(&Some(found)) {
                let message = format!("`{}` is relayed already", clip(&names[found]));
                wanted
                    .node
                    .wrong(message, "only one flow can relay another one");
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

/// Checks that `flow` can relay `other`.
fn check(
    flow: usize,
    other: usize,
    drafts: &[Candidate<'_, '_>],
    names: &[String],
    wanted: &Wanted<'_>,
) {
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
            "each copy relays one copy: give both the same `count`",
        );
    }
    if source.connects {
        let message =
            format!("`{name}` is a workload of many connections, which cannot be relayed");
        node.wrong(message, "name a flow with one connection");
    }
    if !relay.unlimited {
        wanted.size.as_ref().unwrap_or(node).wrong(
            "a relay has no `size`: it sends what the other flow delivers",
            "leave it out, or write size = \"unlimited\" if `[tcp]` sets another one",
        );
    }
    if !relay.place.follows(source.place) {
        let help = match relay.place {
            Place::Dumbbell { .. } => {
                "in a dumbbell its `direction` must be the opposite of the other flow's"
            }
            Place::ParkingLot { .. } | Place::Graph { .. } => {
                "its `from` must be the `to` of the other flow"
            }
        };
        node.wrong(format!("the flow does not begin where `{name}` ends"), help);
    }
}

fn refuse_circles(drafts: &[Candidate<'_, '_>], relayed: &[Option<usize>]) {
    for (flow, draft) in drafts.iter().enumerate() {
        let next = |at: &usize| relayed[*at];
        // A walk that does not end is in a circle: it takes no more steps than there are flows.
        let mut walk = std::iter::successors(relayed[flow], next).take(drafts.len());
        if relayed[flow] != Some(flow)
            && walk.any(|at| at == flow)
            && let Some(wanted) = draft.relays
        {
            let help = "one of them must send its own data";
            wanted
                .node
                .wrong("the flows relay each other in a circle", help);
            return;
        }
    }
}

/// Returns the key as a schema.
pub(super) fn form() -> Form {
    name(names::LONGEST)
        .means("a flow whose deliveries this flow forwards from where that flow ends; both have the same `count`")
        .ranging("the name of a flow")
        .otherwise("none: the flow sends its own data")
        .such_as([json!("media")])
}
