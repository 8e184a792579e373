//! A parking lot: routers `r1`, `r2` ... in a row, with hosts at each.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::aqt::{self, AqtRouters};
use super::{Layout, Topology, access, refuse};
use crate::document::{Node, Table};
use crate::form::rule::{open, requires};
use crate::form::value::{array, table, whole};
use crate::form::{Form, range};
use crate::link::access::{Access, EXAMPLE as ACCESS_EXAMPLE};
use crate::link::{self, Duplex, EXAMPLE as LINK_EXAMPLE, Usual};
use crate::place::Place;
use crate::quantity::clip;
use crate::text::{Lines, quote};

/// The key in files.
pub(super) const KEY: &str = "parking_lot";
/// The keys of the table.
pub(super) const KEYS: [&str; 4] = ["access", "bottleneck", "hops", aqt::KEY];
/// The permitted numbers of hops.
const HOPS: RangeInclusive<u64> = 1..=1_000;

/// Reads the table.
pub(super) fn read(node: &Node<'_>) -> Option<Layout> {
    let misplaced = [("reverse", "put `reverse` in the link table of a hop")];
    let example = format!("{{ {ACCESS_EXAMPLE}, hops = 3, bottleneck = {LINK_EXAMPLE} }}");
    let table = node.table(&KEYS, &misplaced, &example)?;
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
            let hop = |hop| link.clone().duplex(&Usual::of(ends(&aqt, hop)));
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
    // Every hop is read, so that the mistakes in all of them are recorded.
    let links: Vec<Option<Duplex>> = hops
        .into_iter()
        .enumerate()
        .map(|(number, hop)| link::read_complete(&hop, None, ends(aqt, number)))
        .collect();
    links.into_iter().collect()
}

/// Returns whether the routers at both ends of a hop, counted from 0, add queueing times.
fn ends(aqt: &AqtRouters, hop: usize) -> [bool; 2] {
    [hop, hop + 1].map(|router| aqt.has(&numbered(router)))
}

/// Returns the name of a router, counted from 0.
fn numbered(router: usize) -> String {
    format!("r{}", router + 1)
}

/// Returns the place of a flow in a parking lot with this many hops.
pub(super) fn place(layout: &Layout, hops: usize, table: &Table<'_>) -> Option<Place> {
    refuse(
        table,
        &["direction"],
        "in a parking lot a flow goes `from` one router `to` another: from = \"r1\"",
    );
    let last = hops as u32 + 1;
    let from = table.find("from").map_or(Some(1), |n| router(&n, last));
    let to = table.find("to").map_or(Some(last), |n| router(&n, last));
    let routers = [from, to].map(|router| format!("r{}", router.unwrap_or(1)));
    let access = layout.access(table, [&routers[0], &routers[1]]);
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

fn router(node: &Node<'_>, last: u32) -> Option<u32> {
    let text = node.text("\"r1\"")?;
    let number = text
        .strip_prefix('r')
        .filter(|n| n.bytes().all(|b| b.is_ascii_digit()) && !n.starts_with('0'));
    let found = number
        .and_then(|n| n.parse().ok())
        .filter(|n| (1..=last).contains(n));
    if found.is_none() {
        let message = format!("`{}`: there is no router `{}`", node.name(), clip(text));
        node.wrong(message, format!("the routers are `r1` to `r{last}`"));
    }
    found
}

/// Writes the table.
pub(super) fn write(hops: &[Duplex], out: &mut Lines) {
    out.head("[parking_lot]");
    let hops: Vec<String> = hops
        .iter()
        .map(|hop| format!("    {},\n", hop.write()))
        .collect();
    out.set("hops", format!("[\n{}]", hops.concat()));
}

/// Writes the place of a flow.
pub(super) fn write_place(from: u32, to: u32, access: &Access, out: &mut Lines) {
    out.set("from", quote(&format!("r{from}")));
    out.set("to", quote(&format!("r{to}")));
    out.set("access", access.write());
}

/// Returns the table as a schema.
pub(super) fn form() -> Form {
    let hop = link::form().means("a link from one router to the next");
    let most = usize::try_from(*HOPS.end()).unwrap_or(usize::MAX);
    let hops = array(&hop, 1..=most)
        .or(whole(HOPS))
        .means("an array of links, or a number of equal links")
        .ranging(range::of_numbers(&HOPS))
        .needed()
        .such_as([json!(3)]);
    let bottleneck = link::form()
        .means("the link of every hop, if `hops` is a number")
        .needed_or("must be set in that case");
    let hops_is_a_number = open(json!({ "properties": { "hops": { "type": "integer" } } }));
    table(&[
        ("access", Form::defined("access")),
        ("bottleneck", bottleneck),
        ("hops", hops),
        (aqt::KEY, aqt::form("r1")),
    ])
    .rule("if", hops_is_a_number)
    .rule("then", requires(&["bottleneck"]))
    .rule(
        "else",
        open(json!({ "properties": { "bottleneck": false } })),
    )
    .means("a network of routers in a row, with hosts at each")
}

/// Returns the rules for the flows in a parking lot.
pub(super) fn of_flows() -> Value {
    let routers = json!({ "pattern": "^r[1-9][0-9]*$" });
    json!({ "direction": false, "from": routers, "to": routers })
}
