//! Exponentially distributed sizes.

use dumbbell_control::units::Bytes;
use dumbbell_sim::random::Random;

use super::{SIZE, rounded};
use crate::document::Node;
use crate::form::{Form, value};
use crate::sort::Sort;
use crate::text;

/// Sizes are exponentially distributed with this mean.
pub(super) struct Exponential;

/// Draws exponentially distributed sizes.
pub(crate) struct Draws {
    mean: f64,
    random: Random,
}

impl Iterator for Draws {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        Some(rounded(self.random.exponential(self.mean)))
    }
}

impl Sort for Exponential {
    type Value = Bytes;
    type Given = Random;
    type Simulated = Draws;

    const KEY: &'static str = "exponential";
    const ENTRY: (&'static str, &'static str) = (
        "exponential = \"20 kB\"",
        "exponentially distributed, with this mean",
    );

    fn read(node: &Node<'_>) -> Option<Bytes> {
        node.size(SIZE)
    }

    fn write(mean: &Bytes) -> String {
        text::size(mean.0)
    }

    fn form() -> Form {
        value::size(SIZE).means("the mean of exponentially distributed sizes")
    }

    fn simulated(mean: &Bytes, random: Random) -> Draws {
        Draws {
            mean: mean.0 as f64,
            random,
        }
    }
}
