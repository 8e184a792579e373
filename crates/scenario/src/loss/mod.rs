//! Random loss on a link.
//!
//! CONTRIBUTING.md shows how to add a model: a file with an implementation of
//! [`Sort`](crate::sort::Sort), and its line in [`LossModel`]. The reader, the canonical form, the schema,
//! `dumbbell list` and the network then follow.

mod bernoulli;
mod geometric;
mod gilbert_elliott;
pub(crate) mod recorded;
mod timed;
mod two_state;

use dumbbell_sim::Kinds;
use dumbbell_sim::loss::{Recorded, Timed};

use crate::document::Node;
use crate::form::rule::{is_table, one_of};
use crate::form::{Form, value};
use crate::key::{Shape, Word};
use crate::sort::sorts;
use crate::suggest;
use crate::text::{quote, table};

pub use gilbert_elliott::GilbertElliott;
pub use two_state::TwoState;

/// Loss on one direction of a link. Lost packets have passed the queue and disappear on the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// The random process.
    pub model: LossModel,
    /// The packets that it affects.
    pub on: LossScope,
}

sorts! {
    /// A random process of losses.
    #[derive(Clone, Debug, PartialEq)]
    pub enum LossModel: () => dumbbell_sim::LossModel {
        /// Each packet is lost with this probability, independently of the others.
        Bernoulli(f64) = bernoulli::Bernoulli,
        /// The gap to the next lost packet is drawn from a geometric distribution. The losses are
        /// distributed as with [`LossModel::Bernoulli`], with one draw per loss instead of one per
        /// packet.
        Geometric(f64) = geometric::Geometric,
        /// Good and bad periods of fixed length, starting with a good one.
        TwoState(TwoState) = TwoState,
        /// A two-state Markov chain that may change its state after each packet; it starts in the good
        /// state.
        GilbertElliott(GilbertElliott) = GilbertElliott,
        /// The probability of a loss changes at given times.
        Timed(Timed) = timed::TimedLoss,
        /// Packets are lost as in a recorded sequence.
        Recorded(Recorded) = recorded::RecordedLoss,
    }
}

/// The packets that a loss affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossScope {
    /// Data packets only: segments with payload, and datagrams. ACKs are not lost.
    #[default]
    Data,
    /// All packets, including ACKs.
    All,
}

impl LossScope {
    const fn explain(self) -> &'static str {
        match self {
            Self::Data => "segments with payload and datagrams",
            Self::All => "ACKs too",
        }
    }
}

const NONE: &str = "none";
const EXAMPLE: &str = "{ bernoulli = 0.02 }";
/// The key for the packets that a loss affects.
const ON: &str = "on";
/// The key for a file with a recorded sequence.
const TRACE: &str = "trace";
const SCOPE: Word<LossScope> = Word {
    words: &[("data", LossScope::Data), ("all", LossScope::All)],
    explain: LossScope::explain,
};

/// Reads the value of `loss`: a table, or "none".
pub(crate) fn read(node: &Node<'_>) -> Option<Loss> {
    if node.as_text() == Some(NONE) {
        return None;
    }
    if let (true, Some(number)) = (node.is_number(), node.as_number()) {
        node.wrong(
            "`loss` must name its model",
            format!("write loss = {{ bernoulli = {number} }}"),
        );
        return None;
    }
    let keys = [&selectors()[..], &[ON]].concat();
    let table = node.table(&keys, &[], EXAMPLE)?;
    let on = table.find(ON).and_then(|on| SCOPE.read(&on));
    match table.present(&selectors())[..] {
        [] => table.wrong(
            "`loss` names no model",
            format!("write for example loss = {EXAMPLE}, or \"none\""),
        ),
        [model] => {
            return Some(Loss {
                model: match model {
                    TRACE => LossModel::Recorded(read_trace(&table.find(TRACE)?)?),
                    model => LossModel::read_sort(model, &table.find(model)?)?,
                },
                on: on.unwrap_or_default(),
            });
        }
        [first, second, ..] => table.wrong(
            format!("`loss` has two models, `{first}` and `{second}`"),
            "keep one; losses in a row are put on different links".to_owned(),
        ),
    }
    None
}

/// Returns the keys of which exactly one is set.
fn selectors() -> Vec<&'static str> {
    [LossModel::KEYS, &[TRACE]].concat()
}

fn read_trace(node: &Node<'_>) -> Option<Recorded> {
    let name = node.text("\"losses.txt\"")?;
    let instead = "the sequence itself, { recorded = \"0001000000\" }";
    match node.traces().text(name, instead) {
        Ok((path, text)) => recorded::read(node, &path.display().to_string(), &text),
        Err(wrong) => {
            node.wrong(wrong.message, wrong.help);
            None
        }
    }
}

/// Returns the value of `loss` as TOML.
pub(crate) fn write(loss: Option<&Loss>) -> String {
    loss.map_or(quote(NONE), |Loss { model, on }| {
        table(&[(model.key(), model.write_sort()), (ON, SCOPE.write(on))])
    })
}

/// Returns the value of `loss` as a schema.
pub(crate) fn form() -> Form {
    let models = LossModel::forms().into_iter();
    let mut forms: Vec<(&str, Form)> = models
        .map(|(key, form)| match form.is_table() {
            true => (key, Form::defined(key)),
            false => (key, form),
        })
        .collect();
    let on = SCOPE.usually(LossScope::default(), |form| {
        form.means("which packets it acts on")
    });
    let trace = Form::new(
        "string",
        "the name of a file, relative to the scenario's folder",
    )
    .rule("minLength", 1)
    .means("packets are lost as in the sequence of `0` and `1` in this file, as with `recorded`");
    forms.push((TRACE, trace));
    forms.push((ON, on.form()));
    value::table(&forms)
        .rule("if", is_table())
        .rule("then", one_of(&selectors()))
        .or_word(NONE)
        .ranging(format!(
            "a table with one of the models {}, or `\"none\"`",
            suggest::list(&selectors())
        ))
        .usually(NONE)
}

/// Returns the definitions to which `loss` refers in a schema.
pub(crate) fn definitions() -> Vec<(&'static str, Form)> {
    let forms = LossModel::forms().into_iter();
    forms.filter(|(_, form)| form.is_table()).collect()
}

impl Loss {
    /// Returns the simulator's loss; `data` are the kinds of packets that carry data.
    pub fn simulated(&self, data: Kinds) -> dumbbell_sim::Loss {
        dumbbell_sim::Loss {
            model: self.model.simulated(()),
            kinds: match self.on {
                LossScope::Data => data,
                LossScope::All => Kinds::ALL,
            },
        }
    }
}
