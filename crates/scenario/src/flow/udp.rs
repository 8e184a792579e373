//! UDP flows: datagrams from a source that does not react to the network.

use dumbbell_control::units::{Bytes, Duration};
use serde_json::json;

use super::relay;
use crate::document::{Misplaced, Table};
use crate::form::Form;
use crate::form::value::time as time_form;
use crate::key::{Amount, Key, Shape};
use crate::limits::{DURATION, LARGEST_WIRE};
use crate::source::{self, EXAMPLE, Source};
use crate::text::{Lines, time};

/// A UDP flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Udp {
    /// When packets are sent.
    pub source: Source,
    /// Size of a packet on the wire, 1 to 65535 bytes.
    pub packet: Bytes,
    /// When the flow stops, measured from the start of the run; `None` means at the end of the run.
    pub stop: Option<Duration>,
}

/// The key that makes a flow a UDP flow.
pub(crate) const KIND: &str = "source";
/// The key for the time at which the flow stops.
pub(crate) const STOP: &str = "stop";
const PACKET: &str = "packet";
/// The keys that only a UDP flow has.
pub(super) const KEYS: &[&str] = &[KIND, PACKET, STOP];
/// Keys of a TCP flow that a user may try in a UDP flow.
pub(super) const MISPLACED: [Misplaced; 6] = [
    (relay::KEY, relay::MISPLACED),
    ("payload", "a UDP flow has `packet`, the size on the wire"),
    (
        "size",
        "a UDP flow sends until `stop`; a finite transfer is a TCP flow",
    ),
    (
        "recovery",
        "a UDP flow resends nothing; `recovery` belongs to a TCP flow",
    ),
    (
        "rate",
        "the rate belongs to the source: source = { cbr = \"4 Mb/s\" }",
    ),
    (
        "header",
        "`packet` is the size on the wire, headers included",
    ),
];

fn packet() -> Key<Amount> {
    Amount(1..=LARGEST_WIRE).usually(Bytes(1000), |form| {
        form.means("size of a packet on the wire")
    })
}

/// Reads the UDP keys of a flow.
pub(super) fn read(table: &Table<'_>) -> Option<Udp> {
    let source = table
        .need(KIND, &format!("source = {EXAMPLE}"))
        .and_then(|n| source::read(&n));
    let packet = packet().read(table, PACKET);
    let stop = table
        .find(STOP)
        .map_or(Some(None), |n| n.time(DURATION).map(Some));
    Some(Udp {
        source: source?,
        packet: packet?,
        stop: stop?,
    })
}

impl Udp {
    /// Writes the keys.
    pub(super) fn write(&self, out: &mut Lines) {
        out.set(KIND, source::write(&self.source));
        out.set(PACKET, packet().write(&self.packet));
        if let Some(stop) = self.stop {
            out.set(STOP, time(stop));
        }
    }
}

/// Returns the keys as schemas.
pub(super) fn forms() -> Vec<(&'static str, Form)> {
    let source = source::form()
        .means("when packets are sent; beside a `control`, when the application of a TCP flow writes a full segment")
        .needed_or("must be set in a UDP flow");
    let stop = time_form(DURATION)
        .means("when the flow stops sending; a TCP flow still delivers what it has sent, a workload what it has begun")
        .ranging("a time later than its `start`")
        .otherwise("the end of the run")
        .such_as([json!("40 s")]);
    vec![(KIND, source), (PACKET, packet().form()), (STOP, stop)]
}
