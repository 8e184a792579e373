//! The runs of all chosen experiments.

use std::time::Instant;

use dumbbell_lab::experiment::{Point, Results};
use dumbbell_lab::store::{Fingerprint, Finished, Job, Runner, Store, StoreError};

use super::chosen::{self, Chosen};
use crate::exit::Exit;
use crate::{interrupt, progress};

/// What the runs gave, one entry an experiment.
pub struct Done {
    pub results: Vec<Results>,
    pub points: Vec<Vec<Point>>,
    /// Runs that were simulated now.
    pub simulated: usize,
    /// Runs that were kept from before.
    pub kept: usize,
    /// Runs that are those of another figure, too.
    pub shared: usize,
    pub seconds: f64,
    /// Of the sources that made the results.
    pub fingerprint: String,
    /// Why not all runs are kept.
    pub trouble: Option<StoreError>,
}

/// A run's experiment and point.
struct Place {
    experiment: usize,
    point: usize,
}

pub fn run(chosen: &[Chosen], seed: u64, threads: usize, store: &Store) -> Result<Done, Exit> {
    let begun = Instant::now();
    let experiments: Vec<_> = chosen::experiments(chosen).collect();
    let mut points = Vec::new();
    for experiment in &experiments {
        let these = experiment.points(seed);
        points.push(these.map_err(|e| Exit::Failed(e.to_string()))?);
    }
    let mut places = Vec::new();
    let mut jobs = Vec::new();
    for (number, experiment) in experiments.iter().enumerate() {
        let sampled = experiment.wants_samples();
        for (point, Point { scenario, .. }) in points[number].iter().enumerate() {
            for run in 0..experiment.repeat {
                places.push(Place {
                    experiment: number,
                    point,
                });
                jobs.push(Job {
                    scenario,
                    seed: seed.wrapping_add(run),
                    probe: sampled.then_some(&scenario.probe),
                });
            }
        }
    }
    let mut results: Vec<Results> = experiments.iter().map(|e| Results::new(e)).collect();
    let interrupted = interrupt::flag();
    let bar = progress::of_runs(jobs.len());
    let runner = Runner {
        store: Some(store),
        threads,
        interrupted: &interrupted,
    };
    let summary = runner.run(
        &jobs,
        |steps| bar.inc(steps),
        |index, finished| {
            let Place { experiment, point } = places[index];
            let about = experiments[experiment];
            let Finished { outcome, series } = finished;
            results[experiment].add(about, &points[experiment][point], &outcome, &series);
            bar.set_message(about.name.clone());
        },
    );
    bar.finish_and_clear();
    if summary.done < jobs.len() {
        return Err(Exit::Interrupted);
    }
    Ok(Done {
        results,
        simulated: summary.computed,
        kept: summary.taken,
        shared: jobs.len() - summary.computed - summary.taken,
        points,
        seconds: begun.elapsed().as_secs_f64(),
        fingerprint: Fingerprint::of_this_build().to_string(),
        trouble: summary.trouble,
    })
}
