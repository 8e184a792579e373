//! The best of all places of two axes: where a measure is largest among those where others are within
//! bounds.

use dumbbell_run::statistics::Estimate;

use super::stage::Stage;
use crate::cube::MeasureId;
use crate::description::Node;

/// A table of the places of two axes, the best ones first.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What shall be as large as possible.
    pub maximise: Goal,
    /// What a place has to be like.
    pub conditions: Vec<Condition>,
}

/// A measure, as the geometric mean over curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The measure.
    pub measure: MeasureId,
    /// The curves, at least one, as the description has them.
    pub series: Vec<String>,
}

/// A bound of a measure that each of some curves has to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The measure.
    pub measure: MeasureId,
    /// The curves, at least one, as the description has them.
    pub series: Vec<String>,
    /// How large it may be.
    pub bound: Limit,
    /// It is enough if the mean keeps it; without this the 95 % interval has to, too.
    pub mean: bool,
}

/// An end of what is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// At least so much.
    Least(f64),
    /// At most so much.
    Most(f64),
}

impl Choice {
    pub(super) fn read(node: &Node<'_>, stage: Stage<'_>) -> Option<Self> {
        let keys = node.keys("`choice`")?;
        if !stage.crossed {
            node.wrong(
                "a choice is among the places of `x` and `y`",
                "write a second axis, [y]",
            );
            return None;
        }
        let maximise = keys.need("maximise", "{ measure = \"gain\", series = [\"A\"] }");
        let maximise = maximise.and_then(|node| {
            let keys = node.keys("`maximise`")?;
            let measure = keys
                .need("measure", "\"gain\"")
                .and_then(|node| stage.measure(&node));
            let series = keys
                .need("series", "[\"A\"]")
                .and_then(|node| named(&node, stage));
            keys.done();
            Some(Goal {
                measure: measure?,
                series: series?,
            })
        });
        let conditions = keys.items("conditions");
        let conditions = conditions.iter().map(|node| Condition::read(node, stage));
        let conditions = conditions.collect::<Option<_>>();
        keys.done();
        Some(Self {
            maximise: maximise?,
            conditions: conditions?,
        })
    }
}

/// The curves that a choice names.
fn named(node: &Node<'_>, stage: Stage<'_>) -> Option<Vec<String>> {
    let items = node.items()?;
    if items.is_empty() {
        node.wrong(
            "a choice names its curves",
            "write for example series = [\"A\"]",
        );
        return None;
    }
    let name = |item: &Node<'_>| {
        let name = item.known("curve that `y` is crossed with", stage.declared())?;
        Some(name.to_owned())
    };
    items.iter().map(name).collect()
}

impl Condition {
    fn read(node: &Node<'_>, stage: Stage<'_>) -> Option<Self> {
        let keys = node.keys("a condition")?;
        let measure = keys
            .need("measure", "\"gain\"")
            .and_then(|node| stage.measure(&node));
        let series = keys
            .need("series", "[\"A\"]")
            .and_then(|node| named(&node, stage));
        let mean = keys.flag("mean");
        let bound = match (keys.number_if_any("least"), keys.number_if_any("most")) {
            (Some(least), None) => Some(Limit::Least(least)),
            (None, Some(most)) => Some(Limit::Most(most)),
            _ => {
                keys.wrong(
                    "either `least` or `most` is wanted",
                    "write for example least = 0.9",
                );
                None
            }
        };
        keys.done();
        Some(Self {
            measure: measure?,
            series: series?,
            bound: bound?,
            mean,
        })
    }

    /// Whether a number keeps it.
    pub(super) fn keeps(&self, e: &Estimate) -> bool {
        let (low, high) = self.ends(e);
        match self.bound {
            Limit::Least(least) => low >= least,
            Limit::Most(most) => high <= most,
        }
    }

    /// How far a number is from breaking it: one that has less of it is nearer to breaking it.
    pub(super) fn room(&self, e: &Estimate) -> f64 {
        let (low, high) = self.ends(e);
        match self.bound {
            Limit::Least(_) => low,
            Limit::Most(_) => -high,
        }
    }

    /// From where to where it has to keep it.
    fn ends(&self, e: &Estimate) -> (f64, f64) {
        if self.mean {
            (e.mean, e.mean)
        } else {
            (e.low(), e.high())
        }
    }

    /// What it says of a measure with this label.
    pub(super) fn words(&self, label: &str) -> String {
        match self.bound {
            Limit::Least(least) => format!("{label}: worst, at least {least}"),
            Limit::Most(most) => format!("{label}: worst, at most {most}"),
        }
    }
}
