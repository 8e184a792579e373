//! The loss on a link, as a key of it.

use dumbbell_sim::Kinds;

use super::key::{At, LinkKey, Usual};
use crate::document::Node;
use crate::form::Form;
use crate::loss::{self, Loss};

/// The key `loss` of a link.
pub(super) struct LossKey;

impl LinkKey for LossKey {
    type Value = Option<Loss>;

    const NAME: &'static str = "loss";
    const AT_ROUTER: bool = false;
    const NEEDED: Option<&'static str> = None;

    fn read(node: &Node<'_>) -> Option<Option<Loss>> {
        Some(loss::read(node))
    }

    fn stand_in() -> Option<Loss> {
        None
    }

    fn forward(set: Option<Option<Loss>>, _: &Usual) -> Option<Option<Loss>> {
        Some(set.flatten())
    }

    /// The other direction does not inherit the loss of the first one.
    fn reverse(
        set: Option<Option<Loss>>,
        _: Option<&Option<Loss>>,
        _: &Option<Loss>,
        _: &Usual,
    ) -> Option<Loss> {
        set.flatten()
    }

    fn write(loss: &Option<Loss>) -> String {
        loss::write(loss.as_ref())
    }

    fn form(at: At) -> Form {
        let loss = loss::form();
        match at {
            At::Link | At::GraphLink => {
                loss.means("random loss after the queue, in the first direction only")
            }
            At::Reverse => loss.means("random loss after the queue of the other direction"),
            At::Access | At::AccessEnd => loss.means(format!(
                "loss in the direction of the flow's data, on {}",
                at.which()
            )),
            At::AccessReverse => loss.means("loss in the direction opposite to the data"),
        }
    }

    fn hand_over(loss: &Option<Loss>, data: Kinds, link: &mut dumbbell_sim::Link) {
        link.loss = loss.as_ref().map(|loss| loss.simulated(data));
    }
}
