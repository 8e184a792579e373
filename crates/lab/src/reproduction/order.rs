//! The order in which the runs of a reproduction are started.

use dumbbell_store::{Forecast, Job};

use super::plan::{Place, Plan};

/// Runs of each figure that are started early, so that it is soon known how long the others take.
const SAMPLES: usize = 3;

/// A run of a figure or of the matrix.
pub(super) struct Planned<'p> {
    pub(super) place: Place,
    pub(super) job: Job<'p>,
    /// The figure, or the matrix, by its position among all.
    pub(super) family: usize,
}

/// The runs of a figure or of the matrix.
struct Family<'p> {
    /// With the longest first; those of a point follow each other.
    runs: Vec<Planned<'p>>,
    longest: f64,
    whole: f64,
}

/// The forecast of runs in this order, before the first of them.
pub(super) fn forecast(runs: &[Planned<'_>]) -> Forecast {
    let mut forecast = Forecast::default();
    for run in runs {
        forecast.add(run.family, &[run.job]);
    }
    forecast
}

impl Plan {
    /// All runs in the order in which they are started: those of the figure that is expected to be
    /// finished first; some of every other one; then figure by figure, those with the longest runs
    /// first, so that no core is idle while another one ends a long run. It depends on the scenarios
    /// alone.
    pub(super) fn ordered(&self) -> Vec<Planned<'_>> {
        let mut families = self.families();
        let cheapest =
            (0..families.len()).min_by(|a, b| families[*a].whole.total_cmp(&families[*b].whole));
        let mut order = Vec::new();
        if let Some(cheapest) = cheapest {
            order.append(&mut families.remove(cheapest).runs);
        }
        families.sort_by(|a, b| b.longest.total_cmp(&a.longest));
        for family in &mut families {
            let points = points(&family.runs);
            // The middle of each of so many equal parts of the points.
            let part = |sample: usize| points[(2 * sample + 1) * points.len() / (2 * SAMPLES)];
            let mut samples: Vec<usize> = (0..SAMPLES).map(part).collect();
            samples.dedup();
            for sample in samples.into_iter().rev() {
                order.push(family.runs.remove(sample));
            }
        }
        order.extend(families.into_iter().flat_map(|family| family.runs));
        order
    }

    fn families(&self) -> Vec<Family<'_>> {
        let figures = self.figures.iter().enumerate().map(|(figure, planned)| {
            let place = move |point| Place::Figure { figure, point };
            let jobs = planned.jobs();
            Family::new(figure, jobs.map(|(point, job)| (place(point), job)))
        });
        let seed = self.settings.seed;
        let matrix = self.matrix.iter().map(|planned| {
            let jobs = planned.jobs(seed);
            let jobs = jobs.map(|(task, job)| (Place::Matrix { task }, job));
            Family::new(self.figures.len(), jobs)
        });
        figures
            .chain(matrix)
            .filter(|it| !it.runs.is_empty())
            .collect()
    }
}

