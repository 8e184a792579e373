//! A time window of samples, and how its samples are reduced to one number.

use dumbbell_run::statistics;

use super::reference::Reference;
use super::state::States;
use crate::description::Node;

/// A time window, and how its samples are reduced to one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Its beginning, in seconds.
    pub from: f64,
    /// Its end, in seconds; if `None`, the end of the run.
    pub to: Option<f64>,
    /// Only the samples in these states; if `None`, all of them.
    pub during: Option<States>,
    /// The reduction.
    pub reduce: Reduction,
}

/// How samples are reduced to one number.
#[derive(Clone, Debug, PartialEq)]
pub enum Reduction {
    /// Their mean.
    Mean,
    /// The least of them.
    Min,
    /// The largest of them.
    Max,
    /// Their coefficient of variation.
    Cov,
    /// The last one.
    Last,
    /// The last one minus the first one.
    Growth,
    /// The time from the window's beginning until a sample reaches 90 % of the mean of the steady
    /// phase; the length of the window if all of them are 0.
    Recovery {
        /// The beginning of the steady phase, in seconds; if `None`, the window's beginning.
        steady: Option<f64>,
    },
    /// Their 95th percentile.
    P95,
    /// Their correlation with the samples of another curve's run with the same x value and seed.
    Correlation,
    /// Their mean distance from the reference.
    Distance(Reference),
    /// The time from the window's beginning until a sample is near the reference; the length of the
    /// window if none is.
    Reach(Near),
    /// The time from the window's beginning until all further samples are near the reference; the
    /// length of the window if the last one is not.
    Settle(Near),
}

/// The range that counts as near a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// The allowed distance, as a fraction of the reference, above 0.
    pub within: f64,
    /// The reference.
    pub reference: Reference,
}

#[derive(Clone, Copy)]
enum Word {
    Mean,
    Min,
    Max,
    Cov,
    Last,
    Growth,
    Recovery,
    P95,
    Correlation,
    Distance,
    Reach,
    Settle,
}

const WORDS: [(&str, Word); 12] = [
    ("mean", Word::Mean),
    ("min", Word::Min),
    ("max", Word::Max),
    ("cov", Word::Cov),
    ("last", Word::Last),
    ("growth", Word::Growth),
    ("recovery", Word::Recovery),
    ("p95", Word::P95),
    ("correlation", Word::Correlation),
    ("distance", Word::Distance),
    ("reach", Word::Reach),
    ("settle", Word::Settle),
];

impl Window {
    /// Reads a window of an experiment that has this reference.
    pub(super) fn read(node: &Node<'_>, reference: Option<&Reference>) -> Option<Self> {
        let keys = node.keys("`window`")?;
        let from = keys.number_if_any("from").unwrap_or(0.0);
        let to = keys.number_if_any("to");
        let during = keys.find("during");
        let states = during.as_ref().map(States::read);
        let reduce = keys.need("reduce", "\"mean\"").and_then(|word| {
            let compared = || {
                if reference.is_none() {
                    word.wrong(
                        "the experiment has no `reference` to compare samples with",
                        "write [reference] with a name and its steps",
                    );
                }
                reference.cloned()
            };
            let near = || {
                let within = keys.find("within");
                let part = within.as_ref().and_then(|node| node.number());
                match part.filter(|part| *part > 0.0) {
                    Some(within) => Some(Near {
                        within,
                        reference: compared()?,
                    }),
                    None => {
                        within.as_ref().unwrap_or(&word).wrong(
                            "`reach` and `settle` want a `within` above 0",
                            "how far from the reference is near it, as a part of it: within = 0.2",
                        );
                        None
                    }
                }
            };
            Some(match word.word(&WORDS)? {
                Word::Mean => Reduction::Mean,
                Word::Min => Reduction::Min,
                Word::Max => Reduction::Max,
                Word::Cov => Reduction::Cov,
                Word::Last => Reduction::Last,
                Word::Growth => Reduction::Growth,
                Word::Recovery => Reduction::Recovery {
                    steady: keys.number_if_any("steady"),
                },
                Word::P95 => Reduction::P95,
                Word::Correlation => Reduction::Correlation,
                Word::Distance => Reduction::Distance(compared()?),
                Word::Reach => Reduction::Reach(near()?),
                Word::Settle => Reduction::Settle(near()?),
            })
        });
        if let Some(end) = to.filter(|to| *to <= from) {
            keys.wrong(
                format!("it ends at {end} s, and begins at {from} s"),
                "`to` is above `from`",
            );
        }
        if let (Some(node), Some(Reduction::Correlation)) = (&during, &reduce) {
            node.wrong(
                "`correlation` is of the samples of two runs, whose states differ",
                "leave `during` out",
            );
        }
        keys.done();
        Some(Self {
            from,
            to,
            during: states.map_or(Some(None), |states| states.map(Some))?,
            reduce: reduce?,
        })
    }

    /// Those of these samples that it contains.
    pub(super) fn cut(&self, mut samples: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        samples.retain(|(t, _)| *t > self.from && self.to.is_none_or(|to| *t <= to));
        samples
    }

