//! Collects the lines of drawings over time while the runs finish.

use dumbbell_run::Series;
use dumbbell_run::outcome::Outcome;
use dumbbell_run::statistics::Estimate;

use super::curve::Reads;
use super::samples::Samples;
use super::selection;
use crate::cube::{CurveId, SeedId};

/// The data of one line in a drawing over time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trace {
    /// The curve of the experiment.
    pub(super) curve: CurveId,
    /// The flow; `None` for a sum.
    pub(super) flow: Option<String>,
    /// Times in ascending order, each with the values of the seeds in their order.
    points: Vec<(f64, Vec<(SeedId, f64)>)>,
}

impl Trace {
    /// Adds the value of a seed. The first sample of a quantity may be at a different time for each
    /// seed.
    fn add(&mut self, time: f64, seed: SeedId, value: f64) {
        let known = self
            .points
            .binary_search_by(|(known, _)| known.total_cmp(&time));
        let place = known.unwrap_or_else(|place| {
            self.points.insert(place, (time, Vec::new()));
            place
        });
        let values = &mut self.points[place].1;
        let later = values.partition_point(|(known, _)| *known <= seed);
        values.insert(later, (seed, value));
    }

    /// The points of the line: the mean over the seeds that have a number at a time.
    pub(super) fn line(&self) -> Vec<(f64, Estimate)> {
        let points = self.points.iter().filter_map(|(time, values)| {
            let values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
            Some((*time, Estimate::of(&values)?))
        });
        points.collect()
    }

    /// The last time.
    pub(super) fn end(&self) -> Option<f64> {
        self.points.last().map(|(time, _)| *time)
    }
}

/// Adds the samples of a run.
pub(super) fn take(
    traces: &mut Vec<Trace>,
    wanted: &Samples,
    (curve, seed): (CurveId, SeedId),
    reads: Option<&Reads>,
    outcome: &Outcome,
    sampled: &[Series],
) {
    let Some(quantity) = wanted.quantity.probe(reads) else {
        return;
    };
    let flows = wanted.flows.of(outcome);
    let mut add = |flow: Option<String>, points: Vec<(f64, f64)>| {
        let known = traces
            .iter()
            .position(|t| t.curve == curve && t.flow == flow);
        let place = known.unwrap_or_else(|| {
            // Traces are in the order of the curves, whichever finished first.
            let place = traces.partition_point(|trace| trace.curve <= curve);
            let points = Vec::new();
            traces.insert(
                place,
                Trace {
                    curve,
                    flow,
                    points,
                },
            );
            place
        });
        for (time, value) in wanted.shown(points) {
            traces[place].add(time, seed, value * wanted.scale);
        }
    };
    if wanted.is_of_one_run() {
        for flow in flows {
            let name = outcome.flows[flow].name.clone();
            add(Some(name), selection::of_flow(sampled, flow, quantity));
        }
    } else {
        add(None, selection::summed(sampled, &flows, quantity));
    }
}
