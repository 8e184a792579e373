//! The sources of UDP flows, which determine when they send.
//!
//! To add a source: write its file beside `pareto.rs` with an implementation of
//! [`Sort`](crate::sort::Sort) (its key, how it is read, written and described, its entry in the
//! catalogue, and the simulator's source, an iterator), and add its line to [`Source`]. The reader, the
//! canonical form, the schema, `dumbbell list` and the flows then follow. A test requires an explanation
//! in `docs/scenario.md`.

mod bursts;
mod cbr;
mod exponential;
mod pareto;

use dumbbell_sim::random::Random;
use dumbbell_sim::traffic::{Emission, Span};

use crate::document::Node;
use crate::form::{Form, value};
use crate::quantity::BitRate;
use crate::sort::sorts;
use crate::text::table;

pub use bursts::Bursts;
pub use pareto::HeavyBursts;

/// What the simulator needs to know about a flow in addition to its source.
pub struct Sending {
    /// Size of a packet on the wire.
    pub bytes: u16,
    /// When the source is active.
    pub span: Span,
    /// The source's stream of random numbers.
    pub random: Random,
}

sorts! {
    /// When a UDP flow sends its packets.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Source: Sending,
    /// The packets of a source, one after the other.
    struct Emitter(AnyEmitter) of Emission {
        /// Packets at equal intervals; the rate includes all bytes of the packets on the wire.
        Cbr(BitRate) = cbr::Cbr,
        /// Bursts and silences of exponentially distributed length.
        Exponential(Bursts) = exponential::Exponential,
        /// Bursts and silences of Pareto-distributed length.
        Pareto(HeavyBursts) = HeavyBursts,
    }
}

/// An example for messages.
pub(crate) const EXAMPLE: &str = "{ cbr = \"4 Mb/s\" }";

/// Reads the value of `source`.
pub(crate) fn read(node: &Node<'_>) -> Option<Source> {
    let table = node.table(Source::KEYS, &[], EXAMPLE)?;
    match table.present(Source::KEYS)[..] {
        [] => table.wrong(
            "`source` names no kind",
            format!("write for example source = {EXAMPLE}"),
        ),
        [kind] => return Source::read_sort(kind, &table.find(kind)?),
        [first, second, ..] => table.wrong(
            format!("`source` is of two kinds, `{first}` and `{second}`"),
            "keep one; two sources are two flows".to_owned(),
        ),
    }
    None
}

/// Returns the value of `source` as TOML.
pub(crate) fn write(source: &Source) -> String {
    table(&[(source.key(), source.write_sort())])
}

/// Returns the value of `source` as a schema.
pub(crate) fn form() -> Form {
    value::table(&Source::forms())
        .rule("minProperties", 1)
        .rule("maxProperties", 1)
}
