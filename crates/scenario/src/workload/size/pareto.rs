//! Pareto-distributed sizes between two bounds.

use dumbbell_control::units::Bytes;
use dumbbell_sim::random::Random;
use serde_json::json;

use super::{SIZE, rounded};
use crate::document::{Node, Table};
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Amount, Real, Shape};
use crate::sort::Sort;
use crate::text;

const EXAMPLE: &str = "{ smallest = \"4 kB\", largest = \"10 MB\", shape = 1.2 }";

record! {
    /// Sizes of a Pareto law that is cut off at both ends: most are small, and most bytes are in the few
    /// large ones.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct BoundedPareto {
        /// The smallest size, 1 B to 1 TB.
        smallest: Bytes = Amount(SIZE).needed("smallest = \"4 kB\"", |form| form
            .means("the smallest size")
            .such_as([json!("4 kB")])),
        /// The largest size, above the smallest and up to 1 TB.
        largest: Bytes = Amount(SIZE).needed("largest = \"10 MB\"", |form| form
            .means("the largest size, above the smallest")
            .such_as([json!("10 MB")])),
        /// The exponent of the tail, 0.01 to 100.
        shape: f64 = Real {
            range: 0.01..=100.0,
            what: "a number from 0.01 to 100",
            words: "0.01 to 100",
            example: "1.2",
        }.usually(1.2, |form| form
            .means("the exponent of the tail: the smaller, the more of the bytes are in large transfers")),
    }
    check(smallest, largest) = ordered;
}

fn ordered(table: &Table<'_>, smallest: Bytes, largest: Bytes) -> Option<()> {
    if smallest < largest {
        return Some(());
    }
    let help = "write a larger `largest`, or size = \"20 kB\" for one size";
    match table.find("largest") {
        Some(node) => node.wrong("`largest` is not above `smallest`", help),
        None => table.wrong("`largest` is not above `smallest`", help),
    }
    None
}

impl BoundedPareto {
    /// Returns the mean: the integral of x f(x) with f(x) = a L^a x^(-a-1) / (1 - (L/H)^a).
    pub(super) fn mean(&self) -> f64 {
        let (low, high, a) = (self.smallest.0 as f64, self.largest.0 as f64, self.shape);
        let whole = 1.0 - libm::pow(low / high, a);
        // Of the integral of x^-a, which is a logarithm at a = 1.
        let part = if (a - 1.0).abs() < 1e-9 {
            low * libm::log(high / low)
        } else {
            low / (a - 1.0) * (1.0 - libm::pow(low / high, a - 1.0))
        };
        a * part / whole
    }
}

/// Draws Pareto-distributed sizes.
pub(crate) struct Draws {
    law: BoundedPareto,
    random: Random,
}

impl Iterator for Draws {
    type Item = u64;

    /// The inverse of the distribution: x = L (1 - u (1 - (L/H)^a))^(-1/a).
    fn next(&mut self) -> Option<u64> {
        let BoundedPareto {
            smallest,
            largest,
            shape,
        } = self.law;
        let (low, high) = (smallest.0 as f64, largest.0 as f64);
        let rest = 1.0 - self.random.uniform() * (1.0 - libm::pow(low / high, shape));
        Some(rounded(low * libm::pow(rest, -1.0 / shape)).clamp(smallest.0, largest.0))
    }
}

impl Sort for BoundedPareto {
    type Value = Self;
    type Given = Random;
    type Simulated = Draws;

    const KEY: &'static str = "pareto";
    const ENTRY: (&'static str, &'static str) =
        ("pareto = { .. }", "Pareto-distributed between two bounds");

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(law: &Self) -> String {
        text::table(&Record::write(law))
    }

    fn form() -> Form {
        value::table(&Self::forms()).means("Pareto-distributed sizes between two bounds")
    }

    fn simulated(law: &Self, random: Random) -> Draws {
        Draws { law: *law, random }
    }
}
