//! Controls that require routers to report how long packets wait.

use crate::document::Table;
use crate::link::Link;
use crate::place::Place;
use crate::tcp::Tcp;
use crate::topology::Topology;

/// Rejects a control that requires queueing times if no router of its network reports them, or if the
/// flow does not request them.
pub(crate) fn refuse_silence(tcp: &Tcp, topology: &Topology, place: &Place, table: &Table<'_>) {
    if !tcp.control.needs().queueing {
        return;
    }
    let name = tcp.control.name();
    let (key, message) = if !links(topology, place).iter().any(|link| link.aqt) {
        let message = format!(
            "`{name}` needs routers that report how long packets waited (AQT), and there are none"
        );
        ("control", message)
    } else if tcp.probe_every.is_none() {
        let message =
            format!("`{name}` needs queueing times from routers (AQT), but the flow requests none");
        ("probe_every", message)
    } else {
        return;
    };
    let node = table.find(key).or_else(|| table.find("control"));
    table.wrong_at(
        node.map_or(table.span(), |n| n.span()),
        message,
        if key == "control" {
            "write aqt = \"all\" in the network's table, or control = \"vegas\", which uses round-trip times alone"
        } else {
            "leave `probe_every` out: every segment then requests them"
        },
    );
}

/// Returns the links of a network and those of a flow, in both directions.
fn links<'t>(topology: &'t Topology, place: &'t Place) -> Vec<&'t Link> {
    let mut links = topology.links();
    if let Some(access) = place.access() {
        links.extend(access.sender.both());
        links.extend(access.receiver.both());
    }
    links
}
