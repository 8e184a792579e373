//! Random loss on a link.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

use super::document::{Node, Table};

/// Loss on one direction of a link: packets that its queue let pass vanish on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The random process.
    pub model: LossModel,
    /// Which packets it acts on.
    pub on: LossScope,
}

/// A random process of losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossModel {
    /// Each packet is lost with probability `p`, independently of the others.
    Bernoulli {
        /// Probability, 0 to 1.
        p: f64,
    },
    /// The gap to the next lost packet is drawn from a geometric distribution: the same law as
    /// [`LossModel::Bernoulli`] with one draw a loss instead of one a packet.
    Geometric {
        /// Probability that a packet is lost, 0 to 1.
        p: f64,
    },
    /// Good and bad periods of fixed length; it starts in a good one.
    TwoState {
        /// Probability that a packet is lost in a good period.
        good: f64,
        /// Length of a good period.
        good_period: Duration,
        /// Probability that a packet is lost in a bad period.
        bad: f64,
        /// Length of a bad period.
        bad_period: Duration,
        /// Probability that the state changes at the end of a period; otherwise another period
        /// of the same kind follows.
        switch: f64,
    },
    /// A Markov chain that moves once a packet; it starts in the good state.
    GilbertElliott {
        /// Probability of a move from good to bad at a packet.
        to_bad: f64,
        /// Probability of a move from bad to good at a packet.
        to_good: f64,
        /// Probability that a packet is lost in the good state.
        good: f64,
        /// Probability that a packet is lost in the bad state.
        bad: f64,
    },
}

/// Which packets a loss acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossScope {
    /// Data only: segments with payload, and datagrams. ACKs pass.
    #[default]
    Data,
    /// Every packet, ACKs included.
    All,
}

const EXAMPLE: &str = "{ bernoulli = 0.02 }";
/// The keys of `loss` as a table: the models, and which packets they act on.
pub(super) const KEYS: [&str; 5] = [
    "bernoulli",
    "geometric",
    "two_state",
    "gilbert_elliott",
    "on",
];
/// The keys that name a model.
pub(super) const MODELS: [&str; 4] = ["bernoulli", "geometric", "two_state", "gilbert_elliott"];
/// The words of `on`.
pub(super) const SCOPES: [(&str, LossScope); 2] =
    [("data", LossScope::Data), ("all", LossScope::All)];
/// The keys of `two_state`.
pub(super) const TWO_STATE_KEYS: [&str; 5] = ["good", "good_period", "bad", "bad_period", "switch"];
/// The keys of `gilbert_elliott`.
pub(super) const GILBERT_ELLIOTT_KEYS: [&str; 4] = ["to_bad", "to_good", "good", "bad"];
/// How long a period may be.
pub(super) const PERIOD: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(30 * 24 * 3600);

/// Reads the value of `loss`: a table, or "none".
pub(super) fn read(node: &Node<'_>) -> Option<Loss> {
    if node.as_text() == Some("none") {
        return None;
    }
    if let (true, Some(number)) = (node.is_number(), node.as_number()) {
        node.wrong(
            "`loss` must name its model",
            format!("write loss = {{ bernoulli = {number} }}"),
        );
        return None;
    }
    let table = node.table(&KEYS, &[], EXAMPLE)?;
    let on = table.find("on").and_then(|on| on.word(&SCOPES));
    match table.present(&MODELS)[..] {
        [] => table.wrong(
            "`loss` names no model",
            format!("write for example loss = {EXAMPLE}, or \"none\""),
        ),
        [model] => {
            return Some(Loss {
                model: read_model(model, &table)?,
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

fn read_model(model: &'static str, table: &Table<'_>) -> Option<LossModel> {
    let node = table.find(model)?;
    match model {
        "bernoulli" => node.probability().map(|p| LossModel::Bernoulli { p }),
        "geometric" => node.probability().map(|p| LossModel::Geometric { p }),
        "two_state" => read_two_state(&node),
        _ => read_gilbert_elliott(&node),
    }
}

fn read_two_state(node: &Node<'_>) -> Option<LossModel> {
    let example =
        "{ good = 0.00001, good_period = \"8 s\", bad = 0.1, bad_period = \"4 s\", switch = 0.95 }";
    let table = node.table(&TWO_STATE_KEYS, &[], example)?;
    let probability = |key, example| table.need(key, example).and_then(|n| n.probability());
    let period = |key, example| table.need(key, example).and_then(|n| n.time(PERIOD));
    let good = probability("good", "good = 0.00001");
    let good_period = period("good_period", "good_period = \"8 s\"");
    let bad = probability("bad", "bad = 0.1");
    let bad_period = period("bad_period", "bad_period = \"4 s\"");
    let switch = probability("switch", "switch = 0.95");
    Some(LossModel::TwoState {
        good: good?,
        good_period: good_period?,
        bad: bad?,
        bad_period: bad_period?,
        switch: switch?,
    })
}

fn read_gilbert_elliott(node: &Node<'_>) -> Option<LossModel> {
    let table = node.table(
        &GILBERT_ELLIOTT_KEYS,
        &[],
        "{ to_bad = 0.01, to_good = 0.3 }",
    )?;
    let to_bad = table
        .need("to_bad", "to_bad = 0.01")
        .and_then(|n| n.probability());
    let to_good = table
        .need("to_good", "to_good = 0.3")
        .and_then(|n| n.probability());
    let good = table.find("good").map_or(Some(0.0), |n| n.probability());
    let bad = table.find("bad").map_or(Some(1.0), |n| n.probability());
    Some(LossModel::GilbertElliott {
        to_bad: to_bad?,
        to_good: to_good?,
        good: good?,
        bad: bad?,
    })
}
