//! UDP flows: datagrams at the pace of a source, whatever the network does.

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};

use super::document::{Misplaced, Node, Table};
use super::quantity::BitRate;
use super::relay;

/// A UDP flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Udp {
    /// When packets are sent.
    pub source: Source,
    /// Size of a packet on the wire, 1 to 65535 bytes.
    pub packet: Bytes,
    /// When it falls silent, from the start of the run; `None`: at the end of the run.
    pub stop: Option<Duration>,
}

/// When a UDP flow sends its packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// One packet after another, evenly.
    Cbr {
        /// The rate, with all bytes of the packets.
        rate: BitRate,
    },
    /// Bursts and silences of exponentially distributed length.
    Exponential {
        /// The rate within a burst.
        rate: BitRate,
        /// Mean length of a burst.
        on: Duration,
        /// Mean length of a silence.
        off: Duration,
    },
    /// Bursts and silences of Pareto-distributed length.
    Pareto {
        /// The rate within a burst.
        rate: BitRate,
        /// Mean length of a burst.
        on: Duration,
        /// Mean length of a silence.
        off: Duration,
        /// Shape of both distributions, above 1 and up to 100.
        shape: f64,
    },
}

/// The keys that only a UDP flow has.
pub(super) const KEYS: [&str; 3] = ["source", "packet", "stop"];
/// Keys of a TCP flow that one may look for in a UDP flow.
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
const EXAMPLE: &str = "{ cbr = \"4 Mb/s\" }";
/// The kinds of sources.
pub(super) const KINDS: [&str; 3] = ["cbr", "exponential", "pareto"];
/// The keys of `exponential`.
pub(super) const EXPONENTIAL_KEYS: [&str; 3] = ["rate", "on", "off"];
/// The keys of `pareto`.
pub(super) const PARETO_KEYS: [&str; 4] = ["rate", "on", "off", "shape"];
/// What `packet` may be, in bytes.
pub(super) const PACKET: RangeInclusive<u64> = 1..=65_535;
/// What `stop` may be.
pub(super) const STOP: RangeInclusive<Duration> = super::DURATION;
/// How long bursts may be on average.
pub(super) const ON: RangeInclusive<Duration> = Duration::from_nanos(1)..=LONGEST;
/// How long silences may be on average.
pub(super) const OFF: RangeInclusive<Duration> = Duration::ZERO..=LONGEST;
/// What `shape` may be, its lower end excepted.
pub(super) const SHAPE: RangeInclusive<f64> = 1.0..=100.0;
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Reads the UDP keys of a flow.
pub(super) fn read(table: &Table<'_>) -> Option<Udp> {
    let source = table
        .need("source", &format!("source = {EXAMPLE}"))
        .and_then(|n| read_source(&n));
    let packet = table
        .find("packet")
        .map_or(Some(Bytes(1000)), |n| n.size(PACKET));
    let stop = table.find("stop").map(|n| n.time(STOP));
    let stop = match stop {
        None => None,
        Some(read) => Some(read?),
    };
    Some(Udp {
        source: source?,
        packet: packet?,
        stop,
    })
}

fn read_source(node: &Node<'_>) -> Option<Source> {
    let table = node.table(&KINDS, &[], EXAMPLE)?;
    match table.present(&KINDS)[..] {
        [] => table.wrong(
            "`source` names no kind",
            format!("write for example source = {EXAMPLE}"),
        ),
        ["cbr"] => {
            return Some(Source::Cbr {
                rate: table.find("cbr")?.rate()?,
            });
        }
        ["exponential"] => return read_exponential(&table.find("exponential")?),
        [_] => return read_pareto(&table.find("pareto")?),
        [first, second, ..] => table.wrong(
            format!("`source` is of two kinds, `{first}` and `{second}`"),
            "keep one; two sources are two flows".to_owned(),
        ),
    }
    None
}

fn read_exponential(node: &Node<'_>) -> Option<Source> {
    let example = "{ rate = \"2 Mb/s\", on = \"10 ms\", off = \"10 ms\" }";
    let table = node.table(&EXPONENTIAL_KEYS, &[], example)?;
    let (rate, on, off) = bursts(&table);
    Some(Source::Exponential {
        rate: rate?,
        on: on?,
        off: off?,
    })
}

fn read_pareto(node: &Node<'_>) -> Option<Source> {
    let example = "{ rate = \"300 kb/s\", on = \"100 ms\", off = \"100 ms\", shape = 1.5 }";
    let table = node.table(&PARETO_KEYS, &[], example)?;
    let (rate, on, off) = bursts(&table);
    let shape = table.find("shape").map_or(Some(1.5), |node| {
        let what = "a number above 1, where the mean exists, and up to 100";
        let shape = node.real(SHAPE, what, "1.5")?;
        if shape == 1.0 {
            node.wrong(
                "a Pareto distribution of shape 1 has no mean",
                format!("it is {what}, for example 1.5"),
            );
        }
        Some(shape)
    });
    Some(Source::Pareto {
        rate: rate?,
        on: on?,
        off: off?,
        shape: shape?,
    })
}

fn bursts(table: &Table<'_>) -> (Option<BitRate>, Option<Duration>, Option<Duration>) {
    let rate = table
        .need("rate", "rate = \"2 Mb/s\", the rate within a burst")
        .and_then(|n| n.rate());
    let time = |key, example, range| table.need(key, example).and_then(|n| n.time(range));
    let on = time("on", "on = \"10 ms\", the mean length of a burst", ON);
    let off = time("off", "off = \"10 ms\", the mean length of a silence", OFF);
    (rate, on, off)
}