    /// The number for these samples, which are pairs of time and value; NaN if it depends on
    /// another run.
    pub(super) fn of(&self, samples: &[(f64, f64)]) -> f64 {
        // A sample describes the time before it.
        let since = |from: f64| {
            let to = self.to.unwrap_or(f64::INFINITY);
            samples.iter().filter(move |(t, _)| *t > from && *t <= to)
        };
        let values: Vec<f64> = since(self.from).map(|(_, value)| *value).collect();
        let seen = || since(self.from).copied().collect::<Vec<(f64, f64)>>();
        match &self.reduce {
            Reduction::Mean => mean(&values),
            Reduction::Min => values.iter().copied().fold(f64::NAN, f64::min),
            Reduction::Max => values.iter().copied().fold(f64::NAN, f64::max),
            Reduction::Cov => statistics::coefficient_of_variation(&values).unwrap_or(f64::NAN),
            Reduction::Growth => match values[..] {
                [first, .., last] => last - first,
                _ => f64::NAN,
            },
            Reduction::Last => values.last().copied().unwrap_or(f64::NAN),
            Reduction::Recovery { steady } => {
                let steady = since(steady.unwrap_or(self.from));
                let steady: Vec<f64> = steady.map(|(_, value)| *value).collect();
                let enough = 0.9 * mean(&steady);
                // A flow that stays silent does not recover.
                let seen = seen();
                let recovers = |(_, value): &&(f64, f64)| *value >= enough && *value > 0.0;
                match seen.iter().find(recovers) {
                    None if enough.is_nan() => f64::NAN,
                    found => self.time(&seen, found),
                }
            }
            Reduction::P95 => statistics::percentile(&values, 95).unwrap_or(f64::NAN),
            Reduction::Correlation => f64::NAN,
            Reduction::Distance(reference) => {
                let off: Vec<f64> = seen().iter().map(|sample| reference.off(sample)).collect();
                mean(&off)
            }
            Reduction::Reach(near) => {
                let seen = seen();
                self.time(&seen, seen.iter().find(|sample| near.is(sample)))
            }
            Reduction::Settle(near) => {
                let seen = seen();
                self.time(
                    &seen,
                    seen.iter()
                        .rev()
                        .take_while(|sample| near.is(sample))
                        .last(),
                )
            }
        }
    }

    /// The time of a sample from the window's beginning; the length of the window if `sample` is
    /// `None`.
    fn time(&self, seen: &[(f64, f64)], sample: Option<&(f64, f64)>) -> f64 {
        let Some((last, _)) = seen.last() else {
            return f64::NAN;
        };
        sample.map_or(self.to.unwrap_or(*last), |(t, _)| *t) - self.from
    }
}

impl Near {
    fn is(&self, sample: &(f64, f64)) -> bool {
        self.reference.off(sample) <= self.within * self.reference.before(sample.0).abs()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_the_samples_after_its_beginning_up_to_its_end() {
        let samples: Vec<(f64, f64)> = (0..=10).map(|t| (f64::from(t), f64::from(t))).collect();
        let window = |reduce| Window {
            from: 2.0,
            to: Some(6.0),
            during: None,
            reduce,
        };
        // 3, 4, 5, 6: mean 4.5, population variance 1.25.
        assert_eq!(window(Reduction::Mean).of(&samples), 4.5);
        assert_eq!(window(Reduction::Min).of(&samples), 3.0);
        assert_eq!(window(Reduction::Max).of(&samples), 6.0);
        assert!(window(Reduction::Min).of(&[]).is_nan());
        assert_eq!(window(Reduction::Last).of(&samples), 6.0);
        assert_eq!(window(Reduction::Growth).of(&samples), 3.0);
        let cov = window(Reduction::Cov).of(&samples);
        assert!((cov - 1.25f64.sqrt() / 4.5).abs() < 1e-12);
        // 90 % of 4.5 is 4.05: the sample at 5 is the first to reach it.
        let recovery = |steady| window(Reduction::Recovery { steady }).of(&samples);
        assert_eq!(recovery(None), 3.0);
        // The same holds for 90 % of the mean of 5 and 6, 4.95. 90 % of 6 alone, 5.4, is reached at
        // 6.
        assert_eq!(recovery(Some(4.0)), 3.0);
        assert_eq!(recovery(Some(5.0)), 4.0);
        // A flow that stays silent has not recovered at once, but in the whole window not.
        let silent: Vec<(f64, f64)> = samples.iter().map(|(t, _)| (*t, 0.0)).collect();
        let recovery = Reduction::Recovery { steady: None };
        assert_eq!(window(recovery).of(&silent), 4.0);
    }

    #[test]
    fn samples_are_compared_with_a_step_function() {
        // 10 until 4, then 20; the samples follow with a delay, and the one at 8 is an outlier.
        let reference = Reference {
            name: String::new(),
            steps: vec![[0.0, 10.0], [4.0, 20.0]],
        };
        let values = [10.0, 10.0, 10.0, 10.0, 10.0, 16.0, 18.0, 21.0, 30.0, 20.0];
        let samples: Vec<(f64, f64)> = (0..10).map(f64::from).zip(values).collect();
        let near = |within| Near {
            within,
            reference: reference.clone(),
        };
        let number = |reduce, from| {
            let window = Window {
                from,
                to: Some(9.0),
                during: None,
                reduce,
            };
            window.of(&samples)
        };
        // At 4, the value before the step counts; after that the distances are 4, 2, 1, 10 and 0.
        assert_eq!(
            number(Reduction::Distance(reference.clone()), 3.0),
            17.0 / 6.0
        );
        assert_eq!(number(Reduction::Reach(near(0.1)), 4.0), 2.0);
        assert_eq!(number(Reduction::Settle(near(0.1)), 4.0), 5.0);
        assert_eq!(number(Reduction::Settle(near(0.5)), 4.0), 1.0);
        // If it is never reached, the result is the length of the window.
        assert_eq!(number(Reduction::Reach(near(0.0)), 7.0), 2.0);
        assert_eq!(number(Reduction::Reach(near(1e-9)), 7.5), 1.5);
        let settle = Window {
            from: 4.0,
            to: None,
            during: None,
            reduce: Reduction::Settle(near(0.1)),
        };
        assert_eq!(settle.of(&samples[..9]), 4.0);
        assert!(settle.of(&[]).is_nan());
    }
}
