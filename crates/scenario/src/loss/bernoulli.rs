//! Each packet is lost with the same probability, independently of the others.

use serde_json::json;

use crate::document::Node;
use crate::form::Form;
use crate::key::{Chance, Shape};
use crate::sort::Sort;

/// Each packet is lost with the same probability, independently of the others.
pub(super) struct Bernoulli;

impl Sort for Bernoulli {
    type Value = f64;
    type Given = ();
    type Simulated = dumbbell_sim::LossModel;

    const KEY: &'static str = "bernoulli";
    const ENTRY: (&'static str, &'static str) =
        ("bernoulli = p", "each packet is lost with probability p");

    fn read(node: &Node<'_>) -> Option<f64> {
        Chance.read(node)
    }

    fn write(p: &f64) -> String {
        Chance.write(p)
    }

    fn form() -> Form {
        Chance
            .form()
            .means("each packet is lost with probability p")
            .such_as([json!(0.01)])
    }

    fn simulated(p: &f64, (): ()) -> dumbbell_sim::LossModel {
        dumbbell_sim::LossModel::Bernoulli(dumbbell_sim::loss::Bernoulli { probability: *p })
    }
}
