//! The order in which the runs of a reproduction are started.

use dumbbell_store::Job;

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
