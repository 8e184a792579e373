//! Lognormally distributed sizes.

use dumbbell_control::units::Bytes;
use dumbbell_sim::random::Random;
use serde_json::json;

use super::{SIZE, rounded};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Amount, Real, Shape};
use crate::sort::Sort;
use crate::text;

const EXAMPLE: &str = "{ mean = \"20 kB\", sigma = 1.5 }";

record! {
    /// Lognormally distributed sizes: their logarithms are normally distributed.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Lognormal {
        /// The mean of the sizes themselves, 1 B to 1 TB.
        mean: Bytes = Amount(SIZE).needed("mean = \"20 kB\"", |form| form
            .means("the mean of the sizes")
            .such_as([json!("20 kB")])),
        /// The standard deviation of the natural logarithm of the sizes, 0 to 5.
        sigma: f64 = Real {
            range: 0.0..=5.0,
            what: "a number from 0 to 5",
            words: "0 to 5",
            example: "1.5",
        }.usually(1.5, |form| form
            .means("the standard deviation of the natural logarithm of the sizes")),
    }
}

/// Draws lognormally distributed sizes.
pub(crate) struct Draws {
    mu: f64,
    sigma: f64,
    random: Random,
}

impl Iterator for Draws {
    type Item = u64;

    /// Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958): of each pair of
    /// normal numbers only one is used.
    fn next(&mut self) -> Option<u64> {
        let radius = libm::sqrt(-2.0 * libm::log(self.random.positive_uniform()));
        let angle = core::f64::consts::TAU * self.random.uniform();
        let normal = radius * libm::cos(angle);
        Some(rounded(libm::exp(self.mu + self.sigma * normal)))
    }
}

impl Sort for Lognormal {
    type Value = Self;
    type Given = Random;
    type Simulated = Draws;

    const KEY: &'static str = "lognormal";
    const ENTRY: (&'static str, &'static str) = ("lognormal = { .. }", "lognormally distributed");

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(law: &Self) -> String {
        text::table(&Record::write(law))
    }

    fn form() -> Form {
        value::table(&Self::forms()).means("lognormally distributed sizes")
    }

    fn simulated(law: &Self, random: Random) -> Draws {
        // The mean of a lognormal law is exp(mu + sigma^2 / 2).
        Draws {
            mu: libm::log(law.mean.0 as f64) - law.sigma * law.sigma / 2.0,
            sigma: law.sigma,
            random,
        }
    }
}
