//! The table of a choice: all combinations of values of two axes, the best ones first.

use dumbbell_run::statistics::Estimate;

use super::choice::Choice;
use super::tabular::Tabular;
use super::{Experiment, Results};
use crate::cube::{Cube, CurveId, MeasureId, PlaceId};

/// A point of the plane with its results.
struct Candidate {
    name: String,
    /// The measure to maximise, one number per seed.
    goal: Vec<f64>,
    /// For each condition, the result of the curve that is closest to violating it or violates it
    /// most.
    worst: Vec<Option<Estimate>>,
    /// The names of the measures whose conditions are violated.
    missed: Vec<String>,
}

impl Experiment {
    /// The table of a choice. Points that meet all conditions come first, then the others; within
    /// both groups, points with a larger goal come first.
    pub(super) fn chosen(&self, title: &str, choice: &Choice, results: &Results) -> Tabular {
        let cube = results.cube(self);
        let rows = self.y.as_ref().map_or(0, |y| y.values().len());
        let mut candidates: Vec<Candidate> = (0..rows)
            .flat_map(|row| cube.axes().places().map(move |x| (row, x)))
            .map(|(row, x)| self.candidate(choice, &cube, row, x))
            .collect();
        let mean = |c: &Candidate| Estimate::of(&c.goal).map_or(f64::NEG_INFINITY, |e| e.mean);
        candidates.sort_by(|a, b| {
            let kept = a.missed.is_empty().cmp(&b.missed.is_empty()).reverse();
            kept.then(mean(b).total_cmp(&mean(a)))
        });
        let best = candidates.first().filter(|c| c.missed.is_empty());
        let best = best.map(|c| c.goal.clone());
        let mut columns = vec![format!(
            "{}: geometric mean",
            self.measure(choice.maximise.measure).label
        )];
        columns.extend(
            choice
                .conditions
                .iter()
                .map(|c| c.words(&self.measure(c.measure).label)),
        );
        let line = |(place, candidate): (usize, Candidate)| {
            let word = match &best {
                _ if !candidate.missed.is_empty() => {
                    format!("misses {}", candidate.missed.join(" and "))
                }
                Some(_) if place == 0 => "best".to_owned(),
                Some(best) if alike(best, &candidate.goal) => "like the best".to_owned(),
                _ => "keeps all".to_owned(),
            };
            let mut cells = vec![Estimate::of(&candidate.goal)];
            cells.extend(candidate.worst);
            (format!("{}: {word}", candidate.name), cells)
        };
        Tabular {
            title: title.to_owned(),
            columns,
            rows: candidates.into_iter().enumerate().map(line).collect(),
        }
    }

    fn candidate(&self, choice: &Choice, cube: &Cube, row: usize, x: PlaceId) -> Candidate {
        let curve = |name: &String| self.rows_of(name).nth(row).map(CurveId);
        let values =
            |measure: MeasureId, name: &String| Some(cube.values(measure, curve(name)?, x));
        let of_goal: Vec<Vec<f64>> = choice
            .maximise
            .series
            .iter()
            .filter_map(|name| values(choice.maximise.measure, name))
            .collect();
        let runs = of_goal.iter().map(|v| v.len()).min().unwrap_or(0);
        let mut goal: Vec<f64> = (0..runs)
            .map(|seed| {
                let logs = of_goal.iter().map(|values| libm::log(values[seed]));
                libm::exp(logs.sum::<f64>() / of_goal.len() as f64)
            })
            .collect();
        goal.retain(|value| value.is_finite());
        let (mut worst, mut missed) = (Vec::new(), Vec::new());
        for condition in &choice.conditions {
            let numbers: Vec<Option<Estimate>> = condition
                .series
                .iter()
                .map(|name| Estimate::of(&values(condition.measure, name)?))
                .collect();
            let known = numbers.iter().flatten().copied();
            let least = known.min_by(|a, b| condition.room(a).total_cmp(&condition.room(b)));
            let all = numbers
                .iter()
                .all(|n| n.is_some_and(|e| condition.keeps(&e)));
            let measure = &self.measure(condition.measure).name;
            if !all && !missed.contains(measure) {
                missed.push(measure.clone());
            }
            worst.push(least);
        }
        let first = choice.maximise.series.first().and_then(curve);
        Candidate {
            name: first.map_or_else(String::new, |series| self.cell(series, x)),
            goal,
            worst,
            missed,
        }
    }
}

