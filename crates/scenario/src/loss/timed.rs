//! A loss probability that changes at given times.

use std::cell::RefCell;

use dumbbell_sim::loss::Timed;
use serde_json::json;

use crate::document::Node;
use crate::form::{Form, value};
use crate::sort::Sort;
use crate::{steps, text};

const EXAMPLE: &str = "{ steps = [[\"0 s\", 0.001], [\"20 s\", 0.05]], every = \"40 s\" }";
const STEPS_EXAMPLE: &str = "steps = [[\"0 s\", 0.001], [\"20 s\", 0.05]]";

/// A packet is lost with the probability of the moment.
pub(super) struct TimedLoss;

impl Sort for TimedLoss {
    type Value = Timed;
    type Given = ();
    type Simulated = dumbbell_sim::LossModel;

    const KEY: &'static str = "timed";
    const ENTRY: (&'static str, &'static str) = (
        "timed = { steps = [..] }",
        "the probability of a loss changes at given times",
    );

    fn read(node: &Node<'_>) -> Option<Timed> {
        let table = node.table(&[steps::STEPS, steps::EVERY], &[], EXAMPLE)?;
        let probabilities = RefCell::new(Vec::new());
        let steps = steps::read(&table, STEPS_EXAMPLE, |value| {
            let mut all = probabilities.borrow_mut();
            all.push(value.probability()?);
            Some(all.len() as u64 - 1)
        })?;
        let probabilities = probabilities.into_inner().into();
        Some(Timed {
            steps,
            probabilities,
        })
    }

    fn write(timed: &Timed) -> String {
        let show = |place: u64| text::real(timed.probabilities[place as usize]);
        text::table(&steps::write(&timed.steps, show))
    }

    fn form() -> Form {
        let example = json!([["0 s", 0.001], ["20 s", 0.05]]);
        let [steps, every] =
            steps::forms(&value::probability(), "probabilities of a loss", example);
        value::table(&[(steps.0, steps.1.needed()), every]).means(
            "a packet is lost with the probability of the moment of its departure, independently of the others",
        )
    }

    fn simulated(timed: &Timed, (): ()) -> dumbbell_sim::LossModel {
        dumbbell_sim::LossModel::Timed(timed.clone())
    }
}
