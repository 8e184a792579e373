//! The choice of the best point in the plane of two axes: the point at which a measure is largest,
//! among those at which other measures are within bounds.

use dumbbell_run::statistics::Estimate;

use super::stage::Stage;
use crate::cube::MeasureId;
use crate::description::Node;

/// A table of all combinations of values of two axes, the best ones first.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The measure to maximise.
    pub maximise: Goal,
    /// The conditions that a point has to meet.
    pub conditions: Vec<Condition>,
}

/// A measure, averaged over curves by the geometric mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The measure.
    pub measure: MeasureId,
    /// The curves, at least one, by their names in the description.
    pub series: Vec<String>,
}

/// A bound on a measure that each of these curves has to satisfy.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The measure.
    pub measure: MeasureId,
    /// The curves, at least one, by their names in the description.
    pub series: Vec<String>,
    /// The bound.
    pub bound: Limit,
    /// Whether only the mean has to satisfy the bound; otherwise the whole 95 % interval has to.
    pub mean: bool,
}

/// A bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A lower bound.
    Least(f64),
    /// An upper bound.
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

/// Reads the curves that a choice names.
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
                    "either `least` or `most` is required",
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

    /// Whether an estimate satisfies the bound.
    pub(super) fn keeps(&self, e: &Estimate) -> bool {
        let (low, high) = self.ends(e);
        match self.bound {
            Limit::Least(least) => low >= least,
            Limit::Most(most) => high <= most,
        }
    }

    /// Orders estimates by their distance to the bound: the smaller the result, the closer the
    /// estimate is to violating the bound.
    pub(super) fn room(&self, e: &Estimate) -> f64 {
        let (low, high) = self.ends(e);
        match self.bound {
            Limit::Least(_) => low,
            Limit::Most(_) => -high,
        }
    }

    /// The range that has to satisfy the bound.
    fn ends(&self, e: &Estimate) -> (f64, f64) {
        if self.mean {
            (e.mean, e.mean)
        } else {
            (e.low(), e.high())
        }
    }

    /// Describes the condition for a measure with this label.
    pub(super) fn words(&self, label: &str) -> String {
        match self.bound {
            Limit::Least(least) => format!("{label}: worst, at least {least}"),
            Limit::Most(most) => format!("{label}: worst, at most {most}"),
        }
    }
}
