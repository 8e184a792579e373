//! What was sampled over time, as a drawing shows it.

use dumbbell_run::outcome::Outcome;
use dumbbell_run::{Reading, Series, Subject};
use serde::Deserialize;

use super::marks::Marking;
use super::measure::Quantity;

/// A drawing of samples over time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    /// What was sampled.
    pub quantity: Quantity,
    /// Its name and unit.
    pub label: String,
    /// What it is multiplied by.
    #[serde(default = "super::measure::one")]
    pub scale: f64,
    /// The place, where something is varied.
    #[serde(default)]
    pub at: Option<f64>,
    /// The flows, by their names; a star stands for any end of a name. All, where none is given.
    #[serde(default)]
    pub flows: Vec<String>,
    /// What is before this is not drawn, in seconds.
    #[serde(default)]
    pub from: f64,
    /// What is after this is not drawn, in seconds.
    #[serde(default)]
    pub to: Option<f64>,
    /// A curve a flow, of the first seed; without it, the flows' sum, mean over the seeds.
    #[serde(default)]
    pub each: bool,
    /// The epochs in which these flows' windows are cut, as marks: of a drawing of one run.
    #[serde(default)]
    pub epochs: Option<Marking>,
    /// The experiment's reference is drawn, too.
    #[serde(default)]
    pub reference: bool,
}

impl Samples {
    /// Those samples that are drawn.
    pub(super) fn shown(&self, mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        points.retain(|(time, _)| self.shows(*time));
        points
    }

    /// Whether a time, in seconds, is within the drawing.
    pub(super) fn shows(&self, time: f64) -> bool {
        (self.from..=self.to.unwrap_or(f64::INFINITY)).contains(&time)
    }
}

/// The places of the flows of these names.
pub(super) fn chosen(names: &[String], outcome: &Outcome) -> Vec<usize> {
    let wanted = |flow: &str| {
        names.is_empty()
            || names.iter().any(|name| match name.strip_suffix('*') {
                Some(beginning) => flow.starts_with(beginning),
                None => flow == name,
            })
    };
    let flows = outcome.flows.iter().enumerate();
    flows
        .filter(|(_, flow)| wanted(&flow.name))
        .map(|(place, _)| place)
        .collect()
}

/// Time and value of what was sampled of a flow.
pub(super) fn of_flow(samples: &[Series], flow: usize, quantity: &str) -> Vec<(f64, f64)> {
    let series = samples
        .iter()
        .find(|s| s.subject == Subject::Flow(flow) && s.quantity == quantity);
    let points = series.map_or(&[][..], |series| &series.points);
    points
        .iter()
        .filter_map(|(time, reading)| match reading {
            Reading::Number(number) => Some((*time, *number)),
            Reading::Word(_) => None,
        })
        .collect()
}

/// The sum over flows, of the times at which all have a number.
pub(super) fn summed(samples: &[Series], flows: &[usize], quantity: &str) -> Vec<(f64, f64)> {
    let Some((first, others)) = flows.split_first() else {
        return Vec::new();
    };
    let mut sum = of_flow(samples, *first, quantity);
    for flow in others {
        let mut these = of_flow(samples, *flow, quantity).into_iter().peekable();
        sum.retain_mut(|(time, total)| {
            while these.next_if(|(t, _)| t < time).is_some() {}
            let value = these.next_if(|(t, _)| t == time);
            value.is_some_and(|(_, value)| {
                *total += value;
                true
            })
        });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_the_times_that_all_have() {
        let series = |flow, points: &[(f64, f64)]| Series {
            subject: Subject::Flow(flow),
            quantity: "rtt".to_owned(),
            points: points
                .iter()
                .map(|(t, v)| (*t, Reading::Number(*v)))
                .collect(),
        };
        let samples = [
            series(0, &[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (5.0, 5.0)]),
            series(1, &[(0.0, 9.0), (2.0, 10.0), (3.0, 20.0), (4.0, 30.0)]),
        ];
        let sum = |flows: &[usize]| summed(&samples, flows, "rtt");
        assert_eq!(sum(&[0, 1]), [(2.0, 12.0), (3.0, 23.0)]);
        assert_eq!(sum(&[0]).len(), 4);
        assert_eq!(sum(&[0, 2]), []);
        assert_eq!(sum(&[]), []);
    }
}
