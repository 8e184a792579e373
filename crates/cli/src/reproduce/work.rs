//! The runs of all chosen experiments.

use std::path::Path;
use std::time::Instant;

use dumbbell_lab::batch;
use dumbbell_lab::experiment::{Point, Results};
use dumbbell_lab::simulation;

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
    pub seconds: f64,
}

/// A run: its experiment, its point and its seed.
struct Job {
    experiment: usize,
    point: usize,
    seed: u64,
}

pub fn run(chosen: &[Chosen], seed: u64, threads: usize, _out: &Path) -> Result<Done, Exit> {
    let begun = Instant::now();
    let experiments: Vec<_> = chosen::experiments(chosen).collect();
    let mut points = Vec::new();
    let mut jobs = Vec::new();
    for (number, experiment) in experiments.iter().enumerate() {
        let these = experiment
            .points(seed)
            .map_err(|e| Exit::Failed(e.to_string()))?;
        for point in 0..these.len() {
            jobs.extend((0..experiment.repeat).map(|run| Job {
                experiment: number,
                point,
                seed: seed.wrapping_add(run),
            }));
        }
        points.push(these);
    }
    let mut results: Vec<Results> = experiments.iter().map(|e| Results::new(e)).collect();
    let interrupted = interrupt::flag();
    let bar = progress::of_experiments(jobs.len());
    let mut done = 0;
    batch::in_order(
        jobs.len(),
        threads,
        &interrupted,
        |index| {
            let job = &jobs[index];
            let scenario = &points[job.experiment][job.point].scenario;
            simulation::run(scenario, job.seed, &interrupted)
        },
        |index, outcome| {
            let job = &jobs[index];
            let experiment = experiments[job.experiment];
            results[job.experiment].add(experiment, &points[job.experiment][job.point], &outcome);
            done += 1;
            bar.set_message(experiment.name.clone());
            bar.inc(1);
        },
    );
    bar.finish_and_clear();
    if done < jobs.len() {
        return Err(Exit::Interrupted);
    }
    Ok(Done {
        results,
        points,
        simulated: done,
        kept: 0,
        seconds: begun.elapsed().as_secs_f64(),
    })
}
