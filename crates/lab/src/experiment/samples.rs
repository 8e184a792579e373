//! A drawing of samples over time.

use super::curve::Variant;
use super::epochs::{CWND, EpochSpan, LOSSES};
use super::quantity::Sampled;
use super::reference::Reference;
use super::selection::Flows;
use crate::description::{Keys, Node};

/// A drawing of samples over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The sampled quantity.
    pub quantity: Sampled,
    /// Its name and unit.
    pub label: String,
    /// The factor by which it is multiplied.
    pub scale: f64,
    /// The x value, if something is varied; if `None`, the first one.
    pub at: Option<f64>,
    /// The flows.
    pub flows: Flows,
    /// The beginning of the drawing, in seconds.
    pub from: f64,
    /// The end of the drawing, in seconds.
    pub to: Option<f64>,
    /// The lines of the drawing.
    pub lines: Lines,
    /// The reference that is drawn beside them.
    pub reference: Option<Reference>,
}

/// The lines of a drawing over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lines {
    /// One line per curve: the sum over the flows, averaged over the seeds.
    Sum,
    /// One line per flow, for the first seed.
    Each,
    /// One line per flow, for the first seed of one curve, with the epochs in which these flows'
    /// windows are cut.
    Marked(EpochSpan),
}

/// The names and values that a drawing may use.
#[derive(Clone, Copy)]
pub(super) struct Sampling<'a> {
    /// The curves that the drawing shows.
    pub(super) curves: &'a [&'a Variant],
    /// The x values.
    pub(super) places: &'a [f64],
    /// The experiment's reference.
    pub(super) reference: Option<&'a Reference>,
    /// The quantities that the scenario's probe samples.
    pub(super) probe: &'a [String],
}

impl Samples {
    pub(super) fn read(node: &Node<'_>, of: Sampling<'_>) -> Option<Self> {
        let keys = node.keys("`samples`")?;
        let quantity = keys
            .need("quantity", "\"cwnd\"")
            .and_then(|node| node.word(&Sampled::WORDS));
        let label = keys.text("label", "\"congestion window, segments\"");
        let scale = keys.number_if_any("scale").unwrap_or(1.0);
        let at = keys.find("at");
        let place = at.as_ref().and_then(|node| node.number());
        if let (Some(node), Some(stray)) = (&at, place.filter(|at| !of.places.contains(at))) {
            node.wrong(
                format!("{stray} is not among the values of x"),
                places(of.places),
            );
        }
        let flows = Flows::read(&keys);
        let from = keys.number_if_any("from").unwrap_or(0.0);
        let to = keys.number_if_any("to");
        let lines = lines(&keys, of);
        let drawn = keys
            .find("reference")
            .filter(|node| node.flag() == Some(true));
        if let (Some(node), None) = (&drawn, of.reference) {
            node.wrong(
                "the experiment has no `reference` to draw",
                "write [reference] with a name and its steps",
            );
        }
        keys.done();
        Some(Self {
            quantity: quantity?,
            label: label?,
            scale,
            at: place,
            flows,
            from,
            to,
            lines: lines?,
            reference: drawn.and(of.reference.cloned()),
        })
    }

    /// Whether it shows one line per flow of a single run, and not the mean of several.
    pub(super) fn is_of_one_run(&self) -> bool {
        match self.lines {
            Lines::Sum => false,
            Lines::Each | Lines::Marked(_) => true,
        }
    }

    /// The samples that are drawn.
    pub(super) fn shown(&self, mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        points.retain(|(time, _)| self.shows(*time));
        points
    }

    /// Whether a time, in seconds, is within the drawing.
    pub(super) fn shows(&self, time: f64) -> bool {
        (self.from..=self.to.unwrap_or(f64::INFINITY)).contains(&time)
    }
}

/// Lists the valid x values.
pub(super) fn places(all: &[f64]) -> String {
    let all: Vec<String> = all.iter().map(f64::to_string).collect();
    format!("they are {}", all.join(", "))
}

fn lines(keys: &Keys<'_>, of: Sampling<'_>) -> Option<Lines> {
    let each = keys.flag("each");
    let Some(node) = keys.find("epochs") else {
        return Some(if each { Lines::Each } else { Lines::Sum });
    };
    let marked = node.keys("`epochs`")?;
    let span = EpochSpan::read(&marked);
    marked.done();
    let curves = of.curves.len();
    if !each || curves != 1 {
        node.wrong(
            "`epochs` marks one run with one seed",
            format!("it wants `each = true` and one curve in `series`, not {curves}"),
        );
        return None;
    }
    for wanted in [LOSSES, CWND] {
        if !of.probe.iter().any(|probed| probed == wanted) {
            node.wrong(
                format!(
                    "`epochs` are found from the samples of a probe, and the scenario's probe has no `{wanted}`"
                ),
                "write in the scenario: [probe] values = [\"cwnd\", \"losses\"]",
            );
            return None;
        }
    }
    Some(Lines::Marked(span?))
}
