//! How often the points of a sweep are run, and with which seeds.

use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::suggest;

use crate::description::{Keys, Node};

/// The number of runs of each point.
#[derive(Clone, Debug, PartialEq)]
pub enum Repeat {
    /// The same for all points.
    Times(u64),
    /// Until an interval is narrow enough.
    Until(Until),
}

/// Runs a point until the 95 % interval of a measure is narrow enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// The measure, a column of the table `groups`.
    pub measure: String,
    /// The group; `None` for every group.
    pub group: Option<String>,
    /// The largest half width, as a fraction of the mean.
    pub interval: f64,
    /// The least number of runs.
    pub at_least: u64,
    /// The largest number of runs.
    pub at_most: u64,
}

/// Whether the points share their random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// Run n of every point has the same seed, so that differences between points have less noise.
    Common,
    /// Every point has seeds of its own, which follow from its scenario.
    Independent,
}

/// The default number of runs.
const USUAL: u64 = 10;
/// The largest number of runs of a point.
pub(super) const MOST: u64 = 1_000_000;

impl Repeat {
    /// The least and the largest number of runs of a point.
    pub fn bounds(&self) -> (u64, u64) {
        match self {
            Self::Times(times) => (*times, *times),
            Self::Until(until) => (until.at_least, until.at_most),
        }
    }

    /// Reads `repeat` and `until`. `measures` are the words that `until` may name.
    pub(super) fn read(keys: &Keys<'_>, measures: &[&str]) -> Option<Self> {
        match (keys.find("repeat"), keys.find("until")) {
            (Some(_), Some(until)) => {
                until.wrong(
                    "`repeat` and `until` both say how many runs there are",
                    "keep one; `until` has `at_least` and `at_most`",
                );
                None
            }
            (Some(repeat), None) => times(&repeat).map(Self::Times),
            (None, Some(until)) => Until::read(&until, measures).map(Self::Until),
            (None, None) => Some(Self::Times(USUAL)),
        }
    }
}

impl Seeds {
    /// Reads `seeds`.
    pub(super) fn read(keys: &Keys<'_>) -> Self {
        let words = [("common", Self::Common), ("independent", Self::Independent)];
        keys.word_or("seeds", &words, Self::Common)
    }
}

impl Until {
    fn read(node: &Node<'_>, measures: &[&str]) -> Option<Self> {
        let keys = node.keys("`until`")?;
        let measure = keys.need("measure", "\"goodput\"").and_then(|node| {
            let name = node.text()?;
            if !measures.contains(&name) {
                let help = suggest::help(name, "the measures are", measures);
                node.wrong(format!("there is no measure `{name}`"), help);
                return None;
            }
            Some(name.to_owned())
        });
        let interval = keys
            .need("interval", "\"2 %\"")
            .and_then(|node| interval(&node));
        let group = keys.find("group").map(|node| node.text());
        let at_least = keys.find("at_least");
        let at_most = keys.find("at_most");
        keys.done();
        let at_least_runs = at_least.as_ref().map_or(Some(5), times)?;
        let at_most_runs = at_most
            .as_ref()
            .map_or(Some(at_least_runs.max(100)), times)?;
        if let Some(node) = at_least.filter(|_| at_least_runs < 2) {
            node.wrong(
                "an interval takes at least 2 runs",
                "write for example at_least = 5",
            );
        }
        if let Some(node) = at_most.filter(|_| at_most_runs < at_least_runs) {
            node.wrong(
                format!("`at_most` is below `at_least`, which is {at_least_runs}"),
                "write a larger number",
            );
        }
        Some(Self {
            measure: measure?,
            group: match group {
                Some(group) => Some(group?.to_owned()),
                None => None,
            },
            interval: interval?,
            at_least: at_least_runs,
            at_most: at_most_runs,
        })
    }

