//! Bursts and silences of Pareto-distributed length.

use dumbbell_control::units::Duration;
use dumbbell_sim::traffic::{self, Emissions, OnOffLaw};

use super::Sending;
use super::bursts::{self, Bursts};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::Shape;
use crate::key::record::{Record, record};
use crate::quantity::BitRate;
use crate::sort::Sort;
use crate::text;

const EXAMPLE: &str = "{ rate = \"300 kb/s\", on = \"100 ms\", off = \"100 ms\", shape = 1.5 }";

/// The shape of a Pareto distribution: above 1, so that the mean exists.
struct Tail;

const WHAT: &str = "a number above 1, where the mean exists, and up to 100";

impl Shape for Tail {
    type Value = f64;

    fn read(&self, node: &Node<'_>) -> Option<f64> {
        let shape = node.real(1.0..=100.0, WHAT, "1.5")?;
        if shape == 1.0 {
            node.wrong(
                "a Pareto distribution of shape 1 has no mean",
                format!("it is {WHAT}, for example 1.5"),
            );
        }
        Some(shape)
    }

    fn write(&self, shape: &f64) -> String {
        text::real(*shape)
    }

    fn form(&self) -> Form {
        value::number("above 1 and up to 100")
            .rule("exclusiveMinimum", 1)
            .rule("maximum", 100)
    }
}

record! {
    /// Bursts and silences of Pareto-distributed length.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct HeavyBursts {
        /// The rate within a burst.
        rate: BitRate = bursts::rate(),
        /// Mean length of a burst, above 0 and up to 24 h.
        on: Duration = bursts::on(),
        /// Mean length of a silence, up to 24 h.
        off: Duration = bursts::off(),
        /// Shape of both distributions, above 1 and up to 100.
        shape: f64 = Tail.usually(1.5, |form| form
            .means("the shape of both distributions")),
    }
}

impl Sort for HeavyBursts {
    type Value = Self;
    type Given = Sending;
    type Simulated = Emissions<traffic::Pareto>;

    const KEY: &'static str = "pareto";
    const ENTRY: (&'static str, &'static str) = (
        "pareto = { .. }",
        "bursts and silences of Pareto-distributed length",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(bursts: &Self) -> String {
        text::table(&Record::write(bursts))
    }

    fn form() -> Form {
        value::table(&Self::forms()).means("bursts and silences of Pareto-distributed length")
    }

    fn simulated(bursts: &Self, sending: Sending) -> Self::Simulated {
        let Self {
            rate,
            on,
            off,
            shape,
        } = *bursts;
        let bursts = Bursts { rate, on, off }.simulated(sending.bytes);
        traffic::Pareto { shape }.emissions(bursts, sending.span, sending.random)
    }
}