impl<'p> Family<'p> {
    fn new(family: usize, jobs: impl Iterator<Item = (Place, Job<'p>)>) -> Self {
        let mut costs: Vec<(f64, Planned<'p>)> = Vec::new();
        let mut last: Option<(Place, f64)> = None;
        for (place, job) in jobs {
            let known = last.filter(|(before, _)| *before == place);
            let (_, cost) = *last.insert(known.unwrap_or_else(|| (place, job.cost())));
            costs.push((cost, Planned { place, job, family }));
        }
        let whole = costs.iter().map(|(cost, _)| cost).sum();
        costs.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        Self {
            longest: costs.first().map_or(0.0, |(cost, _)| *cost),
            whole,
            runs: costs.into_iter().map(|(_, run)| run).collect(),
        }
    }
}

/// The first run of each point.
fn points(runs: &[Planned<'_>]) -> Vec<usize> {
    let all = 0..runs.len();
    let new = |at: &usize| *at == 0 || runs[*at].place != runs[*at - 1].place;
    all.filter(new).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dumbbell_store::{Advance, State};

    use super::*;
    use crate::claim::Settings;
    use crate::experiment::Experiment;
    use crate::reproduction::plan::{Owner, PlannedFigure};

    /// A figure whose curves have bottlenecks of these rates in Mb/s, and one point each.
    fn figure(name: &str, duration: u32, rates: &[u32], repeat: u32) -> PlannedFigure {
        let scenario = format!(
            "duration = \"{duration} s\"
            [dumbbell]
            access = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}
            bottleneck = {{ rate = \"1 Mb/s\", delay = \"9 ms\", queue = {{ droptail = 9 }} }}
            [[flow]]
            control = \"reno\""
        );
        let curves = rates.iter().map(|rate| {
            format!("{{ name = \"{rate}\", set = {{ \"dumbbell.bottleneck.rate\" = \"{rate} Mb/s\" }} }}")
        });
        let curves: Vec<String> = curves.collect();
        let description = format!(
            "name = \"{name}\"
            title = \"t\"
            source = \"s\"
            repeat = {repeat}
            quick = {{ repeat = 1 }}
            series = [{}]
            measure = [{{ name = \"t\", label = \"t\", quantity = \"throughput\" }}]
            panel = [{{ table = [\"t\"] }}]",
            curves.join(", ")
        );
        let none = toml::Table::new();
        let experiment = Experiment::parse("t.toml", &description, &scenario, &none);
        let experiment = experiment.unwrap_or_else(|wrong| panic!("{wrong}"));
        let points = experiment.points(1).expect("every point is a scenario");
        PlannedFigure {
            owner: Owner::Paper(0),
            experiment,
            points,
        }
    }

    fn plan(figures: Vec<PlannedFigure>) -> Plan {
        Plan {
            words: Vec::new(),
            settings: Settings {
                seed: 1,
                quick: false,
            },
            papers: Vec::new(),
            explorations: Vec::new(),
            figures,
            matrix: None,
            null: false,
        }
    }

    #[test]
    fn the_cheapest_figure_is_first_and_then_the_one_with_the_longest_runs() {
        let plan = plan(vec![
            figure("many", 100, &[1, 2, 3, 4, 5], 9),
            figure("cheap", 10, &[1, 2], 2),
            figure("long", 100, &[10, 90], 2),
        ]);
        let runs = plan.ordered();
        let found = runs.iter().map(|run| match run.place {
            Place::Figure { figure, point } => (figure, point, run.job.seed),
            Place::Matrix { .. } => panic!("there is none"),
        });
        let found: Vec<_> = found.collect();
        // The faster link first.
        assert_eq!(found[..4], [(1, 1, 1), (1, 1, 2), (1, 0, 1), (1, 0, 2)]);
        // A run of both points of the figure with the longest runs, and of three points of the other.
        let samples = [(2, 0, 1), (2, 1, 1), (0, 0, 1), (0, 2, 1), (0, 4, 1)];
        assert_eq!(found[4..9], samples);
        // The rest.
        assert_eq!(found[9..12], [(2, 1, 2), (2, 0, 2), (0, 4, 2)]);
        assert_eq!(found[found.len() - 1], (0, 0, 9));
        let mut all = found.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 45 + 4 + 4);
    }

    /// Twenty figures of which the runs take from a sixth to six times as long as their scenarios let
    /// expect. After a tenth of the time, the time that is left is right within a fifth.
    #[test]
    fn the_time_that_is_left_is_right_within_a_fifth_after_a_tenth() {
        let figures = (0..20u32).map(|at| {
            let rates: Vec<u32> = (1..=5 + at % 7).map(|place| place * (1 + at % 5)).collect();
            figure(&format!("f{at}"), 20 + 17 * (at % 11), &rates, 4 + at % 3)
        });
        let plan = plan(figures.collect());
        let runs = plan.ordered();
        // What a run takes: it depends on the figure, on the point and, least, on the seed.
        let seconds = |run: &Planned<'_>| {
            let Place::Figure { figure, point } = run.place else {
                panic!("there is no matrix");
            };
            let of_figure = 6f64.powf((figure as f64 * 2.4).sin());
            let of_point = 1.0 + 0.4 * (point as f64 * 1.7 + figure as f64).cos();
            let of_seed = 1.0 + 0.1 * (run.job.seed as f64 * 3.1).sin();
            run.job.cost() * 1e-7 * of_figure * of_point * of_seed
        };
        let mut forecast = forecast(&runs);
        // Two threads, of which each takes the next run.
        let mut free = [0.0f64; 2];
        let mut ends: Vec<(f64, usize)> = Vec::new();
        for (job, run) in runs.iter().enumerate() {
            let thread = usize::from(free[1] < free[0]);
            free[thread] += seconds(run);
            ends.push((free[thread], job));
        }
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let whole = free[0].max(free[1]);
        // No thread is idle at the end.
        assert!((free[0] - free[1]).abs() < 0.01 * whole, "{free:?}");
        let (mut checked, mut worst) = (0, 0.0f64);
        for (now, job) in ends {
            let taken = Duration::from_secs_f64(seconds(&runs[job]));
            let state = State::Ended(taken);
            forecast.note(Advance {
                job,
                steps: 100,
                state,
            });
            // At the very end, single runs count.
            if (0.1..0.97).contains(&(now / whole)) {
                let left = forecast.left(2).expect("it is known").as_secs_f64();
                worst = worst.max((left / (whole - now) - 1.0).abs());
                checked += 1;
            }
        }
        assert!(checked > 500, "{checked}");
        assert!(worst < 0.2, "{worst}");
    }
}
