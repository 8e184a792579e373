//! Transfers of one size.

use std::iter::{Repeat, repeat};

use dumbbell_control::units::Bytes;
use dumbbell_sim::random::Random;

use super::SIZE;
use crate::document::Node;
use crate::form::{Form, value};
use crate::sort::Sort;
use crate::text;

/// All transfers have the same size.
pub(super) struct Constant;

impl Sort for Constant {
    type Value = Bytes;
    type Given = Random;
    type Simulated = Repeat<u64>;

    const KEY: &'static str = "constant";
    const ENTRY: (&'static str, &'static str) = ("constant = \"20 kB\"", "all have the same size");

    fn read(node: &Node<'_>) -> Option<Bytes> {
        node.size(SIZE)
    }

    fn write(bytes: &Bytes) -> String {
        text::size(bytes.0)
    }

    fn form() -> Form {
        value::size(SIZE).means("all transfers have this size")
    }

    fn simulated(bytes: &Bytes, _: Random) -> Repeat<u64> {
        repeat(bytes.0)
    }
}
