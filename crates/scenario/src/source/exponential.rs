//! Bursts and silences of exponentially distributed length.

use dumbbell_sim::traffic::{self, Emissions, OnOffLaw};

use super::{Bursts, Sending};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::Record;
use crate::sort::Sort;
use crate::text;

const EXAMPLE: &str = "{ rate = \"2 Mb/s\", on = \"10 ms\", off = \"10 ms\" }";

/// Bursts and silences of exponentially distributed length.
pub(super) struct Exponential;

impl Sort for Exponential {
    type Value = Bursts;
    type Given = Sending;
    type Simulated = Emissions<traffic::Exponential>;

    const KEY: &'static str = "exponential";
    const ENTRY: (&'static str, &'static str) = (
        "exponential = { .. }",
        "bursts and silences of exponentially distributed length",
    );

    fn read(node: &Node<'_>) -> Option<Bursts> {
        Bursts::read(&node.table(Bursts::KEYS, &[], EXAMPLE)?)
    }

    fn write(bursts: &Bursts) -> String {
        text::table(&bursts.write())
    }

    fn form() -> Form {
        value::table(&Bursts::forms())
            .means("bursts and silences of exponentially distributed length")
    }

    fn simulated(bursts: &Bursts, sending: Sending) -> Self::Simulated {
        let bursts = bursts.simulated(sending.bytes);
        traffic::Exponential.emissions(bursts, sending.span, sending.random)
    }
}