    /// How many runs a point should have if so many runs gave these values for a group; a run need not
    /// have one. No more if the interval is narrow enough, or if no run has a value: then more runs would
    /// hardly have any. The number follows from the results alone.
    pub(super) fn wanted(&self, runs: u64, values: &[f64]) -> u64 {
        if runs < self.at_least {
            return self.at_least;
        }
        if values.is_empty() || self.is_narrow(values) {
            return runs;
        }
        // The width falls with the root of the number; a step is at most half of what there is, so
        // that an unlucky beginning does not cost much.
        let most = runs + (runs / 2).max(1);
        let needed = match Estimate::of(values) {
            Some(Estimate {
                mean,
                half_width: Some(half),
            }) if mean != 0.0 => {
                let ratio = half / (self.interval * mean.abs());
                libm::ceil(runs as f64 * ratio * ratio).min(1e15) as u64
            }
            _ => most,
        };
        needed.clamp(runs + 1, most).min(self.at_most)
    }

    /// Whether these values have an interval that is narrow enough.
    pub(super) fn is_narrow(&self, values: &[f64]) -> bool {
        Estimate::of(values).is_some_and(|it| {
            it.half_width
                .is_some_and(|half| half <= self.interval * it.mean.abs())
        })
    }
}

fn times(node: &Node<'_>) -> Option<u64> {
    let times = node.count()?;
    if times > MOST {
        node.wrong(
            format!("`{}` is {times}", node.name()),
            format!("a point has at most {MOST} runs"),
        );
        return None;
    }
    Some(times)
}

/// Reads a percentage such as `"2 %"`.
fn interval(node: &Node<'_>) -> Option<f64> {
    let percent = node.as_text().and_then(|text| {
        let number = text.trim().strip_suffix('%')?.trim();
        number.parse::<f64>().ok()
    });
    let found = percent.filter(|percent| *percent > 0.0 && *percent <= 100.0);
    if found.is_none() {
        node.wrong(
            "`interval` is no percentage of the mean above 0 and up to 100",
            "write the largest half width of the 95 % interval, such as \"2 %\"",
        );
    }
    found.map(|percent| percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTIL: Until = Until {
        measure: String::new(),
        group: None,
        interval: 0.02,
        at_least: 3,
        at_most: 100,
    };

    #[test]
    fn a_point_has_enough_runs_when_its_interval_is_narrow() {
        assert_eq!(UNTIL.wanted(0, &[]), 3);
        assert_eq!(UNTIL.wanted(2, &[1.0, 2.0]), 3);
        // Equal values have an interval of width 0.
        assert_eq!(UNTIL.wanted(3, &[5.0; 3]), 3);
        // 100 +- 1: standard deviation 1, half width 4.303 / sqrt(3) = 2.484 %, so 4.63 runs.
        assert_eq!(UNTIL.wanted(3, &[99.0, 100.0, 101.0]), 4);
        // Far too wide: half as many again.
        let wide: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(UNTIL.wanted(10, &wide), 15);
        let long: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(UNTIL.wanted(100, &long), 100);
        // A mean of 0 is never known to 2 % of itself.
        assert_eq!(UNTIL.wanted(3, &[-1.0, 0.0, 1.0]), 4);
    }

    #[test]
    fn a_run_without_a_value_counts_as_a_run() {
        // The values are the same as above, of ten times as many runs: 46.3, at most half as many again.
        assert_eq!(UNTIL.wanted(30, &[99.0, 100.0, 101.0]), 45);
        // Nearly narrow: standard deviation 0.9, half width 2.236 %.
        assert_eq!(UNTIL.wanted(30, &[99.1, 100.0, 100.9]), 38);
        assert_eq!(UNTIL.wanted(90, &[99.0, 101.0]), 100);
        // One value has no interval, and none may be what there is to know.
        assert_eq!(UNTIL.wanted(10, &[1.0]), 15);
        assert_eq!(UNTIL.wanted(10, &[]), 10);
        assert_eq!(UNTIL.wanted(40, &[1.0, 1.0]), 40);
    }
}
