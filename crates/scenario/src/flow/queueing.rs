//! Controls that need to hear how long packets wait in routers.

use crate::document::Table;
use crate::link::Link;
use crate::place::Place;
use crate::tcp::Tcp;
use crate::topology::Topology;

/// Refuses a control that lives on what no router of its network tells, or that it does not ask for.
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

/// The links of a network, and those of a flow: each direction.
fn links<'t>(topology: &'t Topology, place: &'t Place) -> Vec<&'t Link> {
    let mut links = topology.links();
    if let Some(access) = place.access() {
        links.extend(access.sender.both());
        links.extend(access.receiver.both());
    }
    links
}
