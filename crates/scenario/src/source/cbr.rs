//! Packets at a constant rate.

use dumbbell_sim::traffic;
use serde_json::json;

use super::Sending;
use crate::document::Node;
use crate::form::Form;
use crate::key::{Shape, Speed};
use crate::quantity::BitRate;
use crate::sort::Sort;

/// Packets at equal intervals.
pub(super) struct Cbr;

impl Sort for Cbr {
    type Value = BitRate;
    type Given = Sending;
    type Simulated = traffic::Cbr;

    const KEY: &'static str = "cbr";
    const ENTRY: (&'static str, &'static str) = ("cbr = rate", "constant bit rate");

    fn read(node: &Node<'_>) -> Option<BitRate> {
        Speed.read(node)
    }

    fn write(rate: &BitRate) -> String {
        Speed.write(rate)
    }

    fn form() -> Form {
        Speed
            .form()
            .means("packets at a constant rate")
            .such_as([json!("1 Mb/s")])
    }

    fn simulated(rate: &BitRate, sending: Sending) -> traffic::Cbr {
        traffic::Cbr::new(sending.bytes, rate.0, sending.span)
    }
}
