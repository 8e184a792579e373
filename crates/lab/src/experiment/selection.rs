//! Selects flows and their samples.

use dumbbell_run::outcome::Outcome;
use dumbbell_run::{Reading, Series, Subject};

use crate::description::Keys;

/// Flows whose names match one of the patterns; all flows if there are no patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows(Vec<Pattern>);

/// A pattern for names of flows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// Exactly this name.
    Name(String),
    /// All names with this beginning.
    Beginning(String),
}

impl Flows {
    /// The flows with these names; an asterisk at the end of a name matches any ending.
    pub fn named<S: AsRef<str>>(names: &[S]) -> Self {
        let pattern = |name: &S| match name.as_ref().strip_suffix('*') {
            Some(beginning) => Pattern::Beginning(beginning.to_owned()),
            None => Pattern::Name(name.as_ref().to_owned()),
        };
        Self(names.iter().map(pattern).collect())
    }

    pub(super) fn read(keys: &Keys<'_>) -> Self {
        Self::read_key(keys, "flows")
    }

    /// Reads the flows that a key names.
    pub(super) fn read_key(keys: &Keys<'_>, key: &'static str) -> Self {
        Self::named(&keys.texts(key))
    }

    /// The positions of the flows in a run.
    pub(super) fn of(&self, outcome: &Outcome) -> Vec<usize> {
        let wanted = |flow: &str| {
            self.0.is_empty()
                || self.0.iter().any(|pattern| match pattern {
                    Pattern::Name(name) => flow == name,
                    Pattern::Beginning(beginning) => flow.starts_with(beginning),
                })
        };
        let flows = outcome.flows.iter().enumerate();
        flows
            .filter(|(_, flow)| wanted(&flow.name))
            .map(|(place, _)| place)
            .collect()
    }
}

/// The samples of a flow, as pairs of time and value.
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

/// The sum over flows, at the times at which all of them have a number.
pub(super) fn summed(samples: &[Series], flows: &[usize], quantity: &str) -> Vec<(f64, f64)> {
    let of_flow = |flow: &usize| of_flow(samples, *flow, quantity);
    sum(flows.iter().map(of_flow))
}

/// The sum of several flows' samples, at the times at which all of them have one.
pub(super) fn sum(mut flows: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<(f64, f64)> {
    let mut sum = flows.next().unwrap_or_default();
    for other in flows {
        let mut these = other.into_iter().peekable();
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
    fn a_sum_has_the_times_at_which_all_flows_have_samples() {
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