/// Whether two goals, compared seed by seed, may be equal: the 95 % interval of their differences
/// includes 0.
fn alike(best: &[f64], other: &[f64]) -> bool {
    let apart: Vec<f64> = best.iter().zip(other).map(|(a, b)| a - b).collect();
    Estimate::of(&apart).is_none_or(|e| e.low() <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DESCRIPTION, parse as parse_text};
    use super::*;
    use crate::description::Malformed;

    const CHOICE: &str = "panel = [{ choice = { maximise = { measure = \"t\", series = [\"A\", \"B\"] }, conditions = [{ measure = \"n\", series = [\"B\"], least = 15 }] } }]";

    fn parse(from: &str, to: &str) -> Result<Experiment, Malformed> {
        let description = DESCRIPTION
            .replacen(
                " x =",
                " y = { label = \"queue\", key = \"dumbbell.bottleneck.queue.droptail\", whole = true, values = [5, 50] }\n x =",
                1,
            )
            .replacen("quantity = \"throughput\" }]", "quantity = \"throughput\" }, { name = \"n\", label = \"sent\", quantity = \"sent\" }]", 1)
            .replacen("of = \"A\", over = \"B\"", "of = \"A, queue = 5\", over = \"B, queue = 5\"", 1)
            .replacen("panel = [{ measure = \"t\" }]", CHOICE, 1);
        assert!(description.contains(from), "{from}");
        let description = description.replacen(from, to, 1);
        parse_text(&description)
    }

    #[test]
    fn the_best_point_meets_the_conditions_and_comes_first() {
        let experiment = parse("", "").expect("it is right");
        // Of A and B at (x, queue): geometric means of 6 at (0.1, 5), 10 at (0.2, 5), 20 at (0.1,
        // 50), and 6 or 10 at (0.2, 50). B sends 15 or more everywhere, except once at (0.1, 50).
        let throughput = [
            [[4.0, 4.0], [5.0, 5.0]],
            [[10.0, 10.0], [4.0, 5.0]],
            [[9.0, 9.0], [20.0, 20.0]],
            [[40.0, 40.0], [9.0, 20.0]],
        ];
        let nothing = [[0.0, 0.0], [0.0, 0.0]];
        let sent = [
            nothing,
            nothing,
            [[20.0, 20.0], [20.0, 20.0]],
            [[10.0, 20.0], [30.0, 30.0]],
        ];
        let lists = |all: [[[f64; 2]; 2]; 4]| {
            all.map(|places| places.map(|runs| runs.to_vec()).to_vec())
                .to_vec()
        };
        let results = Results::of_values(&experiment, &[lists(throughput), lists(sent)]);
        let table = experiment.tabular(0, &results);
        let names: Vec<&str> = table.rows.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "loss = 0.2, queue = 5: best",
                "loss = 0.2, queue = 50: like the best",
                "loss = 0.1, queue = 5: keeps all",
                "loss = 0.1, queue = 50: misses n",
            ]
        );
        assert_eq!(
            table.columns,
            ["t: geometric mean", "sent: worst, at least 15"]
        );
        let goals: Vec<f64> = table
            .rows
            .iter()
            .map(|(_, c)| c[0].expect("one").mean)
            .collect();
        for (found, expected) in goals.iter().zip([10.0, 8.0, 6.0, 20.0]) {
            assert!((found - expected).abs() < 1e-12, "{goals:?}");
        }
        // 10 and 20 packets: the mean is 15, but the interval includes less.
        assert_eq!(table.rows[3].1[1].expect("one").mean, 15.0);
        let mean = parse("least = 15", "mean = true, least = 15").expect("it is right");
        let table = mean.tabular(0, &results);
        assert_eq!(table.rows[0].0, "loss = 0.1, queue = 50: best");
    }

    #[test]
    fn mistakes_are_reported() {
        for (from, to, what) in [
            (
                "series = [\"B\"], least",
                "series = [\"C\"], least",
                "there is no curve that `y` is crossed with `C`",
            ),
            (
                "series = [\"B\"], least",
                "series = [], least",
                "names its curves",
            ),
            (
                "least = 15",
                "most = 1, least = 15",
                "either `least` or `most`",
            ),
            ("{ measure = \"n\"", "{ measure = \"m\"", "no measure `m`"),
        ] {
            let error = parse(from, to).expect_err(what).to_string();
            assert!(error.contains(what), "{what}: {error}");
        }
    }
}
