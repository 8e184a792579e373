//! The same distribution of losses as Bernoulli's, drawn as the gap to the next lost packet.

use serde_json::json;

use crate::document::Node;
use crate::form::Form;
use crate::key::{Chance, Shape};
use crate::sort::Sort;

/// The same distribution of losses as Bernoulli's, drawn as the gap to the next lost packet.
pub(super) struct Geometric;

impl Sort for Geometric {
    type Value = f64;
    type Given = ();
    type Simulated = dumbbell_sim::LossModel;

    const KEY: &'static str = "geometric";
    const ENTRY: (&'static str, &'static str) = (
        "geometric = p",
        "the same distribution, drawn as the gap to the next lost packet",
    );

    fn read(node: &Node<'_>) -> Option<f64> {
        Chance.read(node)
    }

    fn write(p: &f64) -> String {
        Chance.write(p)
    }

    fn form() -> Form {
        Chance
            .form()
            .means("the same distribution as `bernoulli`, drawn as the gap to the next loss")
            .such_as([json!(0.01)])
    }

    fn simulated(p: &f64, (): ()) -> dumbbell_sim::LossModel {
        dumbbell_sim::LossModel::Geometric(dumbbell_sim::loss::Geometric { probability: *p })
    }
}
