//! Good and bad states that change from packet to packet (Gilbert 1960, Elliott 1963).

use serde_json::json;

use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Chance, Shape};
use crate::sort::Sort;
use crate::text;

record! {
    /// A two-state Markov chain that may change its state after each packet; it starts in the good
    /// state.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct GilbertElliott {
        /// Probability of a change from good to bad at a packet.
        to_bad: f64 = Chance.needed("to_bad = 0.01", |form| form
            .means("probability of a change from good to bad at a packet")
            .such_as([json!(0.002)])),
        /// Probability of a change from bad to good at a packet.
        to_good: f64 = Chance.needed("to_good = 0.3", |form| form
            .means("probability of a change from bad to good at a packet")
            .such_as([json!(0.2)])),
        /// Probability that a packet is lost in the good state.
        good: f64 = Chance.usually(0.0, |form| form
            .means("probability of a loss in the good state")),
        /// Probability that a packet is lost in the bad state.
        bad: f64 = Chance.usually(1.0, |form| form
            .means("probability of a loss in the bad state")),
    }
}

impl Sort for GilbertElliott {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::LossModel;

    const KEY: &'static str = "gilbert_elliott";
    const ENTRY: (&'static str, &'static str) = (
        "gilbert_elliott = { .. }",
        "good and bad states that change from packet to packet",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], "{ to_bad = 0.01, to_good = 0.3 }")?)
    }

    fn write(chain: &Self) -> String {
        text::table(&Record::write(chain))
    }

    fn form() -> Form {
        value::table(&Self::forms()).means("a Markov chain that begins in the good state")
    }

    fn simulated(chain: &Self, (): ()) -> dumbbell_sim::LossModel {
        let Self {
            to_bad,
            to_good,
            good,
            bad,
        } = *chain;
        dumbbell_sim::LossModel::GilbertElliott(dumbbell_sim::loss::GilbertElliott {
            to_bad,
            to_good,
            good_loss: good,
            bad_loss: bad,
        })
    }
}
