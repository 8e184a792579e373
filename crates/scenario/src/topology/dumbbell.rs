//! A dumbbell: two routers, and one bottleneck between them.

use serde_json::{Value, json};

use super::aqt::{self, AqtRouters};
use super::{Layout, Topology, access, refuse};
use crate::document::{Node, Table};
use crate::form::rule::open;
use crate::form::{Form, value};
use crate::key::{Shape, Word};
use crate::link::access::{Access, EXAMPLE as ACCESS_EXAMPLE};
use crate::link::{self, Duplex, EXAMPLE as LINK_EXAMPLE};
use crate::place::{Direction, Place};
use crate::text::Lines;

/// The key in files.
pub(super) const KEY: &str = "dumbbell";
/// The keys of the table.
pub(super) const KEYS: [&str; 4] = ["access", "bottleneck", link::REVERSE, aqt::KEY];
/// The names of the routers.
const SIDES: [&str; 2] = ["left", "right"];
/// The direction in which a flow sends.
pub(crate) const DIRECTION: Word<Direction> = Word {
    words: &[("right", Direction::Right), ("left", Direction::Left)],
    explain: |direction| match direction {
        Direction::Right => "from left to right",
        Direction::Left => "from right to left",
    },
};

/// Reads the table.
pub(super) fn read(node: &Node<'_>) -> Option<Layout> {
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
    let table = node.table(&KEYS, &misplaced, &example)?;
    let access = access(&table);
    let link = table.need("bottleneck", &format!("bottleneck = {LINK_EXAMPLE}"))?;
    let aqt = AqtRouters::read(&table);
    AqtRouters::check(&table, &SIDES.map(str::to_owned));
    let sides = SIDES.map(|side| aqt.has(side));
    let bottleneck = link::read_complete(&link, table.find(link::REVERSE).as_ref(), sides)?;
    Some(Layout {
        topology: Topology::Dumbbell { bottleneck },
        access,
        aqt,
    })
}

/// Returns the place of a flow.
pub(super) fn place(layout: &Layout, table: &Table<'_>) -> Option<Place> {
    refuse(
        table,
        &["from", "to"],
        "in a dumbbell a flow has a `direction`, \"right\" or \"left\"",
    );
    let direction = table
        .find("direction")
        .map_or(Some(Direction::Right), |n| DIRECTION.read(&n));
    let mut sides = SIDES;
    if direction == Some(Direction::Left) {
        sides.reverse();
    }
    let access = layout.access(table, sides);
    Some(Place::Dumbbell {
        direction: direction?,
        access: access?,
    })
}

/// Writes the table.
pub(super) fn write(bottleneck: &Duplex, out: &mut Lines) {
    out.head("[dumbbell]");
    out.set("bottleneck", bottleneck.write());
}

/// Writes the place of a flow.
pub(super) fn write_place(direction: Direction, access: &Access, out: &mut Lines) {
    out.set("direction", DIRECTION.write(&direction));
    out.set("access", access.write());
}

/// Returns the table as a schema.
pub(super) fn form() -> Form {
    let described_once = json!({
        "reverse": open(json!({
            "properties": { "bottleneck": open(json!({ "properties": { "reverse": false } })) },
        })),
    });
    let bottleneck = link::form().means("the link between the routers").needed();
    let reverse = link::reverse_form()
        .means("overrides for its right-to-left direction; may be a key of `bottleneck` instead")
        .otherwise("as left to right, but no loss");
    value::table(&[
        ("access", Form::defined("access")),
        ("bottleneck", bottleneck),
        (link::REVERSE, reverse),
        (aqt::KEY, aqt::form("left")),
    ])
    .rule("dependencies", described_once)
    .means("a network with one bottleneck between two routers")
}

/// Returns the rules for the flows in a dumbbell.
pub(super) fn of_flows() -> Value {
    json!({ "from": false, "to": false })
}
