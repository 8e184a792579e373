//! A reference for samples: a quantity that is known without a run.

use crate::description::Node;

/// A quantity that is known without a run, as a step function, in the unit of the samples that are
/// compared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Its name in drawings.
    pub name: String,
    /// Pairs of a time in seconds and the value from that time on. The first time is 0, and times
    /// ascend.
    pub steps: Vec<[f64; 2]>,
}

impl Reference {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("the reference")?;
        let name = keys.text("name", "\"available\"");
        let steps = keys.need("steps", "[[0, 1.5e6]]").and_then(|node| {
            let pair = |step: &Node<'_>| {
                let numbers = step.items()?;
                let numbers: Vec<f64> = numbers.iter().map(Node::number).collect::<Option<_>>()?;
                let pair = <[f64; 2]>::try_from(numbers).ok();
                if pair.is_none() {
                    step.wrong("a step is a pair of a time and a value", "write for example [5, 0.5e6]");
                }
                pair
            };
            let steps: Vec<[f64; 2]> = node.items()?.iter().map(pair).collect::<Option<_>>()?;
            let rising = steps.windows(2).all(|pair| pair[0][0] < pair[1][0]);
            let begins = steps.first().is_some_and(|[since, _]| *since == 0.0);
            if !(rising && begins) {
                node.wrong(
                    "the reference: its `steps` do not go from 0 on",
                    "they are pairs of a time, the first 0 and each after the one before, and a value",
                );
                return None;
            }
            Some(steps)
        });
        keys.done();
        Some(Self {
            name: name?,
            steps: steps?,
        })
    }

    /// The value just before a time, because a sample describes the time before it.
    pub(super) fn before(&self, time: f64) -> f64 {
        let begun = self.steps.iter().take_while(|[since, _]| *since < time);
        let [_, value] = begun.last().unwrap_or(&self.steps[0]);
        *value
    }

    /// The distance of a sample, given as time and value, from the reference.
    pub(super) fn off(&self, (time, value): &(f64, f64)) -> f64 {
        (value - self.before(*time)).abs()
    }

    /// The corners of its line between two times.
    pub(super) fn corners(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        let mut corners = vec![(from, self.before(from.max(f64::MIN_POSITIVE)))];
        for [since, value] in &self.steps {
            if (from..to).contains(since) {
                corners.push((*since, self.before(*since)));
                corners.push((*since, *value));
            }
        }
        corners.push((to, self.before(to)));
        corners.dedup();
        corners
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_a_step_function() {
        let reference = Reference {
            name: "available".to_owned(),
            steps: vec![[0.0, 1.5], [5.0, 0.5], [10.0, 1.0]],
        };
        let at = [0.0, 2.0, 5.0, 5.1, 10.0, 99.0].map(|time| reference.before(time));
        assert_eq!(at, [1.5, 1.5, 1.5, 0.5, 0.5, 1.0]);
        assert_eq!(
            reference.corners(0.0, 12.0),
            [
                (0.0, 1.5),
                (5.0, 1.5),
                (5.0, 0.5),
                (10.0, 0.5),
                (10.0, 1.0),
                (12.0, 1.0)
            ]
        );
        assert_eq!(
            reference.corners(2.0, 6.0),
            [(2.0, 1.5), (5.0, 1.5), (5.0, 0.5), (6.0, 0.5)]
        );
        assert_eq!(reference.corners(6.0, 7.0), [(6.0, 0.5), (7.0, 0.5)]);
    }
}
