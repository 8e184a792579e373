//! When UDP flows send.
//!
//! To add a source: write its file beside `pareto.rs`, with what a [`Sort`](crate::sort::Sort) has to
//! say (its key, how it is read, written down and described, its entry in the catalogue, and the
//! simulator's source, an iterator), and add its line to [`Source`]. The reader, the canonical form, the
//! schema, `dumbbell list` and the flows follow; a test wants it explained in `docs/scenario.md`.

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

/// What the simulator needs to know of a flow beside its source.
pub struct Sending {
    /// Size of a packet on the wire.
    pub bytes: u16,
    /// When the source is active.
    pub span: Span,
    /// Where it takes its random numbers from.
    pub random: Random,
}

sorts! {
    /// When a UDP flow sends its packets.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Source: Sending,
    /// The packets of a source, one after the other.
    struct Emitter(AnyEmitter) of Emission {
        /// One packet after another, evenly: the rate, with all bytes of the packets.
        Cbr(BitRate) = cbr::Cbr,
        /// Bursts and silences of exponentially distributed length.
        Exponential(Bursts) = exponential::Exponential,
        /// Bursts and silences of Pareto-distributed length.
        Pareto(HeavyBursts) = HeavyBursts,
    }
}

/// What one might write.
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

/// The value of `source` as TOML.
pub(crate) fn write(source: &Source) -> String {
    table(&[(source.key(), source.write_sort())])
}

/// The value of `source` as a schema.
pub(crate) fn form() -> Form {
    value::table(&Source::forms())
        .rule("minProperties", 1)
        .rule("maxProperties", 1)
}
